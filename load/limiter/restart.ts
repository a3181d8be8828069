import { admittedOf, type DataPoint } from './data-points.ts'
import type { BudgetedExperiment } from './experiment.ts'
import { hasTimeToIdle, idleWindows, sendUntilFirst429After } from './first-burst.ts'
import type { Interval } from './interval.ts'
import { maxPeriodMs } from './models/model.ts'

/**
 * Restarts after an idle period longer than the windows, with a burst, and another after Retry-After. Windows of
 * several keys, such as address and client, then begin together, and requests before the experiment no longer count.
 * A window may be longer than any Retry-After, so the idle period is longer than twice the longest one, or than that one if
 * time is short.
 * @param windows those of the best candidates
 * @returns whether both bursts admitted the same number; false also without Retry-After or enough budget
 */
export async function burstRepeatsAfterIdle(
  experiment: BudgetedExperiment,
  windows: readonly Interval[],
): Promise<boolean> {
  const { record } = experiment
  const longest = Math.max(0, ...windows.map(({ low, high }) => (high < maxPeriodMs ? high : low)))
  const retryAfterMs = Math.max(0, ...record.sent.map((dataPoint) => dataPoint.retryAfterMs ?? 0))
  const idlePeriods = [2, 1].map((count) => idleWindows * Math.max(longest, count * retryAfterMs))
  const idleMs = idlePeriods.find((ms) => hasTimeToIdle(experiment, ms))
  if (idleMs === undefined || !record.hasRetryAfter) return false
  record.discardCurrent()
  await sendUntilFirst429After(experiment, idleMs)
  const { earliest } = experiment.constraints()
  const burst = record.current.length + 1
  await experiment.sendTrial({ startAt: earliest, lead: 0, burstAt: earliest, burst })
  return repeatsBurst(record.current)
}

/** Whether two bursts admitted the same number of requests, as they do without other traffic. */
function repeatsBurst(dataPoints: readonly DataPoint[]): boolean {
  const first = dataPoints.findIndex(({ outcome }) => outcome === 'throttled')
  const after = dataPoints.slice(first + 1)
  return after.length === first + 1 && admittedOf(after) === admittedOf(dataPoints.slice(0, first))
}
