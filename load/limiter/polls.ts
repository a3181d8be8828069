import { type Candidates, estimates, firstBurst } from './candidates.ts'
import type { ExperimentLog } from './experiment.ts'
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
export async function pollUntilAdmitted(log: ExperimentLog): Promise<void> {
  const throttledAt = log.last?.endedAt ?? 0
  let wait = firstWaitMs
  while (!log.isOver) {
    const dataPoint = await log.send(throttledAt + wait)
    if (dataPoint?.outcome === 'admitted') return
    wait = Math.min(wait * waitFactor, wait + longestIntervalMs(log))
  }
}

/** Longest interval between two polls: a late admission would leave too little time for another window. */
function longestIntervalMs(log: ExperimentLog): number {
  const { requestsLeft, msLeft } = log.constraints()
  const burst = firstBurst(log.dataPoints).requests
  return msLeft / Math.max(1, Math.min(shareOfRequestsLeft * requestsLeft, shareOfBurst * burst))
}

/**
 * When the next poll is worthwhile: a window of unknown length has to end. Polls cost less than the burst that fills
 * the limiter again after an admission that was noticed late.
 * @returns undefined: Retry-After states the end, or the limiter may admit requests one by one
 */
export function nextPollAt(log: ExperimentLog, candidates: Candidates): number | undefined {
  const { last, hasRetryAfter } = log
  if (hasRetryAfter || last?.outcome !== 'throttled') return undefined
  const left = estimates(candidates.plausible)
  if (!left.every(({ kind }) => hasPlainWindow(limiterKinds[kind]))) return undefined
  const returnSentAt = lastReturnSentAt(log)
  if (returnSentAt === undefined) return undefined
  const shortest = Math.min(...left.map(({ window }) => window.low))
  return returnSentAt + windowFactor * Math.max(last.endedAt - returnSentAt, shortest)
}

function hasPlainWindow(kind: {
  readonly hasWindow: boolean
  readonly countsPreviousWindow: boolean
}): boolean {
  return kind.hasWindow && !kind.countsPreviousWindow
}

/** When the request was sent that was the last to be admitted after a refusal. */
export function lastReturnSentAt({ dataPoints }: ExperimentLog): number | undefined {
  return refusalRuns(dataPoints).findLast(({ next }) => next !== undefined)?.next?.sentAt
}
