import { capitalized } from '../text/format.ts'
import { code, plain, section, table } from '../text/markdown.ts'
import type { Comparison } from './compare.ts'
import { conclusion, driftLine } from './sentences.ts'
import { baseText, type ComparisonPart, circumstances, observationChange, partsOf, runName } from './text.ts'

/** A comparison as a Markdown page. */
export function comparisonMarkdown(comparison: Comparison): string {
  const { before, after, notSelected } = comparison
  return [
    `# Plumbline: ${runName(before)} → ${runName(after)}`,
    '',
    plain(conclusion(comparison)),
    '',
    `${code(before.id)} → ${code(after.id)}`,
    ...basis(comparison),
    ...parts(comparison, 2),
    ...section('Not selected in the first run', ids(notSelected.before)),
    ...section('Not selected in the second run', ids(notSelected.after)),
    '',
  ].join('\n')
}

/** The section Drift in the summary of a run. */
export function driftMarkdown(drift: Comparison): string[] {
  // The embedded provider uses a new port in each run.
  const differsIn = drift.differsIn.filter((fact) => fact !== 'hosts' || drift.after.target !== 'embedded')
  return [`${plain(capitalized(driftLine(drift)))}.`, ...basis({ ...drift, differsIn }), ...parts(drift, 3)]
}

function basis(comparison: Comparison): string[] {
  return [...(comparison.olderBases ?? []).map(baseText), ...circumstances(comparison)].map(
    (line) => `- ${plain(line)}`,
  )
}

function parts(comparison: Comparison, level: number): string[] {
  const { drift, others } = partsOf(comparison)
  return [...drift, ...others].flatMap((part) => section(part.title, partLines(part), level))
}

function partLines(part: ComparisonPart): string[] {
  if ('ids' in part) return ids(part.ids)
  if ('groups' in part)
    return table(
      ['requirement', 'verdict', 'why'],
      part.groups.map(({ ids, change, reason }) => [ids.join(', '), plain(change), plain(reason)]),
    )
  return table(
    ['observation', 'change', 'requirement'],
    part.observations.map((one) => [plain(one.key), plain(observationChange(one)), one.requirement]),
  )
}

function ids(list: readonly string[]): string[] {
  return list.length === 0 ? [] : [list.join(', ')]
}
