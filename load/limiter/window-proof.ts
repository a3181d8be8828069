import type { Candidates, LimiterEstimate } from './candidates.ts'
import { type Observation, retryAfterStepMs } from './experiment.ts'
import { hasRoundTime } from './interval.ts'
import { limiterKinds } from './models/kinds.ts'

// A window may only seem long: a refusal may start a ban or restart the wait. A refusal that is due to old requests alone
// excludes both (`spansHalfWindow`). If the budget ends before there is one, differences between the refusals exclude
// bans and waits that always last equally long.

/** The responses have to confirm at least this share of the estimated window. */
const confirmedShare = 0.5

/** Bans and renewed waits of one limiter differ by at most this factor, if they do not become longer on purpose. */
const maxWaitRatio = 1.2

/** Whether the refusals last too differently for bans or waits of one length. */
export function excludesConstantWaits(
  estimate: LimiterEstimate,
  { trustsRetryAfter }: Pick<Candidates, 'trustsRetryAfter'>,
  observations: readonly Observation[],
): boolean {
  return outlastsWaits(estimate, observations) || (trustsRetryAfter && countsDown(estimate, observations))
}

/**
 * Whether some 429 was due to requests older than half the window, although there was a refusal in between: earlier
 * refusals had an effect for a shorter time, both the first in a row, which may start a ban, and the last, which may
 * restart the wait.
 */
function outlastsWaits({ capacity, window }: LimiterEstimate, observations: readonly Observation[]): boolean {
  const runs = refusalRuns(observations)
  const shortest = (of: (run: RefusalRun) => number) => maxWaitRatio * Math.min(...runs.map(of))
  const banMs = shortest(({ first, admittedAt }) => admittedAt - first.sentAt)
  const waitMs = shortest(({ last, admittedAt }) => admittedAt - last.sentAt)
  return observations.some(({ outcome, sentAt }, index) => {
    if (outcome !== 'throttled') return false
    const since = sentAt - confirmedShare * window.low
    const recent = observations.slice(0, index).filter(({ endedAt }) => endedAt >= since)
    const lastRefusal = recent.findLast((earlier) => earlier.outcome === 'throttled')
    if (lastRefusal === undefined || recent.length >= capacity.low) return false
    const run = runs.find(({ last }) => last.sentAt >= lastRefusal.sentAt)
    return run !== undefined && sentAt - run.first.sentAt > banMs && sentAt - lastRefusal.sentAt > waitMs
  })
}

/** Refusals in a row. */
interface RefusalRun {
  readonly first: Observation
  readonly last: Observation
  /** When a request was admitted next. Infinity: none was. */
  readonly admittedAt: number
}

function refusalRuns(observations: readonly Observation[]): RefusalRun[] {
  const runs: RefusalRun[] = []
  let run: Observation[] = []
  const close = (admittedAt: number) => {
    const [first, last] = [run[0], run.at(-1)]
    if (first && last) runs.push({ first, last, admittedAt })
    run = []
  }
  for (const observation of observations) {
    if (observation.outcome === 'throttled') run.push(observation)
    if (observation.outcome === 'admitted') close(observation.endedAt)
  }
  close(Number.POSITIVE_INFINITY)
  return runs
}

/**
 * Whether Retry-After counts down to the end of a typical window. A ban or a renewed wait would state the same time at
 * each refusal; if Retry-After always exceeds the wait by some time, then by less than the shortest Retry-After.
 */
function countsDown({ kind, window }: LimiterEstimate, observations: readonly Observation[]): boolean {
  if (!limiterKinds[kind].resets || !hasRoundTime(window)) return false
  const stated = observations.flatMap(({ retryAfterMs }) => retryAfterMs ?? [])
  const shortest = Math.min(...stated)
  return shortest < confirmedShare * window.low && Math.max(...stated) - shortest > retryAfterStepMs
}
