import type { LimiterEstimate } from './candidates.ts'
import type { BudgetedExperiment, Trial } from './experiment.ts'
import { limiterKinds } from './models/kinds.ts'
import { firstAdmissionAfterRefusalsSentAt } from './polls.ts'

/**
 * An idle burst is a burst after an idle period, in which the limiter becomes fresh (no longer counts earlier
 * requests). It verifies an estimate: the only possible kind of limiter, with ranges of its capacity and its window.
 */
export interface IdleBurst {
  readonly estimate: LimiterEstimate
  /**
   * Number of earlier idle bursts. This burst is at another phase (time since a window began) than the earlier
   * bursts, if windows are on a grid (begin at regular times). With 0, it has the phase of the first idle burst.
   */
  readonly earlier: number
  /**
   * Whether there may be several limits with windows at different phases (`several-grids.ts`). Only requests near the
   * end of a window distinguish several limits from a single limit.
   */
  readonly mayBeSeveralGrids: boolean
}

/** Idle period of the first idle burst, in windows: just longer than one, so that the limiter becomes fresh. */
const firstIdleWindows = 1.05

/**
 * Increase of each further idle period, in windows, so that its burst is at another phase of a grid. For example,
 * with a window of 10 s, the idle periods are 10.5 s, 13.4 s and 16.3 s.
 */
const furtherIdleWindows = 0.29

/** Time from the start of a window to a burst, in windows: over a half, but the burst ends within the window. */
const pauseWindows = 0.6

/** Idle period for a limiter that counts the previous window, in windows. So up to five bursts differ in phase. */
const verifyingIdleWindows = 0.62

/**
 * Sends an idle burst. If several grids are possible, requests just before and after the end of the window follow. If
 * the limiter counts the previous window, a shorter idle period is enough: its model predicts bursts at any time.
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
 * The trial of an idle burst: one request, a pause of 0.6 windows, and a burst. If the window is as long as
 * estimated, it still counts the single request, so the burst admits one request less than the capacity. Every second
 * trial has neither the single request nor the pause.
 * @param earliest start of the idle period, in milliseconds
 * @param window in milliseconds
 * @param earlier number of earlier idle bursts, whose phases must differ from that of this burst
 */
export function idleTrial(earliest: number, window: number, capacity: number, earlier: number): Trial {
  const startAt = earliest + (firstIdleWindows + furtherIdleWindows * earlier) * window
  const lead = earlier % 2 === 0 ? 1 : 0
  return { startAt, lead, burstAt: startAt + lead * pauseWindows * window, burst: capacity + 1 }
}

/**
 * Sends a burst without an idle period, for lack of time. Late in a window whose start is known, a burst still shows
 * whether the window is as long as estimated. Ends the experiment without a known start or enough budget.
 */
function sendPausedBurst(
  { kind, window, capacity }: LimiterEstimate,
  experiment: BudgetedExperiment,
): Promise<void> {
  const { earliest, endsAt, requestsLeft } = experiment.constraints()
  const burst = capacity.high + 1
  // Only a limiter that is fresh at the end of a window (`resets`) has a known start of the next window.
  const start = limiterKinds[kind].resets ? windowStart(experiment) : undefined
  // Without a start, `burstAt` is after the end of the experiment, so the burst is not affordable.
  const burstAt = Math.max(earliest, (start?.startAt ?? endsAt) + pauseWindows * window.low)
  const isAffordable = burstAt < endsAt && burst <= requestsLeft
  return experiment.sendTrialOrEnd({ startAt: burstAt, lead: 0, ...start, burstAt, burst, isAffordable })
}

/**
 * The start of a window, and the number of requests to send at this time; undefined if the start is not known. A
 * window starts after Retry-After, or it started with the first request that was admitted after the latest refusals.
 */
function windowStart(experiment: BudgetedExperiment): Pick<Trial, 'startAt' | 'lead'> | undefined {
  if (experiment.record.last?.retryAfterMs !== undefined)
    return { startAt: experiment.constraints().earliest, lead: 1 }
  const startAt =
    experiment.record.last?.outcome === 'admitted'
      ? firstAdmissionAfterRefusalsSentAt(experiment.record.current)
      : undefined
  return startAt === undefined ? undefined : { startAt, lead: 0 }
}
