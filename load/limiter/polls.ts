import { type Candidates, estimates, firstBurst } from './candidates.ts'
import type { DataPoint } from './data-points.ts'
import type { BudgetedExperiment } from './experiment.ts'
import type { ExperimentRecord } from './experiment-record.ts'
import { limiterKinds } from './models/kinds.ts'
import { refusalRuns } from './refusal-runs.ts'

// A poll is a single request to a limiter that states no Retry-After: it shows whether requests are admitted again.

/** Time from the first 429 to the first poll, in milliseconds. */
const firstWaitMs = 100

/** From one poll to the next, the time since the first 429 grows by this factor. */
const waitFactor = 1.35

/** Polls at the longest interval, in all the time left, cost at most these shares of the requests left and of the first burst. */
const shareOfRequestsLeft = 0.25
const shareOfBurst = 0.5

/**
 * Once only windows are possible, the time since requests were admitted again grows by this factor: the next admission
 * then determines the window well enough.
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

/** Longest interval between two polls: an admission that is noticed too late leaves too little time for another window. */
function longestIntervalMs(experiment: BudgetedExperiment): number {
  const { requestsLeft, msLeft } = experiment.constraints()
  const burst = firstBurst(experiment.record.current).requests
  return msLeft / Math.max(1, Math.min(shareOfRequestsLeft * requestsLeft, shareOfBurst * burst))
}

/**
 * When the next poll is worthwhile: a window of unknown length has to end. Polls cost less than the burst that fills
 * the limiter again after an admission that was noticed late.
 * @returns undefined: Retry-After states the end, or the limiter may admit requests one by one
 */
export function nextPollAt(record: ExperimentRecord, candidates: Candidates): number | undefined {
  const { last, hasRetryAfter } = record
  if (hasRetryAfter || last?.outcome !== 'throttled') return undefined
  const left = estimates(candidates.plausible)
  const arePlainWindows = left
    .map(({ kind }) => limiterKinds[kind])
    .every(({ hasWindow, countsPreviousWindow }) => hasWindow && !countsPreviousWindow)
  if (!arePlainWindows) return undefined
  const returnSentAt = lastReturnSentAt(record.current)
  if (returnSentAt === undefined) return undefined
  const shortest = Math.min(...left.map(({ window }) => window.low))
  return returnSentAt + windowFactor * Math.max(last.endedAt - returnSentAt, shortest)
}

/** When the last request that was admitted after a refusal was sent. */
export function lastReturnSentAt(dataPoints: readonly DataPoint[]): number | undefined {
  return refusalRuns(dataPoints).findLast(({ next }) => next !== undefined)?.next?.sentAt
}
