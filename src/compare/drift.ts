import { selects } from '../check/selection.ts'
import type { Verdict } from '../check/verdict.ts'
import { isDecided } from '../results/outcome.ts'
import type { PastRun } from '../results/past-runs.ts'
import type { RequirementResult, RunResults } from '../results/results.ts'
import { compare } from './compare.ts'
import type { Base, Comparison, VerdictDifference, ViolatedSince } from './comparison.ts'

/** `drift`: the target behaves differently; `none`: it does not; `undecided`: unknown. */
type DriftVerdict = 'drift' | 'none' | 'undecided'

/** Maximum number of earlier runs that drift considers. */
const mostRuns = 10

/**
 * Whether a comparison shows drift. Requirements that a version of Plumbline adds or drops, or that apply in one run
 * only, are not a change of the target's behaviour; but a requirement that is no longer checked may hide a change.
 */
export function driftVerdict(comparison: Comparison): DriftVerdict {
  const { changed, observations, undecided, alike } = comparison
  if (changed.length + observations.length + noLongerChecked(comparison).length > 0) return 'drift'
  return undecided.length > 0 || alike.requirements === 0 ? 'undecided' : 'none'
}

/**
 * Requirements that were conclusive in the earlier run and do not apply with the configuration of the later one, for
 * example because TEST_USER is missing. Empty for different targets, whose profiles permit different requirements.
 */
export function noLongerChecked({ before, after, applicability }: Comparison): VerdictDifference[] {
  if (before.target !== after.target) return []
  return applicability.filter((one) => isDecided(one.before.verdict) && one.after.cause === 'configuration')
}

/**
 * How a run differs from the last comparable runs: each requirement is compared with the last run in which it is
 * conclusive.
 * @param past the runs in the same folder that began earlier, newest first
 * @returns undefined if the run is incomplete, or there is no comparable run
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

/** Comparable runs, newest first, without damaged runs and runs of a newer format. */
function comparableRuns(results: RunResults, past: readonly PastRun[]): RunResults[] {
  const found: RunResults[] = []
  for (const run of past) {
    const earlier = canPrecede(run.head.run ?? {}, results) ? run.results : undefined
    if (earlier && sharesProbes(earlier, results)) found.push(earlier)
    if (found.length === mostRuns) break
  }
  return found
}

/** Whether a run is complete, has the same target and kind, and selected at least the same requirements. */
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
 * Whether two probe runs have a probe in common: their selection does not contain the chosen probes and endpoints.
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
 * The base of a comparison: for each requirement the newest run in which it is conclusive, with its observations, so
 * that an inconclusive night hides no change; else the newest run.
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
 * For each requirement that an earlier run found violated: the first run since which no run found that it holds, and the
 * number of runs with the violation, including this one.
 * @param earlier newest first
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
