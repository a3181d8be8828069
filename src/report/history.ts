import { countVerdicts, type Verdict } from '../check/verdict.ts'
import { canPrecede } from '../compare/drift.ts'
import type { PastRun } from '../results/past-runs.ts'
import type { RunResults } from '../results/results.ts'
import { isNewerFormat } from '../results/saved-run.ts'

/** Maximum number of runs in the history of a report, including its own run. */
export const historyLength = 30

/** The last runs that are comparable with a run, and the omitted runs. */
export interface History {
  /** The oldest first; the run itself is the last if it was completed. */
  readonly runs: readonly RunResults[]
  /** Unusable runs with the reason, the newest first. */
  readonly skipped: readonly { readonly id: string; readonly why: string }[]
  /** Ids of runs of the same target and kind that checked less than this run, the newest first. */
  readonly partial: readonly string[]
}

/**
 * The history of a run: earlier runs in the same folder, on the same target, of the same kind, with at least the same
 * selection. It is read from these runs each time, so that it cannot become stale.
 * @param past the newest first
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

/** An earlier run, or why it is unusable; `other` if its target or kind differs. */
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

/** Looks up the verdicts of a requirement in the runs, the oldest first; null if a run lacks it. */
export function verdictsOver(runs: readonly RunResults[]): (id: string) => (Verdict | null)[] {
  const byRun = runs.map(({ requirements }) => new Map(requirements.map(({ id, verdict }) => [id, verdict])))
  return (id) => byRun.map((verdicts) => verdicts.get(id) ?? null)
}

/** Number of these requirements with each verdict in a run. */
export function countsOf(results: RunResults, ids: ReadonlySet<string>): Readonly<Record<Verdict, number>> {
  return countVerdicts(results.requirements.filter(({ id }) => ids.has(id)))
}
