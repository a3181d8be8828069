import type { Verdict } from '../check/verdict.ts'
import type { RequirementOutcome } from '../results/results.ts'
import { observationName, selectionParts, valueText, verdictStyles } from '../results/text.ts'
import { capitalized, counted, minuteOf, someOf, wrap } from '../text/format.ts'
import { code, plain, section, table } from '../text/markdown.ts'
import { type Terminal, terminalOf } from '../text/terminal.ts'
import type {
  Base,
  ComparedRun,
  Comparison,
  ObservationDifference,
  VerdictDifference,
  ViolatedSince,
} from './compare.ts'
import { newlyDecided, noLongerChecked, notCompared } from './drift.ts'
import { conclusion, driftLine, hasOtherHosts } from './sentences.ts'

// Comparisons for terminal and Markdown, and the parts that the HTML pages also show.

/** A part of a comparison under one title: groups of changed verdicts, observations, or ids of requirements. */
export type ComparisonSection = {
  readonly title: string
  /** Number of requirements or observations; never 0. */
  readonly count: number
} & (
  | { readonly groups: readonly DifferenceGroup[] }
  | { readonly observations: readonly ObservationDifference[] }
  | { readonly ids: readonly string[] }
)

/** Requirements with the same change of verdict and the same reason. */
interface DifferenceGroup {
  readonly ids: readonly string[]
  readonly change: string
  /** Empty if there is none. */
  readonly reason: string
  /** Whether `reason` is that of the earlier verdict. */
  readonly isEarlier: boolean
  /** The later verdict. */
  readonly verdict: Verdict
}

/** The parts of a comparison that are not empty, in order. */
export function partsOf(comparison: Comparison): {
  readonly drift: readonly ComparisonSection[]
  readonly others: readonly ComparisonSection[]
} {
  const { changed, observations, applicability, appeared, vanished } = comparison
  const [unchecked, decided] = [noLongerChecked(comparison), newlyDecided(comparison)]
  const uncompared = notCompared(comparison)
  const listed = [unchecked, decided, uncompared]
  const decidedOnce = applicability.filter((one) => !listed.some((part) => part.includes(one)))
  const verdicts = (title: string, differences: readonly VerdictDifference[]) => ({
    title,
    count: differences.length,
    groups: grouped(differences),
  })
  const requirements = (title: string, ids: readonly string[]) => ({ title, count: ids.length, ids })
  const isPresent = ({ count }: ComparisonSection) => count > 0
  return {
    drift: [
      verdicts('Changed verdicts', changed),
      { title: 'Changed observations', count: observations.length, observations },
      verdicts('No longer checked', unchecked),
    ].filter(isPresent),
    others: [
      verdicts('Inconclusive in one run or both', uncompared),
      verdicts('Newly decided', decided),
      verdicts('Decided in one run only', decidedOnce),
      requirements('New requirements', appeared),
      requirements('Vanished requirements', vanished),
    ].filter(isPresent),
  }
}

function grouped(differences: readonly VerdictDifference[]): DifferenceGroup[] {
  const groups = new Map<string, DifferenceGroup & { readonly ids: string[] }>()
  for (const one of differences) {
    const change = changeText(one)
    const { reason, isEarlier } = changeReason(one)
    const key = JSON.stringify([change, reason])
    const group = groups.get(key)
    if (group) group.ids.push(one.id)
    else groups.set(key, { ids: [one.id], change, reason, isEarlier, verdict: one.after.verdict })
  }
  return [...groups.values()]
}

/** `uat of 2026-11-20 03:00 UTC` */
function runName({ target, startedAt }: ComparedRun): string {
  return `${target} of ${minuteOf(startedAt)}`
}

/** `pass → fail`, `pass → inconclusive; cause: target`. The cause of the verdict `fail` is omitted. */
export function changeText({ before, after }: VerdictDifference): string {
  const isOtherVerdict = before.verdict !== after.verdict
  const causeOf = ({ verdict, cause }: RequirementOutcome) =>
    cause === null || verdict === 'fail' ? undefined : cause
  const [earlier, later] = [causeOf(before), causeOf(after)]
  const change = isOtherVerdict ? `${before.verdict} → ${after.verdict}` : after.verdict
  // Inconclusive in both runs, for different causes.
  if (!isOtherVerdict && earlier !== undefined && later !== undefined && earlier !== later)
    return `${change}; cause: ${earlier} → ${later}`
  return later === undefined ? change : `${change}; cause: ${later}`
}

/**
 * The reason for the later verdict, else for the earlier one: `in the first run: expected: status 400; actual: 200`.
 * Empty if neither run has a reason.
 */
function changeReason({ before, after }: VerdictDifference): Pick<DifferenceGroup, 'reason' | 'isEarlier'> {
  if (after.reason !== null) return { reason: after.reason, isEarlier: false }
  if (before.reason === null) return { reason: '', isEarlier: false }
  return { reason: `in the first run: ${before.reason}`, isEarlier: true }
}

/** How an observation differs. For two lists: the added and the removed members. */
export function observationChange({ before, after }: ObservationDifference): string {
  if (before === undefined) return `new: ${valueText(after ?? null)}`
  if (after === undefined) return `no longer observed (was ${valueText(before)})`
  const values = `${valueText(before)} → ${valueText(after)}`
  if (!Array.isArray(before) || !Array.isArray(after)) return values
  const gone = before.filter((member) => !after.includes(member))
  const added = after.filter((member) => !before.includes(member))
  const parts = [
    ...(added.length > 0 ? [`now also ${added.join(', ')}`] : []),
    ...(gone.length > 0 ? [`no longer ${gone.join(', ')}`] : []),
  ]
  return parts.join('; ') || values
}

