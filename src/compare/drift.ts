import { selects } from '../check/selection.ts'
import type { Verdict } from '../check/verdict.ts'
import { endsViolations } from '../results/earlier-verdicts.ts'
import type { JudgedRequests } from '../results/judged-requests.ts'
import type { PastRun } from '../results/past-runs.ts'
import { probesOf } from '../results/queries.ts'
import { isDecided, type RequirementResult, type RunResults } from '../results/results.ts'
import { type Comparison, compare, type VerdictDifference } from './compare.ts'

/** `drift`: something changed; `none`: nothing changed; `inconclusive`: too little could be compared. */
type DriftVerdict = 'drift' | 'none' | 'inconclusive'

/** Maximum number of earlier runs with which a run is compared. */
const maxRuns = 10

/**
 * Whether a comparison shows drift. A requirement that is no longer checked counts as drift, because it may hide a
 * change. A requirement does not count if only one version of Plumbline has it, or if it applies only in the later run.
 */
export function driftVerdict(comparison: Comparison): DriftVerdict {
  const { changed, observations, alike } = comparison
  if (changed.length + observations.length + noLongerChecked(comparison).length > 0) return 'drift'
  return notCompared(comparison).length > 0 || alike.requirements === 0 ? 'inconclusive' : 'none'
}

/**
 * Requirements that were decided in the earlier run and do not apply in the later one, for example because TEST_USER
 * is missing. Does not include the requirements of `usedUp`.
 */
export function noLongerChecked(comparison: Comparison): VerdictDifference[] {
  return decidedBefore(comparison).filter(({ after }) => after.cause !== 'environment')
}

/** Requirements that only the earlier run could decide, because it used up what they need, such as a first consent. */
export function usedUp(comparison: Comparison): VerdictDifference[] {
  return decidedBefore(comparison).filter(({ after }) => after.cause === 'environment')
}

function decidedBefore(comparison: Comparison): VerdictDifference[] {
  return applicableOnce(comparison).filter(({ before }) => isDecided(before.verdict))
}

/** Requirements that did not apply in the earlier run and are decided in the later one. */
export function newlyDecided(comparison: Comparison): VerdictDifference[] {
  return applicableOnce(comparison).filter(({ after }) => isDecided(after.verdict))
}

/** Requirements that apply in one run only. Empty for different targets, because their profiles differ. */
function applicableOnce({ before, after, applicability }: Comparison): readonly VerdictDifference[] {
  return before.target === after.target ? applicability : []
}

/** Requirements that are inconclusive in one run, or in both for different causes. */
export function notCompared({ inconclusive, applicability }: Comparison): VerdictDifference[] {
  const isInconclusive = ({ before, after }: VerdictDifference) =>
    before.verdict === 'inconclusive' || after.verdict === 'inconclusive'
  return [...inconclusive, ...applicability.filter(isInconclusive)]
}

/**
 * How a run differs from the last comparable runs. Each requirement is compared with the last run that decided the
 * requirement.
 * @param past the runs in the same folder that began earlier, newest first
 * @returns undefined if the run is incomplete, or there is no comparable run
 */
export function driftOf(results: RunResults, past: readonly PastRun[]): Comparison | undefined {
  if (!results.run.completed) return undefined
  const [newest, ...older] = comparableRuns(results, past)
  if (!newest) return undefined
  return { ...comparisonWith(newest, older, results), ...startsOfViolations(results, past) }
}

/** Comparable runs, newest first, without damaged runs and runs of a newer format. */
function comparableRuns(results: RunResults, past: readonly PastRun[]): RunResults[] {
  const comparable: RunResults[] = []
  for (const run of past) {
    const mayPrecede = run.mayHaveTarget(results.run.target) && canPrecede(run.head.run ?? {}, results)
    const earlier = mayPrecede ? run.results : undefined
    if (earlier && sharesProbes(earlier, results)) comparable.push(earlier)
    if (comparable.length === maxRuns) break
  }
  return comparable
}

/**
 * Whether an earlier run is complete, has the same target and kind, and selected at least the same requirements.
 * @param head the member `run` of its results.json, which may be damaged
 */
export function canPrecede(head: Partial<RunResults['run']>, { run, requirements }: RunResults): boolean {
  return (
    head.completed === true &&
    head.kind === run.kind &&
    head.target === run.target &&
    head.selection !== undefined &&
    requirements.every(selects(head.selection))
  )
}

/**
 * Whether two probe runs share a probe of the same endpoint; always true for check runs. `canPrecede` cannot compare
 * probes, because `run.selection` does not contain them.
 */
function sharesProbes(earlier: RunResults, results: RunResults): boolean {
  if (results.run.kind === 'check') return true
  const probes = probesOf(earlier)
  return probesOf(results).some((one) =>
    probes.some((other) => one.name === other.name && one.endpoint === other.endpoint),
  )
}

/**
 * Compares each requirement, and its observations, with the newest earlier run that decided the requirement. If there
 * is none, the newest run counts in which the requirement does not apply. So an inconclusive run hides no change.
 */
