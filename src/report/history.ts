import { countVerdicts, type Verdict } from '../check/verdict.ts'
import { canPrecede } from '../compare/drift.ts'
import type { PastRun } from '../results/past-runs.ts'
import type { RunResults } from '../results/results.ts'
import { isNewerFormat } from '../results/saved-run.ts'

/** Maximum number of runs in the history of a report, including its own run. */
export const historyLength = 30

/** The last comparable runs, and the runs that the history omits. */
export interface History {
  /** The oldest first. The last is the run of the report, if that run is complete. */
  readonly runs: readonly RunResults[]
  /** Unusable runs, the newest first. `why` follows the id in a sentence: `cannot be read`. */
  readonly skipped: readonly { readonly id: string; readonly why: string }[]
  /** Ids of runs of the same target and kind that checked less than this run, the newest first. */
  readonly partial: readonly string[]
}

/**
 * The history of a run: the run, and earlier runs in the same folder with the same target, the same kind and at least
 * the same selection.
 * @param past earlier runs, the newest first
 */
export function historyOf(results: RunResults, past: readonly PastRun[]): History {
  const runs: RunResults[] = []
  const skipped: { id: string; why: string }[] = []
  const partial: string[] = []
  if (results.run.completed) runs.push(results)
  else skipped.push({ id: results.run.id, why: 'ended early; it is the run of this report' })
  for (const run of past) {
    if (runs.length >= historyLength) break
    const earlier = earlierRun(run, results)
    if (earlier === 'other') continue
    if (earlier === 'partial') partial.push(run.id)
    else if ('why' in earlier) skipped.push({ id: run.id, why: earlier.why })
    else runs.push(earlier)
  }
  return { runs: runs.reverse(), skipped, partial }
}

/** An earlier run, or why it is unusable; `other` if its target or kind differs, `partial` if it selected less. */
function earlierRun(
  past: PastRun,
  results: RunResults,
): RunResults | { readonly why: string } | 'other' | 'partial' {
  const { target, kind } = results.run
  const unreadable = { why: 'cannot be read' }
  const { run, formatVersion } = past.head
  // The target of a damaged file is known only from its id.
  if (run?.target === undefined) return past.isNamedAfter(target) ? unreadable : 'other'
  if (run.target !== target || (run.kind ?? kind) !== kind) return 'other'
  if (isNewerFormat(past.head)) return { why: `is of format ${formatVersion}, which a newer Plumbline wrote` }
  if (run.completed !== true) return { why: 'ended early' }
  return canPrecede(run, results) ? (past.results ?? unreadable) : 'partial'
}

/** Looks up the verdicts of a requirement, in the order of the runs; null if a run lacks the requirement. */
export function verdictsOver(runs: readonly RunResults[]): (id: string) => (Verdict | null)[] {
  const byRun = runs.map(({ requirements }) => new Map(requirements.map(({ id, verdict }) => [id, verdict])))
  return (id) => byRun.map((verdicts) => verdicts.get(id) ?? null)
}

/** The number of requirements `ids` with each verdict in a run. */
export function countsOf(results: RunResults, ids: ReadonlySet<string>): Readonly<Record<Verdict, number>> {
  return countVerdicts(results.requirements.filter(({ id }) => ids.has(id)))
}
