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

/** Polls until the end of the remaining time may need at most this share of the requests left. */
const shareOfRequestsLeft = 0.25
/** Likewise, they may need at most this share of the number of requests before the first 429. */
const shareOfBurst = 0.5

/**
 * Factor from poll to poll of the time since the limiter first admitted a request again, for `nextPollAt`: 10 s, then
 * 11 s and 12.1 s. A window began at about that time. So the poll that is admitted determines the length of the
 * window within a tenth.
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
 * Longest interval between two polls. For example, with 60 s and 100 requests left after a first burst of 30
 * requests, there are at most min(25, 15) polls, so the interval is 4 s. A longer one would detect admissions late.
 */
function longestIntervalMs(experiment: BudgetedExperiment): number {
  const { requestsLeft, msLeft } = experiment.constraints()
  const burst = firstBurst(experiment.record.current).requests
  return msLeft / Math.max(1, Math.min(shareOfRequestsLeft * requestsLeft, shareOfBurst * burst))
}

/**
 * When to send the next poll while a window of unknown length lasts. A poll costs one request. Without polls, the
 * probe would notice the end of the window too late, and would need another burst.
 * @returns undefined if no poll is needed (the latest response is not a refusal, or Retry-After states the end). Also
 * undefined if the limiter may be a token bucket or sliding window counter, or has admitted none since a refusal yet.
 */
export function nextPollAt(record: ExperimentRecord, candidates: Candidates): number | undefined {
  const { last, hasRetryAfter } = record
  if (hasRetryAfter || last?.outcome !== 'throttled') return undefined
  // One estimate for each kind of limiter that is still possible, with the ranges of its values.
  const possible = estimates(candidates.plausible)
  const arePlainWindows = possible
    .map(({ kind }) => limiterKinds[kind])
    .every(({ hasWindow, countsPreviousWindow }) => hasWindow && !countsPreviousWindow)
  if (!arePlainWindows) return undefined
  const readmittedAt = firstAdmissionAfterRefusalsSentAt(record.current)
  if (readmittedAt === undefined) return undefined
  const shortest = Math.min(...possible.map(({ window }) => window.low))
  return readmittedAt + windowFactor * Math.max(last.endedAt - readmittedAt, shortest)
}

/** When the latest request was sent that was admitted directly after refusals; undefined if there is none. */
export function firstAdmissionAfterRefusalsSentAt(dataPoints: readonly DataPoint[]): number | undefined {
  return refusalRuns(dataPoints).findLast(({ next }) => next !== undefined)?.next?.sentAt
}
