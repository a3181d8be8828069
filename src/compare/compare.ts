import type { Measurement, Observation } from '../check/result.ts'
import { selects } from '../check/selection.ts'
import type { Verdict } from '../check/verdict.ts'
import {
  isDecided,
  type RequirementOutcome,
  type RequirementResult,
  type RunResults,
  requirementOutcome,
} from '../results/results.ts'
import { valueText } from '../results/text.ts'
import { SetupError } from '../target/problem.ts'

type ObservedValue = Observation['value']

export type ComparedRun = Pick<
  RunResults['run'],
  'id' | 'kind' | 'target' | 'hosts' | 'startedAt' | 'version' | 'selection'
>

export interface VerdictDifference {
  readonly id: string
  readonly before: RequirementOutcome
  readonly after: RequirementOutcome
  /** Checks of the requirement with different verdicts. A verdict is null if only the other run has the check. */
  readonly checks: readonly {
    readonly name: string
    readonly before: Verdict | null
    readonly after: Verdict | null
  }[]
}

/** An observation that differs; without `before` or `after` if only one run has it. */
export interface ObservationDifference {
  readonly key: string
  readonly requirement: string
  readonly before?: ObservedValue
  readonly after?: ObservedValue
}

/**
 * The differences between two runs, and what could not be compared. Swapping the runs only swaps `before` and `after`,
 * and `appeared` and `vanished`.
 */
export interface Comparison {
  readonly formatVersion: 1
  readonly before: ComparedRun
  readonly after: ComparedRun
  readonly differsIn: readonly ('target' | 'hosts' | 'version' | 'selection')[]
  /** Requirements that both runs decided, with different verdicts of the requirement or of its checks. */
  readonly changed: readonly VerdictDifference[]
  /** Requirements that are inconclusive in one run, or in both for different causes. */
  readonly inconclusive: readonly VerdictDifference[]
  /** Requirements that are applicable in one run only. */
  readonly applicability: readonly VerdictDifference[]
  readonly observations: readonly ObservationDifference[]
  /** Ids that only the catalogue of the later run contains. */
  readonly appeared: readonly string[]
  /** Ids that only the catalogue of the earlier run contains. */
  readonly vanished: readonly string[]
  /** For each run, the ids that its selection excludes, but that the other run contains. */
  readonly notSelected: { readonly before: readonly string[]; readonly after: readonly string[] }
  readonly alike: {
    /** Requirements that both runs decided, without a difference. */
    readonly requirements: number
    /** Observations that are equal in both runs. */
    readonly observations: number
    /** Requirements that are inconclusive in both runs for the same cause. */
    readonly inconclusive: number
  }
  /** Only for drift (drift.ts): the older runs with which some requirements are compared, newest first. */
  readonly olderBases?: readonly Base[]
  /** Only for drift: by requirement id, the start of each violation that an earlier run found, too. */
  readonly violatedSince?: Readonly<Record<string, ViolatedSince>>
  /** Only for drift: ids of violated requirements that held in the last earlier run that decided them. */
  readonly newlyViolated?: readonly string[]
}

/** An older run with which drift compares requirements that later runs did not decide. */
export interface Base extends Pick<RunResults['run'], 'id' | 'startedAt'> {
  /** Ids of these requirements. */
  readonly requirements: readonly string[]
}

export interface ViolatedSince {
  /** Start of the first run with the violation: ISO 8601, UTC. */
  readonly startedAt: string
  /** Number of runs with the violation. */
  readonly runs: number
  /** Whether the violation may have begun earlier, in a run that was not searched. */
  readonly atLeast?: boolean
}

