import type { Verdict } from '../check/verdict.ts'
import { canPrecede } from '../compare/look-back.ts'
import type { PastRun } from '../results/past-runs.ts'
import type { RunResults } from '../results/results.ts'
import { isNewerFormat } from '../results/saved-run.ts'

/** How many runs a report looks back on, its own included. */
export const historyLength = 30

/** The last runs that can be held beside a run, and what was left out of them. */
export interface History {
  /** The oldest first; the run itself is the last, where it came to its end. */
  readonly runs: readonly RunResults[]
  /** Runs that tell nothing, with the reason: the newest first. */
  readonly skipped: readonly { readonly id: string; readonly why: string }[]
  /** Runs of the same target and kind that looked at less than this one. */
  readonly partial: number
}

/**
 * What led up to a run: the runs beside it that began before it, on the same target, of the same kind, and
 * looking at all that it looked at. Read from these runs each time, so that there is no state that could go stale.
 * @param past the newest first
 */
export function historyOf(results: RunResults, past: readonly PastRun[]): History {
  const runs: RunResults[] = []
  const skipped: { id: string; why: string }[] = []
  let partial = 0
  if (results.run.completed) runs.push(results)
  else skipped.push({ id: results.run.id, why: 'was cut off before its end: this report' })
  for (const run of past) {
    if (runs.length >= historyLength) break
    const found = look(run, results)
    if (found === 'other') continue
    if (found === 'partial') partial += 1
    else if ('why' in found) skipped.push({ id: run.id, why: found.why })
    else runs.push(found)
  }
  return { runs: runs.reverse(), skipped, partial }
}

/** An earlier run; or that it is not comparable, or unreadable and why. */
function look(
  past: PastRun,
  results: RunResults,
): RunResults | { readonly why: string } | 'other' | 'partial' {
  const { target, kind } = results.run
  const unreadable = { why: 'cannot be read' }
  const { run, formatVersion } = past.head
  // What a broken file is of stands in its name alone.
  if (run?.target === undefined) return past.id.includes(`-${target}-`) ? unreadable : 'other'
  if (run.target !== target || (run.kind ?? kind) !== kind) return 'other'
  if (isNewerFormat(past.head)) return { why: `is of format ${formatVersion}, which a newer Plumbline wrote` }
  if (run.completed !== true) return { why: 'was cut off before its end' }
  return canPrecede(run, results) ? (past.results ?? unreadable) : 'partial'
}

/** What a requirement came to in each run, the oldest first; null where the run does not know it. */
export function verdictsOver(
  runs: readonly RunResults[],
  ids: readonly string[],
): Map<string, (Verdict | null)[]> {
  const byRun = runs.map(({ requirements }) => new Map(requirements.map(({ id, verdict }) => [id, verdict])))
  return new Map(ids.map((id) => [id, byRun.map((verdicts) => verdicts.get(id) ?? null)]))
}

/** How many of some requirements came to each verdict in a run. */
export function countsOf(run: RunResults, ids: ReadonlySet<string>): Readonly<Record<Verdict, number>> {
  const counts = { fail: 0, inconclusive: 0, pass: 0, observed: 0, 'not-applicable': 0 }
  for (const { id, verdict } of run.requirements) if (ids.has(id)) counts[verdict] += 1
  return counts
}