/** `2 requirements: compared with 20261119T030000Z-uat-5f0a, because later runs did not decide them` */
function baseText({ id, requirements }: Base): string {
  const [count, them] = [
    counted(requirements.length, 'requirement'),
    requirements.length === 1 ? 'it' : 'them',
  ]
  return `${count}: compared with ${id}, because later runs did not decide ${them}`
}

/** `since 2026-11-19 03:00 UTC (3 runs)`, including this run; `since at least …` if the violation may be older */
export function sinceText({ startedAt, runs, atLeast = false }: ViolatedSince): string {
  return `since ${atLeast ? 'at least ' : ''}${minuteOf(startedAt)} (${counted(runs, 'run')})`
}

/** How a violation is new, by the verdicts of earlier runs: `newly violated`, `not checked in earlier runs`. */
export function newViolationText(drift: Comparison, id: string): string {
  const { changed, inconclusive, applicability, newlyViolated = [], appeared } = drift
  const difference = [...changed, ...inconclusive, ...applicability].find((one) => one.id === id)
  const newly = hasOtherHosts(drift)
    ? 'not violated in the run before, which checked other hosts'
    : 'newly violated'
  if (newlyViolated.includes(id)) return newly
  if (difference?.before.verdict === 'not-applicable') return 'not checked in earlier runs'
  if (difference?.before.verdict === 'inconclusive') return 'inconclusive in earlier runs'
  return appeared.includes(id) ? 'not part of earlier runs' : newly
}

/** Differences between the runs themselves, apart from their time. */
function circumstances({ before, after, differsIn }: Comparison): string[] {
  const text = {
    target: (run: ComparedRun) => run.target,
    hosts: (run: ComparedRun) => run.hosts.join(', ') || 'none',
    version: (run: ComparedRun) => run.version,
    selection: ({ selection }: ComparedRun) => someOf(selectionParts(selection), '', 8) || 'everything',
  }
  return differsIn.map((fact) => `${fact}: ${text[fact](before)} → ${text[fact](after)}`)
}

/** Follows a shortened list of ids in a terminal. */
const inMarkdown = ' (--markdown lists all)'

/** A comparison for a terminal: the conclusion, then each difference. */
export function comparisonText(comparison: Comparison, stream: NodeJS.WriteStream): string {
  const terminal = terminalOf(stream)
  const { width, paint, part } = terminal
  const line = (text: string) => wrap(`  ${text}`, width, 6)
  const { before, after, notSelected } = comparison
  const unselected = (ids: readonly string[], run: ComparedRun) =>
    ids.length === 0 ? [] : [`  ${counted(ids.length, 'requirement')} not selected in ${run.id}`]
  const { drift, others } = partsOf(comparison)
  return [
    '',
    paint('bold', `${runName(before)} → ${runName(after)}`),
    ...wrap(conclusion(comparison), width, 0),
    ...part('The runs', [
      `  ${before.id} → ${after.id}`,
      ...(comparison.olderBases ?? []).flatMap((base) => line(baseText(base))),
      ...circumstances(comparison).flatMap(line),
      ...unselected(notSelected.before, before),
      ...unselected(notSelected.after, after),
    ]),
    ...[...drift, ...others].flatMap((one) => part(one.title, terminalPart(terminal, one))),
    '',
    '',
  ].join('\n')
}

function terminalPart(terminal: Terminal, part: ComparisonSection): string[] {
  const { width, named } = terminal
  if ('ids' in part) return wrap(`  ${part.ids.join(', ')}`, width, 2)
  if ('groups' in part) return part.groups.flatMap((group) => groupLines(terminal, group))
  return part.observations.flatMap((one) =>
    named(observationName(one.key), observationChange(one), verdictStyles.observed),
  )
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
  const differsIn = drift.differsIn.filter((fact) => fact !== 'hosts' || hasOtherHosts(drift))
  return [`${plain(capitalized(driftLine(drift)))}.`, ...basis({ ...drift, differsIn }), ...parts(drift, 3)]
}

function basis(comparison: Comparison): string[] {
  return [...(comparison.olderBases ?? []).map(baseText), ...circumstances(comparison)].map(
    (line) => `- ${plain(line)}`,
  )
}

function parts(comparison: Comparison, level: number): string[] {
  const { drift, others } = partsOf(comparison)
  return [...drift, ...others].flatMap((part) => section(part.title, markdownPart(part), level))
}

function markdownPart(part: ComparisonSection): string[] {
  if ('ids' in part) return ids(part.ids)
  if ('groups' in part)
    return table(
      ['requirement', 'verdict', 'why'],
      part.groups.map(({ ids, change, reason }) => [ids.join(', '), plain(change), plain(reason)]),
    )
  return table(
    ['observation', 'change', 'requirement'],
    part.observations.map((one) => [
      plain(observationName(one.key)),
      plain(observationChange(one)),
      one.requirement,
    ]),
  )
}

function ids(list: readonly string[]): string[] {
  return list.length === 0 ? [] : [list.join(', ')]
}
