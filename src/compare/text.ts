import type { Verdict } from '../check/verdict.ts'
import { isConclusive, type RequirementOutcome } from '../results/outcome.ts'
import { selectionParts, valueText } from '../results/text.ts'
import { capitalized, counted, minuteOf, someOf } from '../text/format.ts'
import type {
  Base,
  ComparedRun,
  Comparison,
  ObservationDifference,
  VerdictDifference,
  ViolatedSince,
} from './comparison.ts'
import { driftVerdict, newlyChecked, noLongerChecked, notCompared } from './drift.ts'

// Sentences and parts that terminal, Markdown and HTML share.

/** A part of a comparison: its differences of verdicts in groups, its observations, or ids alone. */
export type ComparisonPart = {
  readonly title: string
  /** Number of requirements or observations; never 0. */
  readonly count: number
} & (
  | { readonly groups: readonly DifferenceGroup[] }
  | { readonly observations: readonly ObservationDifference[] }
  | { readonly ids: readonly string[] }
)

/** Differences of verdicts that have the same change and the same reason. */
export interface DifferenceGroup {
  readonly ids: readonly string[]
  readonly change: string
  /** Empty if there is none. */
  readonly reason: string
  /** The later verdict. */
  readonly verdict: Verdict
}

/** The parts of a comparison in order: first those that are drift, then the others. */
export function partsOf(comparison: Comparison): {
  readonly drift: readonly ComparisonPart[]
  readonly others: readonly ComparisonPart[]
} {
  const { changed, observations, undecided, applicability, appeared, vanished } = comparison
  const [unchecked, checked] = [noLongerChecked(comparison), newlyChecked(comparison)]
  const once = applicability.filter((one) => !unchecked.includes(one) && !checked.includes(one))
  const verdicts = (title: string, differences: readonly VerdictDifference[]) => ({
    title,
    count: differences.length,
    groups: grouped(differences),
  })
  const requirements = (title: string, ids: readonly string[]) => ({ title, count: ids.length, ids })
  const isPresent = ({ count }: ComparisonPart) => count > 0
  return {
    drift: [
      verdicts('Changed verdicts', changed),
      { title: 'Changed observations', count: observations.length, observations },
      verdicts('No longer checked', unchecked),
    ].filter(isPresent),
    others: [
      verdicts('Inconclusive in one run or both', undecided),
      verdicts('Newly checked', checked),
      verdicts('Applicable in one run only', once),
      requirements('New requirements', appeared),
      requirements('Vanished requirements', vanished),
    ].filter(isPresent),
  }
}

function grouped(differences: readonly VerdictDifference[]): DifferenceGroup[] {
  const groups = new Map<string, DifferenceGroup & { readonly ids: string[] }>()
  for (const one of differences) {
    const [change, reason] = [changeText(one), changeReason(one)]
    const key = JSON.stringify([change, reason])
    const group = groups.get(key)
    if (group) group.ids.push(one.id)
    else groups.set(key, { ids: [one.id], change, reason, verdict: one.after.verdict })
  }
  return [...groups.values()]
}

/** `uat of 2026-11-20 03:00 UTC` */
export function runName({ target, startedAt }: ComparedRun): string {
  return `${target} of ${minuteOf(startedAt)}`
}

/** `pass → fail`, `pass → inconclusive; cause: target`: with the cause of a later verdict that is neither pass nor fail. */
export function changeText({ before, after }: VerdictDifference): string {
  const isOther = before.verdict !== after.verdict
  const causeOf = ({ verdict, cause }: RequirementOutcome) =>
    cause === null || verdict === 'fail' ? undefined : cause
  const [earlier, later] = [causeOf(before), causeOf(after)]
  const change = isOther ? `${before.verdict} → ${after.verdict}` : after.verdict
  // Of one verdict twice, the causes differ.
  if (!isOther && earlier !== undefined && later !== undefined && earlier !== later)
    return `${change}; cause: ${earlier} → ${later}`
  return later === undefined ? change : `${change}; cause: ${later}`
}

