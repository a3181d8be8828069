import { verdictStyles } from '../results/queries.ts'
import { type Style, wrap } from '../text/format.ts'
import { terminalOf } from '../text/terminal.ts'
import type { FindingEffect, ReleaseDecision } from './decision.ts'
import { answer, findingGroups, grounds, waivedLines } from './text.ts'

const styles: Readonly<Record<FindingEffect, Style>> = {
  violated: verdictStyles.fail,
  undecided: verdictStyles.inconclusive,
  noted: 'dim',
}

/** A decision for a terminal: the answer first, then the reasons. */
export function decisionText(decision: ReleaseDecision, stream: NodeJS.WriteStream): string {
  const { width, paint, named, part } = terminalOf(stream)
  const [first = '', ...more] = wrap(`${answer(decision)}.`, width, 2)
  return [
    paint(decision.release ? ['bold', 'green'] : ['bold', 'red'], first),
    ...more,
    '',
    ...grounds(decision).flatMap(([label, text]) => named(label.padEnd(9), text, 'dim')),
    ...findingGroups(decision).flatMap(({ title, effect, findings }) =>
      part(
        title,
        findings.flatMap(({ subject, requirement, text }) =>
          subject === 'requirement' && requirement !== null
            ? named(requirement, text, styles[effect])
            : wrap(`  ${text}`, width, 6),
        ),
      ),
    ),
    ...part(
      'Waived',
      waivedLines(decision).flatMap(([id, text]) => named(id, text, verdictStyles.inconclusive)),
    ),
    '',
    '',
  ].join('\n')
}
