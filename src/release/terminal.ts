import { verdictStyles } from '../results/queries.ts'
import { type Style, wrap } from '../text/format.ts'
import { terminalOf } from '../text/terminal.ts'
import type { Decision, Effect } from './decision.ts'
import { answer, followerText, grounds, groups, waiverText } from './words.ts'

const styles: Readonly<Record<Effect, Style>> = {
  violated: verdictStyles.fail,
  undecided: verdictStyles.inconclusive,
  noted: 'dim',
}

/** A decision for people: yes or no first, then why. */
export function decisionText(decision: Decision, stream: NodeJS.WriteStream): string {
  const { width, paint, named } = terminalOf(stream)
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
    ...(decision.waived.length + decision.following.length > 0 ? ['', paint('bold', 'Waived')] : []),
    ...decision.waived.flatMap((waiver) =>
      named(waiver.requirement, waiverText(waiver), verdictStyles.inconclusive),
    ),
    ...decision.following.flatMap((one) =>
      named(one.requirement, followerText(one), verdictStyles.inconclusive),
    ),
    '',
    '',
  ].join('\n')
}