/** The reason for the later verdict, else for the earlier one; may be empty. */
function changeReason({ before, after }: VerdictDifference): string {
  if (after.reason !== null) return after.reason
  return before.reason === null ? '' : `reason before: ${before.reason}`
}

/** How an observation differs; for two lists, only the members that one of them lacks. */
export function observationChange({ before, after }: ObservationDifference): string {
  if (before === undefined) return `new: ${valueText(after ?? null)}`
  if (after === undefined) return `no longer observed, was: ${valueText(before)}`
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

/** The result of a comparison in one or two sentences. */
export function conclusion(comparison: Comparison): string {
  const { before, after, changed, observations, alike } = comparison
  const open = notCompared(comparison)
  const unchecked = noLongerCheckedText(comparison)
  const compared = `${counted(alike.requirements + changed.length, 'requirement')} that both decided`
  const differences = changed.length + observations.length
  if (differences > 0) {
    const targets = before.target === after.target ? '' : `${before.target} and ${after.target} differ: `
    const what = [...countedPart(changed, 'verdict'), ...countedPart(observations, 'observation')].join(
      ' and ',
    )
    const sentence = `${targets}${what} ${differences === 1 ? 'differs' : 'differ'}, of ${compared}.`
    return [
      sentence,
      ...appliedOnceText(comparison),
      ...(unchecked === '' ? [] : [`${capitalized(unchecked)}.`]),
    ].join(' ')
  }
  if (driftVerdict(comparison) === 'drift') return `${capitalized(unchecked)}.`
  if (alike.requirements === 0) return `${capitalized(nothingCompared)}.`
  const none =
    before.target === after.target
      ? `No verdict and no observation differs, of ${compared}.`
      : `${before.target} and ${after.target} do not differ in the ${compared}.`
  return [none, ...appliedOnceText(comparison), ...countedPart(open, 'requirement', `${inconclusive}.`)].join(
    ' ',
  )
}

/** Requirements that only one of two targets decided: `31 requirements were decided in one run only, so they were not compared.` */
function appliedOnceText({ before, after, applicability }: Comparison): string[] {
  if (before.target === after.target) return []
  const once = applicability.filter(
    (one) => isConclusive(one.before.verdict) || isConclusive(one.after.verdict),
  )
  const isOne = once.length === 1
  return countedPart(
    once,
    'requirement',
    ` ${isOne ? 'was' : 'were'} decided in one run only, so ${isOne ? 'it was' : 'they were'} not compared.`,
  )
}

const nothingCompared = 'no requirement was decided in both runs, so nothing can be compared'
const inconclusive = ' could not be compared, because a verdict is inconclusive'

/** Up to this number, a line names all changed verdicts. */
const maxChanged = 5

function ids(differences: readonly VerdictDifference[]): string[] {
  return differences.map(({ id }) => id)
}

const noEarlierRun = 'no earlier run to compare with'

/**
 * The differences from the last comparable run in one line.
 * @param drift undefined if there is no such run
 */
export function driftLine(drift: Comparison | undefined): string {
  if (!drift) return noEarlierRun
  const { before, changed, observations, appeared, vanished, alike, olderBases = [] } = drift
  const unchecked = noLongerCheckedText(drift)
  const changes = [
    ...countedPart(changed, 'verdict', ` changed (${someOf(ids(changed), '', maxChanged)})`),
    ...countedPart(observations, 'observation', ' changed'),
    ...(unchecked === '' ? [] : [unchecked]),
  ]
  const others = [
    ...countedPart(newlyChecked(drift), 'requirement', ' newly checked'),
    ...countedPart(appeared, 'requirement', ' new'),
    ...countedPart(vanished, 'requirement', ' vanished'),
  ]
  const since = `since ${baseName(before)}${olderText(olderBases)}`
  if (alike.requirements === 0 && driftVerdict(drift) === 'undecided')
    return `${since}: ${[nothingCompared, ...others].join('; ')}`
  const parts = [...(changes.length === 0 ? ['no change'] : changes), ...openParts(drift), ...others]
  return `${since}: ${parts.join('; ')}`
}

/** `2 requirements became inconclusive`, `1 requirement inconclusive in one run or both` */
function openParts(drift: Comparison): string[] {
  const open = notCompared(drift)
  const became = open.filter(
    ({ before, after }) => isConclusive(before.verdict) && !isConclusive(after.verdict),
  )
  const rest = open.filter((one) => !became.includes(one))
  return [
    ...countedPart(became, 'requirement', ' became inconclusive'),
    ...countedPart(rest, 'requirement', ' inconclusive in one run or both'),
  ]
}

/** What changed since the last comparable run, in numbers: `Changed since 2026-11-20 03:00 UTC: 2 verdicts, 1 observation.` */
export function driftSummary(drift: Comparison | undefined): string {
  if (!drift) return `${capitalized(noEarlierRun)}.`
  const { before, changed, observations } = drift
  const since = `since ${minuteOf(before.startedAt)}`
  const verdict = driftVerdict(drift)
  if (verdict === 'drift') {
    const changes = [...countedPart(changed, 'verdict'), ...countedPart(observations, 'observation')]
    const parts = [
      ...(changes.length === 0 ? [] : [changes.join(', ')]),
      ...countedPart(noLongerChecked(drift), 'requirement', ' no longer checked'),
    ]
    return `Changed ${since}: ${parts.join('; ')}.`
  }
  if (drift.alike.requirements === 0 && verdict === 'undecided') return `${capitalized(nothingCompared)}.`
  return `Nothing changed ${since}${openParts(drift)
    .map((part) => `; ${part}`)
    .join('')}.`
}

function baseName({ startedAt, id }: Base | ComparedRun): string {
  return `${minuteOf(startedAt)} (${id})`
}

/** `, and for 2 requirements since 2026-11-19 03:00 UTC (…)`; empty if there are no older bases. */
function olderText(bases: readonly Base[]): string {
  const [only] = bases
  if (!only) return ''
  const requirements = bases.flatMap((base) => base.requirements)
  const since = bases.length === 1 ? baseName(only) : 'earlier runs'
  return `, and for ${counted(requirements.length, 'requirement')} since ${since}`
}

function countedPart(list: readonly unknown[], noun: string, rest = ''): string[] {
  return list.length === 0 ? [] : [`${counted(list.length, noun)}${rest}`]
}

/** Up to this number, a sentence names the reasons why requirements are no longer checked. */
const maxReasons = 2

/** `no longer checked: 2 requirements (TEST_USER is not set: A, B)`; empty if there are none. */
function noLongerCheckedText(comparison: Comparison): string {
  const unchecked = noLongerChecked(comparison)
  const byReason = Map.groupBy(unchecked, ({ after }) => after.reason ?? 'no reason is recorded')
  if (byReason.size > maxReasons)
    return `no longer checked: ${counted(unchecked.length, 'requirement')}, for ${byReason.size} reasons`
  const parts = [...byReason].map(
    ([reason, list]) =>
      `${counted(list.length, 'requirement')} (${reason}: ${someOf(list.map(({ id }) => id))})`,
  )
  return parts.length === 0 ? '' : `no longer checked: ${parts.join(', ')}`
}

/** `2 requirements: compared with 20261119T030000Z-uat-5f0a, because later runs did not decide them` */
export function baseText({ id, requirements }: Base): string {
  const [count, them] = [
    counted(requirements.length, 'requirement'),
    requirements.length === 1 ? 'it' : 'them',
  ]
  return `${count}: compared with ${id}, because later runs did not decide ${them}`
}

/** `since 2026-11-19 03:00 UTC (3 runs)`, this run included */
export function sinceText({ startedAt, runs }: ViolatedSince): string {
  return `since ${minuteOf(startedAt)} (${counted(runs, 'run')})`
}

/** Differences between the runs themselves, apart from their time. */
export function circumstances({ before, after, differsIn }: Comparison): string[] {
  const text = {
    target: (run: ComparedRun) => run.target,
    hosts: (run: ComparedRun) => run.hosts.join(', ') || 'none',
    version: (run: ComparedRun) => run.version,
    selection: ({ selection }: ComparedRun) => selectionParts(selection).join(', ') || 'everything',
  }
  return differsIn.map((fact) => `${fact}: ${text[fact](before)} → ${text[fact](after)}`)
}
