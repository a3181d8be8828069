import { type Candidates, estimates, firstBurst } from './candidates.ts'
import type { DataPoint } from './data-points.ts'
import type { BudgetedExperiment } from './experiment.ts'
import type { ExperimentRecord } from './experiment-record.ts'
import { limiterKinds } from './models/kinds.ts'
import { refusalRuns } from './refusal-runs.ts'

// A poll is one request that shows whether requests are admitted again. It is needed if refusals have no Retry-After.

/** Time from the first 429 to the first poll, in milliseconds. */
const firstWaitMs = 100

/** The time from the first 429 to the next poll is longer by this factor than the time to the previous poll. */
const waitFactor = 1.35

/** Largest cost of polls at the longest interval until the time is spent, as a share of the requests left. */
const shareOfRequestsLeft = 0.25
/** Largest cost of these polls, as a share of the first burst. */
const shareOfBurst = 0.5

/**
 * Factor of `nextPollAt`: the time since the latest admission after a refusal grows by this factor from poll to poll.
 * The next admission then determines the window well enough.
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

/** Longest interval between two polls: if a poll notices an admission late, little time is left for another window. */
function longestIntervalMs(experiment: BudgetedExperiment): number {
  const { requestsLeft, msLeft } = experiment.constraints()
  const burst = firstBurst(experiment.record.current).requests
  return msLeft / Math.max(1, Math.min(shareOfRequestsLeft * requestsLeft, shareOfBurst * burst))
}

/**
 * When the next poll is worthwhile, while a window of unknown length lasts. Polls cost less than another burst, which
 * would be needed if an admission was noticed too late.
 * @returns undefined if Retry-After states the end, or if the limiter may admit requests one by one
 */
export function nextPollAt(record: ExperimentRecord, candidates: Candidates): number | undefined {
  const { last, hasRetryAfter } = record
  if (hasRetryAfter || last?.outcome !== 'throttled') return undefined
  const possible = estimates(candidates.plausible)
  const arePlainWindows = possible
    .map(({ kind }) => limiterKinds[kind])
    .every(({ hasWindow, countsPreviousWindow }) => hasWindow && !countsPreviousWindow)
  if (!arePlainWindows) return undefined
  const returnSentAt = lastReturnSentAt(record.current)
  if (returnSentAt === undefined) return undefined
  const shortest = Math.min(...possible.map(({ window }) => window.low))
  return returnSentAt + windowFactor * Math.max(last.endedAt - returnSentAt, shortest)
}

/** When the request that ended the latest run of refusals was sent; undefined without such a request. */
export function lastReturnSentAt(dataPoints: readonly DataPoint[]): number | undefined {
  return refusalRuns(dataPoints).findLast(({ next }) => next !== undefined)?.next?.sentAt
}
