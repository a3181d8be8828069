import { endsViolations } from './earlier-verdicts.ts'
import type { JudgedRequests } from './judged-requests.ts'
import type { PastRun } from './past-runs.ts'
import { isDecided, type RunResults } from './results.ts'

/** A requirement that a run did not decide, that an earlier run found violated, and that held in no complete run since. */
export interface EarlierViolation {
  readonly id: string
  /** Id of the run that found the violation. */
  readonly run: string
  /** Start of that run: ISO 8601, UTC. */
  readonly startedAt: string
}

/** Maximum number of earlier runs of the target that are searched, to limit the waiting time. */
const maxRuns = 30

/**
 * Violations of earlier runs whose requirements this run did not decide, for example because ENABLE was not set. A
 * violation is omitted if the requirement has held in a complete run since.
 * @param past the runs in the same folder that began earlier, newest first
 */
export function earlierViolations(
  { run, requirements }: RunResults,
  past: readonly PastRun[],
  judged: JudgedRequests,
): EarlierViolation[] {
  if (run.kind !== 'check') return []
  const notDecided = new Set(requirements.filter(({ verdict }) => !isDecided(verdict)).map(({ id }) => id))
  const violations: EarlierViolation[] = []
  const ofTarget = past.filter((one) => one.mayHaveTarget(run.target)).slice(0, maxRuns)
  for (const one of ofTarget) {
    if (notDecided.size === 0) break
    const { run: earlier = {}, requirements: earlierRequirements } = one.head
    const { kind, target, startedAt } = earlier
    if (kind !== run.kind || target !== run.target || startedAt === undefined) continue
    const endsViolation = endsViolations(earlier, judged)
    const verdicts = new Map(earlierRequirements?.map(({ id, verdict }) => [id, verdict]))
    for (const id of notDecided) {
      const verdict = verdicts.get(id)
      if (verdict === 'fail') violations.push({ id, run: one.id, startedAt })
      if (verdict === 'fail' || endsViolation(id, verdict)) notDecided.delete(id)
    }
  }
  return violations
}
