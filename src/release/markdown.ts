import { minuteOf } from '../text/format.ts'
import { code, plain, prose, section } from '../text/markdown.ts'
import type { ReleaseDecision } from './decision.ts'
import { answerText, findingGroups, grounds, neededRun, waivedLines } from './text.ts'

/**
 * A decision as a Markdown page: the answer first, then the reasons.
 * @param file the policy file
 */
export function decisionMarkdown(decision: ReleaseDecision, file: string): string {
  const needed = neededRun(decision)
  return [
    `# ${plain(answerText(decision.answer, decision.because))}`,
    '',
    ...grounds(decision, file).map(([label, text]) => `- ${label}: ${plain(text)}`),
    `- decided ${minuteOf(decision.decidedAt)} by Plumbline ${decision.version}, exit code ${code(String(decision.exitCode))}`,
    ...(needed ? ['', `${plain(needed.text)} ${code(needed.command)}`] : []),
    ...findingGroups(decision).flatMap(({ title, lines }) =>
      section(
        title,
        lines.map(({ name, text }) =>
          name === undefined ? `- ${prose(text)}` : `- **${name}**: ${prose(text)}`,
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
