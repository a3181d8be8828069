import { code, plain, section } from '../text/markdown.ts'
import type { Decision } from './decision.ts'
import { answer, followerText, grounds, groups, waiverText } from './words.ts'

/** A decision as a page: yes or no first, then why. */
export function decisionMarkdown(decision: Decision): string {
  const sentence = answer(decision)
  return [
    `# ${sentence.charAt(0).toUpperCase()}${plain(sentence.slice(1))}`,
    '',
    ...grounds(decision).map(([label, text]) => `- ${label}: ${plain(text)}`),
    `- decided ${decision.decidedAt} by Plumbline ${decision.version}, exit code ${code(String(decision.exitCode))}`,
    ...groups(decision).flatMap(({ title, findings }) =>
      section(
        title,
        findings.map(({ subject, requirement, text }) =>
          subject === 'requirement' && requirement !== null
            ? `- **${requirement}**: ${plain(text)}`
            : `- ${plain(text)}`,
        ),
      ),
    ),
    ...section('Waived', [
      ...decision.waived.map((waiver) => `- **${waiver.requirement}**: ${plain(waiverText(waiver))}`),
      ...decision.following.map((one) => `- **${one.requirement}**: ${plain(followerText(one))}`),
    ]),
    '',
  ].join('\n')
}
