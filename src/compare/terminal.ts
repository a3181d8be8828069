import { verdictStyles } from '../results/queries.ts'
import { counted, wrap } from '../text/format.ts'
import { terminalOf } from '../text/terminal.ts'
import type { Comparison, VerdictDifference } from './comparison.ts'
import {
  baseText,
  changeReason,
  changeText,
  circumstances,
  conclusion,
  headings,
  observationChange,
  runName,
} from './text.ts'

/** A comparison for people: the conclusion, then each difference. */
export function comparisonText(comparison: Comparison, stream: NodeJS.WriteStream): string {
  const { width, paint, named } = terminalOf(stream)
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', paint('bold', title), ...lines]
  const line = (text: string, hang = 6) => wrap(`  ${text}`, width, hang)
  const ids = (list: readonly string[]) => (list.length === 0 ? [] : line(list.join(', '), 2))
  const verdicts = (differences: readonly VerdictDifference[]) =>
    differences.flatMap((one) => {
      const text = [changeText(one), changeReason(one)].filter((some) => some !== '').join(': ')
      return named(one.id, text, verdictStyles[one.after.verdict])
    })
  const { before, after, observations, notSelected } = comparison
  const unselected = [
    [notSelected.before.length, before.id],
    [notSelected.after.length, after.id],
  ] as const
  return [
    '',
    paint('bold', `${runName(before)} → ${runName(after)}`),
    ...wrap(conclusion(comparison), width, 0),
    ...part('The runs', [
      `  ${before.id} → ${after.id}`,
      ...(comparison.olderBases ?? []).flatMap((base) => line(baseText(base))),
      ...circumstances(comparison).flatMap((text) => line(text)),
      ...unselected
        .filter(([count]) => count > 0)
        .map(([count, id]) => `  ${counted(count, 'requirement')} not selected in ${id}`),
    ]),
    ...part(headings.changed, verdicts(comparison.changed)),
    ...part(
      headings.observations,
      observations.flatMap((one) => named(one.key, observationChange(one), verdictStyles.observed)),
    ),
    ...part(headings.undecided, verdicts(comparison.undecided)),
    ...part(headings.applicability, verdicts(comparison.applicability)),
    ...part(headings.appeared, ids(comparison.appeared)),
    ...part(headings.vanished, ids(comparison.vanished)),
    '',
    '',
  ].join('\n')
}
