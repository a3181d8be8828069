import { verdictStyles } from '../results/text.ts'
import { type Style, wrap } from '../text/format.ts'
import { terminalOf } from '../text/terminal.ts'
import type { FindingEffect, ReleaseDecision } from './decision.ts'
import { answerText, findingGroups, grounds, neededRun, waivedLines } from './text.ts'

const styles: Readonly<Record<FindingEffect, Style>> = {
  violated: verdictStyles.fail,
  undecided: verdictStyles.inconclusive,
  noted: 'dim',
}

const colours = { yes: 'green', no: 'red', 'no decision': 'yellow' } as const

/**
 * A decision for a terminal: the answer first, then the reasons, at the end the run that would decide.
 * @param file the policy file
 */
export function decisionText(decision: ReleaseDecision, stream: NodeJS.WriteStream, file: string): string {
  const { width, paint, named, part } = terminalOf(stream)
  const [first = '', ...more] = wrap(answerText(decision.answer, decision.because), width, 2)
  return [
    paint(['bold', colours[decision.answer]], first),
    ...more,
    '',
    ...grounds(decision, file).flatMap(([label, text]) => named(label.padEnd(11), text, 'dim')),
    ...findingGroups(decision).flatMap(({ title, effect, lines }) =>
      part(
        title,
        lines.flatMap(({ name, text }) =>
          name === undefined ? wrap(`  ${text}`, width, 6) : named(name, text, styles[effect]),
        ),
      ),
    ),
    ...part(
      'Waived',
      waivedLines(decision).flatMap(([id, text]) => named(id, text, verdictStyles.inconclusive)),
    ),
    ...needed(decision, width),
    '',
    '',
  ].join('\n')
}

function needed(decision: ReleaseDecision, width: number): string[] {
  const run = neededRun(decision)
  return run ? ['', ...wrap(run.text, width, 2), `  ${run.command}`] : []
}
