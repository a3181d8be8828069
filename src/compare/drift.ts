import { selects } from '../check/selection.ts'
import type { Verdict } from '../check/verdict.ts'
import { isDecided } from '../results/outcome.ts'
import type { PastRun } from '../results/past-runs.ts'
import type { RequirementResult, RunResults } from '../results/results.ts'
import { compare } from './compare.ts'
import type { Base, Comparison, VerdictDifference, ViolatedSince } from './comparison.ts'

/** `drift` where the target behaves otherwise, `none` where it does not, `undecided` where neither is known. */
type DriftVerdict = 'drift' | 'none' | 'undecided'

/** How many earlier runs drift looks back on. */
const mostRuns = 10

/**
 * What a comparison says about the target. Requirements that a version of Plumbline adds or drops, and requirements that
 * apply in one run only, are no change of its behaviour; but a requirement that is no longer checked may hide one.
 */
export function driftVerdict(comparison: Comparison): DriftVerdict {
  const { changed, observations, undecided, alike } = comparison
  if (changed.length + observations.length + noLongerChecked(comparison).length > 0) return 'drift'
  return undecided.length > 0 || alike.requirements === 0 ? 'undecided' : 'none'
}

/**
 * Requirements of one target that the earlier run decided and the configuration of the later one rules out, for example
 * because TEST_USER is missing. Profiles of two targets rule out different requirements.
 */
export function noLongerChecked({ before, after, applicability }: Comparison): VerdictDifference[] {
  if (before.target !== after.target) return []
  return applicability.filter(
    (one) =>
      isDecided(one.before.verdict) &&
      one.after.verdict === 'not-applicable' &&
      one.after.cause === 'configuration',
  )
}

/**
 * How a run differs from the last runs that can be compared with it: each requirement is compared with the last run that
 * decided it.
 * @param past the runs beside it that began before it, the newest first
 * @returns undefined where the run was cut off, or there is no such run
 */
export function driftOf(results: RunResults, past: readonly PastRun[]): Comparison | undefined {
  if (!results.run.completed) return undefined
  const [newest, ...older] = comparableRuns(results, past)
  if (!newest) return undefined
  const { base, olderBases } = baseOf(newest, older)
  return {
    ...compare(base, results),
    olderBases,
    violatedSince: violatedSince(results, [newest, ...older]),
  }
}

/** Runs that drift can be seen against, the newest first. A broken run, or one of a newer format, is left out. */
function comparableRuns(results: RunResults, past: readonly PastRun[]): RunResults[] {
  const found: RunResults[] = []
  for (const run of past) {
    const earlier = canPrecede(run.head.run ?? {}, results) ? run.results : undefined
    if (earlier && sharesProbes(earlier, results)) found.push(earlier)
    if (found.length === mostRuns) break
  }
  return found
}

/** Whether a run was completed, is of the same target and kind, and selected all that another selected. */
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
 * Probe runs choose probes and endpoints, which their selection does not hold. They judge every 429 alike, so only the
 * probes that observed something tell whether two runs are comparable.
 */
function sharesProbes(earlier: RunResults, results: RunResults): boolean {
  if (results.run.kind === 'check') return true
  const probes = probesOf(earlier)
  return probesOf(results).some((probe) => probes.includes(probe))
}

function probesOf({ requirements }: RunResults): string[] {
  return requirements
    .filter(({ level }) => level === 'silent')
    .flatMap(({ checks }) => checks.map(({ name }) => name))
}

/**
 * What a run is compared with: for each requirement the newest run that decided it, with its observations, so that a
 * night in which it was undecided hides nothing; for requirements that no run decided, the newest run.
 */
function baseOf(
  newest: RunResults,
  older: readonly RunResults[],
): { readonly base: RunResults; readonly olderBases: readonly Base[] } {
  const sources = new Map<string, RunResults>()
  const requirements = newest.requirements.map((requirement) => {
    const source = isDecided(requirement.verdict)
      ? undefined
      : older.find((run) => isDecided(verdictIn(run, requirement.id) ?? 'not-applicable'))
    if (!source) return requirement
    sources.set(requirement.id, source)
    return resultIn(source, requirement.id) ?? requirement
  })
  const observations = [newest, ...older].flatMap((run) =>
    run.observations.filter(({ requirement }) => (sources.get(requirement) ?? newest) === run),
  )
  const olderBases = older
    .map((run) => ({
      id: run.run.id,
      startedAt: run.run.startedAt,
      requirements: [...sources].filter(([, source]) => source === run).map(([id]) => id),
    }))
    .filter((base) => base.requirements.length > 0)
  return { base: { ...newest, requirements, observations }, olderBases }
}

/**
 * The first of the earlier runs since which a requirement is violated without a run between that decided otherwise, and
 * how many runs saw it, this run included; by requirement, without those that no earlier run saw.
 * @param earlier the newest first
 */
function violatedSince(
  { requirements }: RunResults,
  earlier: readonly RunResults[],
): Readonly<Record<string, ViolatedSince>> {
  const since = requirements
    .filter(({ verdict }) => verdict === 'fail')
    .flatMap(({ id }) => {
      const held = earlier.findIndex((run) => ['pass', 'observed'].includes(verdictIn(run, id) ?? ''))
      const streak = (held === -1 ? earlier : earlier.slice(0, held)).filter(
        (run) => verdictIn(run, id) === 'fail',
      )
      const first = streak.at(-1)
      return first ? [[id, { startedAt: first.run.startedAt, runs: streak.length + 1 }] as const] : []
    })
  return Object.fromEntries(since)
}

function resultIn({ requirements }: RunResults, id: string): RequirementResult | undefined {
  return requirements.find((requirement) => requirement.id === id)
}

function verdictIn(run: RunResults, id: string): Verdict | undefined {
  return resultIn(run, id)?.verdict
}