function comparisonWith(newest: RunResults, older: readonly RunResults[], results: RunResults): Comparison {
  const earlier = [newest, ...older]
  // The run with which each requirement is compared, by id.
  const sources = new Map(
    newest.requirements.map(({ id }) => {
      const source =
        earlier.find((run) => decides(run, id)) ??
        earlier.find((run) => verdictIn(run, id) === 'not-applicable')
      return [id, source ?? newest]
    }),
  )
  const sourceOf = (id: string) => sources.get(id) ?? newest
  const isCompared = (id: string) =>
    decides(sourceOf(id), id) && (verdictIn(results, id) ?? 'inconclusive') !== 'inconclusive'
  const compared = Map.groupBy([...sources.keys()].filter(isCompared), sourceOf)
  const [first = newest, ...others] = earlier.filter((run) => compared.has(run))
  // Requirements that are inconclusive now are compared with `first`, the run that reports name.
  for (const id of sources.keys()) if (verdictIn(results, id) === 'inconclusive') sources.set(id, first)
  // The compared results of several earlier runs, in the form of one run.
  const base = {
    ...first,
    requirements: newest.requirements.map((one) => resultIn(sourceOf(one.id), one.id) ?? one),
    observations: earlier.flatMap((run) =>
      run.observations.filter(({ requirement }) => sourceOf(requirement) === run),
    ),
  }
  const olderBases = others.map((run) => ({
    id: run.run.id,
    startedAt: run.run.startedAt,
    requirements: compared.get(run) ?? [],
  }))
  return { ...compare(base, results), olderBases }
}

function decides(run: RunResults, id: string): boolean {
  return isDecided(verdictIn(run, id))
}

function resultIn({ requirements }: RunResults, id: string): RequirementResult | undefined {
  return requirements.find((requirement) => requirement.id === id)
}

function verdictIn(run: RunResults, id: string): Verdict | undefined {
  return resultIn(run, id)?.verdict
}

/** Maximum number of earlier runs that are searched for the start of a violation, to limit the waiting time. */
const maxSearched = 60

/** The search for the start of one violation. */
interface Search {
  readonly id: string
  /** Runs with the violation, newest first. */
  readonly violated: RunResults[]
  /** Whether an earlier run found that the requirement holds, so that the search ends. */
  ended: boolean
}

/**
 * When the violations of a run began.
 * - `violatedSince`: the first run with the violation since the requirement last held, and the number of runs with the
 *   violation, including this run
 * - `newlyViolated`: violated requirements that held in the last earlier run that decided them
 * @param past the runs in the same folder that began earlier, newest first
 */
function startsOfViolations(
  results: RunResults,
  past: readonly PastRun[],
): Required<Pick<Comparison, 'violatedSince' | 'newlyViolated'>> {
  const { run, requirements } = results
  const judged = judgedIn(results)
  const searches = requirements
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ id }): Search => ({ id, violated: [], ended: false }))
  let searched = 0
  for (const one of past) {
    if (searches.every(({ ended }) => ended) || searched === maxSearched) break
    // Reading a run is slow, so `mayHaveTarget` first excludes runs by their names.
    const earlier = one.mayHaveTarget(run.target) ? one.results : undefined
    if (earlier?.run.target !== run.target || earlier.run.kind !== run.kind) continue
    searched += 1
    const ends = endsViolations(earlier.run, judged)
    for (const search of searches.filter(({ ended }) => !ended)) {
      const verdict = verdictIn(earlier, search.id)
      if (verdict === 'fail') search.violated.push(earlier)
      search.ended = ends(search.id, verdict)
    }
  }
  const reachedLimit = searched === maxSearched
  const violatedSince = searches.flatMap(({ id, violated, ended }) => {
    const first = violated.at(-1)
    if (!first) return []
    const since = { startedAt: first.run.startedAt, runs: violated.length + 1 }
    return [[id, reachedLimit && !ended ? { ...since, atLeast: true } : since] as const]
  })
  const isNew = ({ violated, ended }: Search) => ended && violated.length === 0
  return {
    violatedSince: Object.fromEntries(violatedSince),
    newlyViolated: searches.filter(isNew).map(({ id }) => id),
  }
}

/**
 * Which requests of other checks the checks of a run judge. An earlier `pass` of such a check ends a violation only if
 * the earlier run selected all these other checks.
 *
 * The areas come from the run, because loading the catalogue takes longer than comparing runs. If the run selected only
 * part of an area, it does not list the whole area. Then the entry `wholeArea` stands for all requirements of the area.
 */
function judgedIn({ run, requirements }: RunResults): JudgedRequests {
  const isSelected = selects(run.selection)
  const requirementsOf = (area: string) => {
    // No glob matches an empty id, so only a selection of whole areas contains this entry.
    const wholeArea = { id: '', area }
    if (!isSelected(wholeArea)) return [wholeArea]
    return requirements.filter((one) => one.area === area && one.checks.length > 0)
  }
  return new Map(
    requirements.map(({ id, checks }) => {
      const areas = checks.flatMap(({ judgedAreas }) => judgedAreas ?? [])
      return [id, { areas, requirements: areas.flatMap(requirementsOf) }]
    }),
  )
}
