import type { LimiterEstimate } from './candidates.ts'
import type { BudgetedExperiment, Trial } from './experiment.ts'
import { limiterKinds } from './models/kinds.ts'
import { lastReturnSentAt } from './polls.ts'

/** Verifies an estimate by an idle burst: a burst after an idle period, in which the limiter becomes fresh. */
export interface IdleBurst {
  readonly estimate: LimiterEstimate
  /** Number of earlier idle bursts from which this one must differ in phase; 0: it repeats the first one. */
  readonly earlier: number
  /** Whether requests near the end of the window are needed, since several limits would differ there. */
  readonly mayBeSeveralGrids: boolean
}

/** Idle period of the first trial, in windows: just longer than one, so that the limiter becomes fresh. */
const firstIdleWindows = 1.05

/** Each further idle period is longer by this many windows, so that its burst is at another phase of a grid. */
const furtherIdleWindows = 0.29

/** Time from the start of a window to a burst within it, in windows: more than half of it, and the burst still fits in. */
const pauseWindows = 0.6

/**
 * Idle period before an idle burst on a limiter that counts the previous window, in windows: with this share, the five
 * bursts that it may need are at different phases.
 */
const verifyingIdleWindows = 0.62

/**
 * Sends an idle burst; where several limits may be the reason, also requests just before and after the window ends.
 * A limiter that counts the previous window must explain bursts at any time: a shorter idle period saves requests.
 */
export async function sendIdleBurst(
  { estimate, earlier, mayBeSeveralGrids }: IdleBurst,
  experiment: BudgetedExperiment,
): Promise<void> {
  const { kind, window, capacity } = estimate
  if (limiterKinds[kind].countsPreviousWindow && !mayBeSeveralGrids) {
    const burstAt = experiment.constraints().earliest + verifyingIdleWindows * window.low
    return experiment.sendTrial({ startAt: burstAt, lead: 0, burstAt, burst: capacity.high + 1 })
  }
  const { earliest, endsAt } = experiment.constraints()
  const trial = idleTrial(earliest, window.low, capacity.high, earlier)
  if (trial.burstAt >= endsAt) return sendPausedBurst(estimate, experiment)
  await experiment.sendTrial(trial)
  if (!mayBeSeveralGrids) return
  for (const at of [trial.startAt + 0.97 * window.low, trial.startAt + 1.02 * window.high]) {
    if (!experiment.isOver && at > experiment.constraints().earliest) await experiment.send(at)
  }
}

/**
 * After an idle period, in which the limiter becomes fresh: one request, a pause after which a shorter window would be
 * fresh again, and a burst; every second time, the whole burst at once.
 * @param earliest start of the idle period, in milliseconds
 * @param window in milliseconds
 * @param earlier number of bursts after an idle period from which this one differs in phase
 */
export function idleTrial(earliest: number, window: number, capacity: number, earlier: number): Trial {
  const startAt = earliest + (firstIdleWindows + furtherIdleWindows * earlier) * window
  const lead = earlier % 2 === 0 ? 1 : 0
  return { startAt, lead, burstAt: startAt + lead * pauseWindows * window, burst: capacity + 1 }
}

/** Too little time for an idle period: the burst follows in a window that has just begun, if the limiter resets. */
function sendPausedBurst(
  { kind, window, capacity }: LimiterEstimate,
  experiment: BudgetedExperiment,
): Promise<void> {
  const { earliest, endsAt, requestsLeft } = experiment.constraints()
  const burst = capacity.high + 1
  const begin = limiterKinds[kind].resets ? windowBegin(experiment) : undefined
  const burstAt = Math.max(earliest, (begin?.startAt ?? endsAt) + pauseWindows * window.low)
  const isAffordable = burstAt < endsAt && burst <= requestsLeft
  return experiment.sendTrialOrEnd({ startAt: burstAt, lead: 0, ...begin, burstAt, burst, isAffordable })
}

/** When the current window began, and the requests to send at its begin; undefined: that is not known. */
function windowBegin(experiment: BudgetedExperiment): Pick<Trial, 'startAt' | 'lead'> | undefined {
  if (experiment.record.last?.retryAfterMs !== undefined)
    return { startAt: experiment.constraints().earliest, lead: 1 }
  const startAt =
    experiment.record.last?.outcome === 'admitted' ? lastReturnSentAt(experiment.record.current) : undefined
  return startAt === undefined ? undefined : { startAt, lead: 0 }
}
