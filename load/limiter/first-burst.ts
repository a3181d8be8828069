import type { Identified } from './conclusion.ts'
import { admittedOf, type DataPoint, longestRetryAfterMs } from './data-points.ts'
import type { BudgetedExperiment } from './experiment.ts'
import type { Interval } from './interval.ts'
import { maxPeriodMs } from './models/model.ts'
import { identifyQueue } from './queue.ts'
import { reserveOf } from './sent-together.ts'

/**
 * Pause after the first request, in milliseconds. A sliding window stops counting this request 2 s before the others,
 * and so differs from a fixed window, which stops counting all requests together.
 */
const firstPauseMs = 2000

/** Length of the idle period (after it, no earlier request counts), as a multiple of the window. */
export const idlePerWindow = 1.1

/** Longest idle period, as a share of the remaining time. */
const maxIdleShare = 0.5

/** Whether enough time for requests would be left after an idle period. */
export function hasTimeToIdle(experiment: BudgetedExperiment, idleMs: number): boolean {
  return !experiment.isOver && idleMs <= maxIdleShare * experiment.constraints().msLeft
}

/** Calls `sendUntilFirst429` after an idle period. */
export function sendUntilFirst429After(
  experiment: BudgetedExperiment,
  idleMs: number,
): Promise<Identified | undefined> {
  return sendUntilFirst429(experiment, experiment.constraints().earliest + idleMs)
}

/**
 * Sends one request after another until the first 429.
 * @param at time of the first request
 * @returns a queue, if the limiter delays requests instead of refusing them. Otherwise undefined: after a 429, or if
 * the budget is spent, except for the reserve for requests that are sent at once
 */
export async function sendUntilFirst429(
  experiment: BudgetedExperiment,
  at: number,
): Promise<Identified | undefined> {
  const first = await experiment.send(at)
  const notBefore = (first?.endedAt ?? 0) + firstPauseMs
  const reserve = reserveOf(experiment)
  while (!experiment.isOver && !experiment.isNearlyOver(reserve + 1)) {
    const dataPoint = await experiment.send(notBefore)
    if (dataPoint?.outcome === 'throttled') return undefined
    const queue = await identifyQueue(experiment)
    if (queue !== undefined) return queue
  }
  return undefined
}

/**
 * Sends a burst after an idle period and, after Retry-After, a second burst. Windows of several keys, such as address
 * and client, then start together, and earlier requests no longer count. The idle period is longer than all
 * `windows`, and than twice the longest Retry-After (or, if time is short, than the longest Retry-After).
 * @param windows ranges of the windows of the limiters that explain the most responses
 * @returns whether both bursts admitted the same number; also false without Retry-After or without enough budget
 */
export async function burstRepeatsAfterIdle(
  experiment: BudgetedExperiment,
  windows: readonly Interval[],
): Promise<boolean> {
  const { record } = experiment
  // A range up to `maxPeriodMs` has no known upper bound.
  const longest = Math.max(0, ...windows.map(({ low, high }) => (high < maxPeriodMs ? high : low)))
  const retryAfterMs = longestRetryAfterMs(record.sent)
  const idlePeriods = [2, 1].map((count) => idlePerWindow * Math.max(longest, count * retryAfterMs))
  const idleMs = idlePeriods.find((ms) => hasTimeToIdle(experiment, ms))
  if (idleMs === undefined || !record.hasRetryAfter) return false
  record.discardCurrent()
  // The result, a queue, is not needed: a limiter that has refused requests is not a queue.
  await sendUntilFirst429After(experiment, idleMs)
  const { earliest } = experiment.constraints()
  const burst = record.current.length + 1
  await experiment.sendTrial({ startAt: earliest, lead: 0, burstAt: earliest, burst })
  return repeatsBurst(record.current)
}

/** Whether two bursts admitted the same number of requests, as they do if no other client uses the key. */
function repeatsBurst(dataPoints: readonly DataPoint[]): boolean {
  const first = dataPoints.findIndex(({ outcome }) => outcome === 'throttled')
  const after = dataPoints.slice(first + 1)
  return after.length === first + 1 && admittedOf(after) === admittedOf(dataPoints.slice(0, first))
}
