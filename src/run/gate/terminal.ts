import { styleText } from 'node:util'
import { type Style, verdictStyles, wrap } from '../text.ts'
import type { Decision, Effect } from './decision.ts'
import { answer, grounds, groups, waiverText } from './words.ts'

const styles: Readonly<Record<Effect, Style>> = {
  violated: verdictStyles.fail,
  undecided: verdictStyles.inconclusive,
  noted: 'dim',
}

/** A decision for people: yes or no first, then why. */
export function decisionText(decision: Decision, stream: NodeJS.WriteStream): string {
  const width = Math.min(Math.max(stream.columns ?? 100, 60), 100)
  const paint = (style: Style, text: string) => styleText(style, text, { stream })
  const named = (name: string, text: string, style: Style) => {
    const [first = '', ...rest] = wrap(`  ${name}  ${text}`, width, 6)
    return [`  ${paint(style, name)}${first.slice(name.length + 2)}`, ...rest]
  }
  const [verdict = '', ...more] = wrap(`${answer(decision)}.`, width, 2)
  return [
    paint(decision.release ? ['bold', 'green'] : ['bold', 'red'], verdict),
    ...more,
    '',
    ...grounds(decision).flatMap(([label, text]) => named(label.padEnd(9), text, 'dim')),
    ...groups(decision).flatMap(({ title, effect, findings }) => [
      '',
      paint('bold', title),
      ...findings.flatMap(({ subject, requirement, text }) =>
        subject === 'requirement' && requirement !== null
          ? named(requirement, text, styles[effect])
          : wrap(`  ${text}`, width, 6),
      ),
    ]),
    ...(decision.waived.length > 0 ? ['', paint('bold', 'Waived')] : []),
    ...decision.waived.flatMap((waiver) =>
      named(waiver.requirement, waiverText(waiver), verdictStyles.inconclusive),
    ),
    '',
    '',
  ].join('\n')
}
