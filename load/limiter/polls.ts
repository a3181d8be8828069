import { type Candidates, estimates, firstBurst } from './candidates.ts'
import type { DataPoint } from './data-points.ts'
import type { BudgetedExperiment } from './experiment.ts'
import type { ExperimentRecord } from './experiment-record.ts'
import { limiterKinds } from './models/kinds.ts'
import { refusalRuns } from './refusal-runs.ts'

// A poll is one request that shows whether requests are admitted again. It is needed if refusals have no Retry-After.

/** Time from the first 429 to the first poll, in milliseconds. */
const firstWaitMs = 100

/** Factor from poll to poll of the time since the first 429: 100 ms, 135 ms, 182 ms. */
const waitFactor = 1.35

/** Largest number of polls at the longest interval in the remaining time, as a share of the requests left. */
const shareOfRequestsLeft = 0.25
/** Largest number of these polls, as a share of the requests of the first burst. */
const shareOfBurst = 0.5

/**
 * Factor from poll to poll of the time since the latest admission after a refusal, for `nextPollAt`: 10 s, then 11 s and
 * 12.1 s. So the next admission determines the window within a tenth.
 */
const windowFactor = 1.1

/** Sends polls after the first 429 until a request is admitted. */
export async function pollUntilAdmitted(experiment: BudgetedExperiment): Promise<void> {
  const throttledAt = experiment.record.last?.endedAt ?? 0
  let wait = firstWaitMs
  while (!experiment.isOver) {
    const dataPoint = await experiment.send(throttledAt + wait)
    if (dataPoint?.outcome === 'admitted') return
    wait = Math.min(wait * waitFactor, wait + longestIntervalMs(experiment))
  }
}

/**
 * Longest interval between two polls. For example, with 60 s and 100 requests left after a burst of 30 requests, there
 * are at most min(25, 15) polls, so the interval is 4 s. A longer interval would leave little time.
 */
function longestIntervalMs(experiment: BudgetedExperiment): number {
  const { requestsLeft, msLeft } = experiment.constraints()
  const burst = firstBurst(experiment.record.current).requests
  return msLeft / Math.max(1, Math.min(shareOfRequestsLeft * requestsLeft, shareOfBurst * burst))
}

/**
 * When to send the next poll while a window of unknown length lasts. A poll costs one request. Without polls, the probe
 * would notice the end of the window too late, and would need another burst.
 * @returns undefined if no poll is needed: the latest response is no refusal, or Retry-After states the end. Also if
 * the limiter may be a token bucket or a sliding window counter, or has admitted no request after a refusal yet.
 */
export function nextPollAt(record: ExperimentRecord, candidates: Candidates): number | undefined {
  const { last, hasRetryAfter } = record
  if (hasRetryAfter || last?.outcome !== 'throttled') return undefined
  const possible = estimates(candidates.plausible)
  const arePlainWindows = possible
    .map(({ kind }) => limiterKinds[kind])
    .every(({ hasWindow, countsPreviousWindow }) => hasWindow && !countsPreviousWindow)
  if (!arePlainWindows) return undefined
  const returnSentAt = firstAdmissionAfterRefusalsSentAt(record.current)
  if (returnSentAt === undefined) return undefined
  const shortest = Math.min(...possible.map(({ window }) => window.low))
  return returnSentAt + windowFactor * Math.max(last.endedAt - returnSentAt, shortest)
}

/** When the request that ended the latest run of refusals was sent; undefined without such a request. */
export function firstAdmissionAfterRefusalsSentAt(dataPoints: readonly DataPoint[]): number | undefined {
  return refusalRuns(dataPoints).findLast(({ next }) => next !== undefined)?.next?.sentAt
}
