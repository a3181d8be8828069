import { capitalized } from '../text/format.ts'
import { code, plain, section } from '../text/markdown.ts'
import type { ReleaseDecision } from './decision.ts'
import { answer, findingGroups, grounds, waivedLines } from './text.ts'

/** A decision as a Markdown page: the answer first, then the reasons. */
export function decisionMarkdown(decision: ReleaseDecision): string {
  return [
    `# ${plain(capitalized(answer(decision)))}`,
    '',
    ...grounds(decision).map(([label, text]) => `- ${label}: ${plain(text)}`),
    `- decided ${decision.decidedAt} by Plumbline ${decision.version}, exit code ${code(String(decision.exitCode))}`,
    ...findingGroups(decision).flatMap(({ title, findings }) =>
      section(
        title,
        findings.map(({ subject, requirement, text }) =>
          subject === 'requirement' && requirement !== null
            ? `- **${requirement}**: ${plain(text)}`
            : `- ${plain(text)}`,
        ),
      ),
    ),
    ...section(
      'Waived',
      waivedLines(decision).map(([id, text]) => `- **${id}**: ${plain(text)}`),
    ),
    '',
  ].join('\n')
}