/** Compares two completed runs. */
export function compare(before: RunResults, after: RunResults): Comparison {
  const earlier = byId(before)
  const later = byId(after)
  const pairs = [...earlier.values()]
    .flatMap((one) => {
      const other = later.get(one.id)
      return other ? [[one, other] as const] : []
    })
    .sort(([one], [other]) => (one.id < other.id ? -1 : 1))
  const decidedInBoth = new Set(
    pairs.filter((pair) => pair.every(({ verdict }) => isDecided(verdict))).map(([{ id }]) => id),
  )
  const differences = pairs.flatMap(([one, other]) => differenceOf(one, other) ?? [])
  const { changed = [], inconclusive = [], applicability = [] } = Object.groupBy(differences, partOf)
  const observations = compareObservations(before, after, decidedInBoth)
  const onlyAfter = onlyIn(later, earlier, selects(before.run.selection))
  const onlyBefore = onlyIn(earlier, later, selects(after.run.selection))
  return {
    formatVersion: 1,
    before: factsOf(before),
    after: factsOf(after),
    differsIn: (['target', 'hosts', 'version', 'selection'] as const).filter(
      (fact) => JSON.stringify(before.run[fact]) !== JSON.stringify(after.run[fact]),
    ),
    changed,
    inconclusive,
    applicability,
    observations: observations.differences,
    appeared: onlyAfter.selected,
    vanished: onlyBefore.selected,
    notSelected: { before: onlyAfter.unselected, after: onlyBefore.unselected },
    alike: {
      requirements: decidedInBoth.size - changed.length,
      observations: observations.alike,
      inconclusive: pairs.filter(isInconclusiveAlike).length,
    },
  }
}

/** @throws {SetupError} if a run is incomplete, or one is a check run and the other a probe run */
export function requireComparable(before: RunResults, after: RunResults): void {
  const refuse = (name: string, what: string) => {
    throw new SetupError({ name, what })
  }
  for (const [name, { run }] of Object.entries({ RUN_A: before, RUN_B: after }))
    if (!run.completed) refuse(name, `${run.id} is incomplete: compare completed runs`)
  const [one, other] = [before.run, after.run]
  if (one.kind !== other.kind)
    refuse(
      'RUN_A',
      `${one.id} is a ${one.kind} run and RUN_B ${other.id} is a ${other.kind} run: give two runs of the same kind`,
    )
}

function partOf({ before, after }: VerdictDifference): 'changed' | 'inconclusive' | 'applicability' {
  const verdicts = [before.verdict, after.verdict]
  if (verdicts.includes('not-applicable')) return 'applicability'
  return verdicts.includes('inconclusive') ? 'inconclusive' : 'changed'
}

function differenceOf(before: RequirementResult, after: RequirementResult): VerdictDifference | undefined {
  const outcomes = { before: requirementOutcome(before), after: requirementOutcome(after) }
  const verdictsOf = ({ checks }: RequirementResult) =>
    new Map(checks.map(({ name, verdict }) => [name, verdict]))
  const [earlier, later] = [verdictsOf(before), verdictsOf(after)]
  const checks = [...new Set([...earlier.keys(), ...later.keys()])]
    .sort()
    .map((name) => ({ name, before: earlier.get(name) ?? null, after: later.get(name) ?? null }))
    .filter((check) => check.before !== check.after)
  // A requirement that stays violated differs if one of its checks changed between `pass` and `fail`.
  const hasChangedCheck = checks.some((check) => [check.before, check.after].sort().join() === 'fail,pass')
  const hasOtherCause = before.verdict === 'inconclusive' && outcomes.before.cause !== outcomes.after.cause
  if (before.verdict === after.verdict && !hasOtherCause && !hasChangedCheck) return undefined
  return { id: before.id, ...outcomes, checks }
}

/** Whether a requirement is inconclusive in both runs for the same cause. */
function isInconclusiveAlike([before, after]: readonly [RequirementResult, RequirementResult]): boolean {
  if (before.verdict !== 'inconclusive' || after.verdict !== before.verdict) return false
  return requirementOutcome(before).cause === requirementOutcome(after).cause
}

function byId({ requirements }: RunResults): Map<string, RequirementResult> {
  return new Map(requirements.map((requirement) => [requirement.id, requirement]))
}

