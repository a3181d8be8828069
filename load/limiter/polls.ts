import { type Candidates, estimates, firstBurst } from './candidates.ts'
import type { ExperimentLog } from './experiment.ts'
import { limiterKinds } from './models/kinds.ts'

// A poll is a single request to a limiter that states no Retry-After: it shows whether requests are admitted again.

/** Time from the first 429 to the first poll, in milliseconds, and factor from each poll to the next. */
const firstWaitMs = 100
const waitFactor = 1.35

/** Polls at constant intervals in all the time left may cost these shares of the requests left and of the first burst. */
const shareOfRequestsLeft = 0.25
const shareOfBurst = 0.5

/** Factor between polls once only windows are possible: the first admission then tells the window well enough. */
const windowFactor = 1.1

/** Sends polls after the first 429 until a request is admitted. */
export async function pollUntilAdmitted(log: ExperimentLog): Promise<void> {
  const throttledAt = log.last?.endedAt ?? 0
  let wait = firstWaitMs
  while (!log.isOver) {
    const observation = await log.send(throttledAt + wait)
    if (observation?.outcome === 'admitted') return
    wait = Math.min(wait * waitFactor, wait + longestGapMs(log))
  }
}

/** Longest time between two polls: a late admission would leave too little time for another window. */
function longestGapMs(log: ExperimentLog): number {
  const { requestsLeft, msLeft } = log.constraints()
  const burst = firstBurst(log.observations).requests
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
  const admittedAt = lastReturn(log)
  if (admittedAt === undefined) return undefined
  const shortest = Math.min(...left.map(({ window }) => window.low))
  return admittedAt + windowFactor * Math.max(last.endedAt - admittedAt, shortest)
}

function hasPlainWindow(kind: {
  readonly hasWindow: boolean
  readonly countsPreviousWindow: boolean
}): boolean {
  return kind.hasWindow && !kind.countsPreviousWindow
}

/** When a request was admitted for the last time after a refusal. */
export function lastReturn({ observations }: ExperimentLog): number | undefined {
  const isReturn = (index: number) =>
    observations[index]?.outcome === 'admitted' && observations[index - 1]?.outcome === 'throttled'
  return observations.findLast((_, index) => isReturn(index))?.sentAt
}
