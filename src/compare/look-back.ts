import { selects } from '../check/selection.ts'
import { isDecided } from '../results/outcome.ts'
import type { PastRun } from '../results/past-runs.ts'
import type { RequirementResult, RunResults } from '../results/results.ts'
import type { Base, ViolatedSince } from './comparison.ts'

/** How many earlier runs are looked at. */
const mostRuns = 10

/**
 * The last runs that can be compared with one: of the same target and kind, completed, and looking at all that it
 * looked at. One that is broken or of another format is no reason to end this one badly.
 * @param past the newest first, as is what comes
 */
export function comparableRuns(results: RunResults, past: readonly PastRun[]): RunResults[] {
  const found: RunResults[] = []
  for (const run of past) {
    const earlier = canPrecede(run.head.run ?? {}, results) ? run.results : undefined
    if (earlier && sharesChecks(earlier, results)) found.push(earlier)
    if (found.length === mostRuns) break
  }
  return found
}

/** Whether a run came to its end, is of the same target and kind, and looked at all that another looked at. */
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
 * What a run is held against: each requirement as the newest run that decided it saw it, with what that run observed
 * of it, so that a night in which it was undecided hides nothing; of requirements that none decided, the newest run.
 * @param earlier the newest first
 */
export function baseOf([newest, ...older]: readonly [RunResults, ...RunResults[]]): {
  readonly base: RunResults
  readonly olderBases: readonly Base[]
} {
  const sources = new Map<string, RunResults>()
  const requirements = newest.requirements.map((requirement) => {
    const { id, verdict } = requirement
    const source = isDecided(verdict)
      ? undefined
      : older.find((run) => isDecided(verdictIn(run, id) ?? 'not-applicable'))
    if (source) sources.set(id, source)
    return source ? (resultIn(source, id) ?? requirement) : requirement
  })
  const observations = [newest, ...older].flatMap((run) =>
    run.observations.filter(({ requirement }) => (sources.get(requirement) ?? newest) === run),
  )
  const olderBases = older
    .map(({ run: { id, startedAt } }, index) => ({
      id,
      startedAt,
      requirements: [...sources].filter(([, source]) => source === older[index]).map(([name]) => name),
    }))
    .filter((base) => base.requirements.length > 0)
  return { base: { ...newest, requirements, observations }, olderBases }
}

/**
 * Since when what a run found violated is so: the first of the runs that saw it, none between having decided otherwise,
 * and how many saw it, the run itself included. Nothing of what no earlier run saw.
 * @param earlier the newest first
 */
export function violatedSince(
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

function verdictIn(run: RunResults, id: string): RequirementResult['verdict'] | undefined {
  return resultIn(run, id)?.verdict
}

/**
 * Runs of probes choose probes and endpoints, which their selection does not tell. What is judged of any 429 is the
 * same in all of them, so only what a probe observed counts.
 */
function sharesChecks(earlier: RunResults, results: RunResults): boolean {
  if (results.run.kind === 'check') return true
  const made = new Set(probesOf(earlier))
  return probesOf(results).some((probe) => made.has(probe))
}

function probesOf({ requirements }: RunResults): string[] {
  return requirements
    .filter(({ level }) => level === 'silent')
    .flatMap(({ checks }) => checks.map(({ name }) => name))
}