/**
 * Ids of requirements that only `one` run has: `unselected` if the selection of the other run excludes them, otherwise
 * `selected`.
 * @param isSelected the selection of the other run
 */
function onlyIn(
  one: ReadonlyMap<string, RequirementResult>,
  other: ReadonlyMap<string, RequirementResult>,
  isSelected: ReturnType<typeof selects>,
) {
  const only = [...one.values()].filter(({ id }) => !other.has(id))
  const ids = (selected: boolean) =>
    only
      .filter((requirement) => isSelected(requirement) === selected)
      .map(({ id }) => id)
      .sort()
  return { selected: ids(true), unselected: ids(false) }
}

function factsOf({ run }: RunResults): ComparedRun {
  const { id, kind, target, hosts, startedAt, version, selection } = run
  return { id, kind, target, hosts, startedAt, version, selection }
}

/** Measured values vary between runs. Two values count as equal if one is at most `factor` times the other. */
const tolerances: readonly { readonly key: RegExp; readonly factor: number }[] = [
  { key: /-p\d+-ms$/, factor: 2 },
  { key: /-per-second$/, factor: 1.1 },
]

/**
 * Compares observations of requirements that both runs decided. Measured values are compared if both runs measured with
 * the same probe at the same endpoint, whatever the verdicts are.
 * @param decidedInBoth ids of these requirements
 */
function compareObservations(
  before: RunResults,
  after: RunResults,
  decidedInBoth: ReadonlySet<string>,
): { readonly differences: ObservationDifference[]; readonly alike: number } {
  const [earlier, later] = [byKeyAndRequirement(before), byKeyAndRequirement(after)]
  const [earlierSeries, laterSeries] = [allSeries(before), allSeries(after)]
  const differences: ObservationDifference[] = []
  let alike = 0
  for (const [name, { key, requirement, measured }] of [...new Map([...earlier, ...later])].sort(byName)) {
    const series = seriesOf(measured)
    const comparable =
      series === undefined
        ? decidedInBoth.has(requirement)
        : earlierSeries.has(series) && laterSeries.has(series)
    if (!comparable) continue
    const [one, other] = [earlier.get(name), later.get(name)]
    if (one && other && isAlike(key, one.value, other.value)) alike += 1
    else
      differences.push({
        key,
        requirement,
        ...(one && { before: one.value }),
        ...(other && { after: other.value }),
      })
  }
  return { differences, alike }
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1)

/** Observations by `key requirement`. Several observations with the same key and requirement become one list. */
function byKeyAndRequirement({ observations }: RunResults): Map<string, Observation> {
  const merged = new Map<string, Observation>()
  for (const [name, group] of Map.groupBy(observations, ({ key, requirement }) => `${key} ${requirement}`)) {
    const [first] = group
    if (!first) continue
    const value = group.length === 1 ? first.value : group.map((one) => valueText(one.value)).sort()
    merged.set(name, { ...first, value })
  }
  return merged
}

/** The series of a measurement, `ramp of token`: all measurements of one probe, or of Artillery, at one endpoint. */
function seriesOf(measured: Measurement | undefined): string | undefined {
  return measured && `${measured.source} of ${measured.endpoint}`
}

function allSeries({ observations }: RunResults): Set<string | undefined> {
  return new Set(observations.map(({ measured }) => seriesOf(measured)))
}

/** Whether two values are equal within the tolerance of their key. The order of lists does not matter. */
function isAlike(key: string, one: ObservedValue, other: ObservedValue): boolean {
  const tolerance = tolerances.find((candidate) => candidate.key.test(key))
  if (tolerance && typeof one === 'number' && typeof other === 'number')
    return Math.max(one, other) <= Math.min(one, other) * tolerance.factor
  const sorted = (value: ObservedValue) => (Array.isArray(value) ? [...value].sort() : value)
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}
