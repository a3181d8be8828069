import { verdictStyles } from '../results/text.ts'
import { counted, someOf, wrap } from '../text/format.ts'
import { terminalOf } from '../text/terminal.ts'
import type { Comparison } from './comparison.ts'
import {
  baseText,
  circumstances,
  conclusion,
  type DifferenceGroup,
  groupsOf,
  headings,
  observationChange,
  runName,
} from './text.ts'

/** Where the other ids are listed. */
const inMarkdown = ' (--markdown lists all)'

/** A comparison for people: the conclusion, then each difference. */
export function comparisonText(comparison: Comparison, stream: NodeJS.WriteStream): string {
  const { width, paint, named } = terminalOf(stream)
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', paint('bold', title), ...lines]
  const line = (text: string, hang = 6) => wrap(`  ${text}`, width, hang)
  const ids = (list: readonly string[]) => (list.length === 0 ? [] : line(list.join(', '), 2))
  const groups = groupsOf(comparison)
  const verdicts = (differences: readonly DifferenceGroup[]) =>
    differences.flatMap(({ ids: [id = '', ...others], change, reason, verdict }) => {
      const text = reason === '' ? change : `${change}; ${reason}`
      if (others.length === 0) return named(id, text, verdictStyles[verdict])
      const list = someOf([id, ...others], inMarkdown, 8)
      return named(counted(others.length + 1, 'requirement'), `${text}: ${list}`, verdictStyles[verdict])
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
    ...part(headings.changed, verdicts(groups.changed)),
    ...part(
      headings.observations,
      observations.flatMap((one) => named(one.key, observationChange(one), verdictStyles.observed)),
    ),
    ...part(headings.noLongerChecked, verdicts(groups.noLongerChecked)),
    ...part(headings.undecided, verdicts(groups.undecided)),
    ...part(headings.newlyChecked, verdicts(groups.newlyChecked)),
    ...part(headings.applicability, verdicts(groups.applicability)),
    ...part(headings.appeared, ids(comparison.appeared)),
    ...part(headings.vanished, ids(comparison.vanished)),
    '',
    '',
  ].join('\n')
}
