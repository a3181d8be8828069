import { verdictStyles } from '../results/queries.ts'
import { counted, wrap } from '../text/format.ts'
import { terminalOf } from '../text/terminal.ts'
import type { Comparison, VerdictDifference } from './comparison.ts'
import {
  baseText,
  changeOf,
  circumstances,
  conclusion,
  headings,
  observationChange,
  reasonOf,
  runName,
} from './words.ts'

/** A comparison for people: what it comes to, then each difference. */
export function comparisonText(comparison: Comparison, stream: NodeJS.WriteStream): string {
  const { width, paint, named } = terminalOf(stream)
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', paint('bold', title), ...lines]
  const lines = (text: string, hang = 6) => wrap(`  ${text}`, width, hang)
  const difference = (one: VerdictDifference) => {
    const reason = reasonOf(one)
    return named(
      one.id,
      `${changeOf(one)}${reason === '' ? '' : `: ${reason}`}`,
      verdictStyles[one.after.verdict],
    )
  }
  const ids = (list: readonly string[]) => (list.length === 0 ? [] : lines(list.join(', '), 2))
  const { before, after, changed, undecided, applicability, observations, appeared, vanished, notSelected } =
    comparison
  const left = (count: number, run: typeof before) =>
    count === 0 ? [] : [`  ${counted(count, 'requirement')} not selected in ${run.id}`]
  return [
    '',
    paint('bold', `${runName(before)} → ${runName(after)}`),
    ...wrap(conclusion(comparison), width, 0),
    ...part('The runs', [
      `  ${before.id} → ${after.id}`,
      ...(comparison.olderBases ?? []).flatMap((base) => lines(baseText(base))),
      ...circumstances(comparison).flatMap((line) => lines(line)),
      ...left(notSelected.before.length, before),
      ...left(notSelected.after.length, after),
    ]),
    ...part(headings.changed, changed.flatMap(difference)),
    ...part(
      headings.observations,
      observations.flatMap((one) => named(one.key, observationChange(one), verdictStyles.observed)),
    ),
    ...part(headings.undecided, undecided.flatMap(difference)),
    ...part(headings.applicability, applicability.flatMap(difference)),
    ...part(headings.appeared, ids(appeared)),
    ...part(headings.vanished, ids(vanished)),
    '',
    '',
  ].join('\n')
}
