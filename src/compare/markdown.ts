import { capitalized } from '../text/format.ts'
import { code, plain, section, table } from '../text/markdown.ts'
import type { Comparison } from './comparison.ts'
import {
  baseText,
  circumstances,
  conclusion,
  type DifferenceGroup,
  driftLine,
  groupsOf,
  headings,
  observationChange,
  runName,
} from './text.ts'

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
    ...parts(comparison).flatMap(({ title, lines }) => section(title, lines)),
    ...section('Not selected in the first run', ids(notSelected.before)),
    ...section('Not selected in the second run', ids(notSelected.after)),
    '',
  ].join('\n')
}

/** The section Drift in the summary of a run. */
export function driftMarkdown(drift: Comparison): string[] {
  // The embedded provider uses a new port in each run.
  const differsIn = drift.differsIn.filter((fact) => fact !== 'hosts' || drift.after.target !== 'embedded')
  return [
    `${plain(capitalized(driftLine(drift)))}.`,
    ...basis({ ...drift, differsIn }),
    ...parts(drift).flatMap(({ title, lines }) => section(title, lines, 3)),
  ]
}

function basis(comparison: Comparison): string[] {
  return [...(comparison.olderBases ?? []).map(baseText), ...circumstances(comparison)].map(
    (line) => `- ${plain(line)}`,
  )
}

function parts(comparison: Comparison): { title: string; lines: string[] }[] {
  const { observations, appeared, vanished } = comparison
  const groups = groupsOf(comparison)
  const verdicts = (differences: readonly DifferenceGroup[]) =>
    table(
      ['requirement', 'verdict', 'why'],
      differences.map(({ ids, change, reason }) => [ids.join(', '), plain(change), plain(reason)]),
    )
  const observed = observations.map((one) => [plain(one.key), plain(observationChange(one)), one.requirement])
  return [
    { title: headings.changed, lines: verdicts(groups.changed) },
    { title: headings.observations, lines: table(['observation', 'change', 'requirement'], observed) },
    { title: headings.noLongerChecked, lines: verdicts(groups.noLongerChecked) },
    { title: headings.undecided, lines: verdicts(groups.undecided) },
    { title: headings.newlyChecked, lines: verdicts(groups.newlyChecked) },
    { title: headings.applicability, lines: verdicts(groups.applicability) },
    { title: headings.appeared, lines: ids(appeared) },
    { title: headings.vanished, lines: ids(vanished) },
  ]
}

function ids(list: readonly string[]): string[] {
  return list.length === 0 ? [] : [list.join(', ')]
}
