import { verdictStyles } from '../results/text.ts'
import { counted, someOf, wrap } from '../text/format.ts'
import { type Terminal, terminalOf } from '../text/terminal.ts'
import type { Comparison } from './compare.ts'
import { conclusion } from './sentences.ts'
import {
  baseText,
  type ComparisonPart,
  circumstances,
  type DifferenceGroup,
  observationChange,
  partsOf,
  runName,
} from './text.ts'

/** Where the other ids are listed. */
const inMarkdown = ' (--markdown lists all)'

/** A comparison for people: the conclusion, then each difference. */
export function comparisonText(comparison: Comparison, stream: NodeJS.WriteStream): string {
  const terminal = terminalOf(stream)
  const { width, paint, part } = terminal
  const line = (text: string) => wrap(`  ${text}`, width, 6)
  const { before, after, notSelected } = comparison
  const unselected = [
    [notSelected.before.length, before.id],
    [notSelected.after.length, after.id],
  ] as const
  const { drift, others } = partsOf(comparison)
  return [
    '',
    paint('bold', `${runName(before)} → ${runName(after)}`),
    ...wrap(conclusion(comparison), width, 0),
    ...part('The runs', [
      `  ${before.id} → ${after.id}`,
      ...(comparison.olderBases ?? []).flatMap((base) => line(baseText(base))),
      ...circumstances(comparison).flatMap(line),
      ...unselected
        .filter(([count]) => count > 0)
        .map(([count, id]) => `  ${counted(count, 'requirement')} not selected in ${id}`),
    ]),
    ...[...drift, ...others].flatMap((one) => part(one.title, partLines(terminal, one))),
    '',
    '',
  ].join('\n')
}

function partLines(terminal: Terminal, part: ComparisonPart): string[] {
  const { width, named } = terminal
  if ('ids' in part) return wrap(`  ${part.ids.join(', ')}`, width, 2)
  if ('groups' in part) return part.groups.flatMap((group) => groupLines(terminal, group))
  return part.observations.flatMap((one) => named(one.key, observationChange(one), verdictStyles.observed))
}

function groupLines(
  { named }: Terminal,
  { ids, change, reason, isEarlier, verdict }: DifferenceGroup,
): string[] {
  const why = isEarlier ? ` (${reason})` : `; ${reason}`
  const text = reason === '' ? change : `${change}${why}`
  const [id = '', ...others] = ids
  if (others.length === 0) return named(id, text, verdictStyles[verdict])
  const list = someOf(ids, inMarkdown, 8)
  return named(counted(ids.length, 'requirement'), `${text}: ${list}`, verdictStyles[verdict])
}
