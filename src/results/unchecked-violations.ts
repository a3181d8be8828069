import { type JudgedRequests, replacesEarlierVerdicts } from './judged-requests.ts'
import type { PastRun } from './past-runs.ts'
import { isDecided, type RunResults } from './results.ts'

/** A requirement that a run did not decide, and that the last run which decided it found violated. */
export interface UncheckedViolation {
  readonly id: string
  /** Id of the run that found the violation. */
  readonly run: string
  /** Its start: ISO 8601, UTC. */
  readonly startedAt: string
}

/** Maximum number of earlier runs of the target that are searched, to limit the waiting time. */
const maxRuns = 30

/**
 * The violations of earlier runs that a run can neither confirm nor refute, for example because it ran without ENABLE.
 * A violation counts in every run, a pass only in a complete one, and the pass of a check that judges requests of other
 * checks only in a run that selected all of these.
 * @param past the runs in the same folder that began earlier, newest first
 */
export function uncheckedViolations(
  { run, requirements }: RunResults,
  past: readonly PastRun[],
  judged: JudgedRequests,
): UncheckedViolation[] {
  if (run.kind !== 'check') return []
  const unknown = new Set(requirements.filter(({ verdict }) => !isDecided(verdict)).map(({ id }) => id))
  const found: UncheckedViolation[] = []
  const ofTarget = past.filter((one) => one.mayHaveTarget(run.target)).slice(0, maxRuns)
  for (const { id: earlierId, head } of ofTarget) {
    if (unknown.size === 0) break
    const { kind, target, startedAt, completed, selection } = head.run ?? {}
    if (kind !== run.kind || target !== run.target || startedAt === undefined) continue
    const isLast = replacesEarlierVerdicts(selection, judged)
    for (const { id, verdict } of head.requirements ?? []) {
      if (id === undefined || verdict === undefined || !unknown.has(id) || !isDecided(verdict)) continue
      if (verdict === 'fail') found.push({ id, run: earlierId, startedAt })
      else if (completed !== true || !isLast(id, verdict)) continue
      unknown.delete(id)
    }
  }
  return found
}
