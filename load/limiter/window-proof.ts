import type { Candidates, LimiterEstimate } from './candidates.ts'
import { type DataPoint, retryAfterStepMs, retryAfters } from './data-points.ts'
import { hasRoundTime } from './interval.ts'
import { limiterKinds } from './models/kinds.ts'
import { type RefusalRun, refusalRuns } from './refusal-runs.ts'

// A window may only seem long: a refusal may start a ban, or restart ("renew") the wait. A 429 excludes both if it was due to
// old requests alone, with no refusal since (`isWindowConfirmed`). If the budget ends before such a 429, refusals of
// different duration exclude bans and renewed waits that always last equally long (`excludesConstantWaits`).

/** The responses have to confirm at least this share of the estimated window. */
const confirmedShare = 0.5

/** Bans and renewed waits of one limiter differ by at most this factor, if they do not become longer on purpose. */
const maxWaitRatio = 1.2

/**
 * Whether the responses confirm the window: some 429 was due to requests older than half the window, without a 429 in
 * between. Otherwise the window may only seem long: Retry-After may be far too long, or each refusal may restart the wait or
 * start a ban. Always true of a limiter without windows, since it becomes fresh step by step.
 */
export function isWindowConfirmed(estimate: LimiterEstimate, dataPoints: readonly DataPoint[]): boolean {
  if (!limiterKinds[estimate.kind].hasWindow) return true
  return dueToOldRequests(estimate, dataPoints).some(({ recent }) =>
    recent.every(({ outcome }) => outcome !== 'throttled'),
  )
}

/** Whether refusals differ too much in length for bans, or renewed waits, of one length. */
export function excludesConstantWaits(
  estimate: LimiterEstimate,
  { trustsRetryAfter }: Pick<Candidates, 'trustsRetryAfter'>,
  dataPoints: readonly DataPoint[],
): boolean {
  return outlastsWaits(estimate, dataPoints) || (trustsRetryAfter && countsDown(estimate, dataPoints))
}

/** Whether some refusal lasted longer than any ban or renewed wait, if these always last equally long. */
function outlastsWaits(estimate: LimiterEstimate, dataPoints: readonly DataPoint[]): boolean {
  const runs = refusalRuns(dataPoints)
  const shortest = (from: (run: RefusalRun) => DataPoint) =>
    maxWaitRatio *
    Math.min(...runs.map((run) => (run.next?.endedAt ?? Number.POSITIVE_INFINITY) - from(run).sentAt))
  // The first refusal in a row may start a ban; the last one may restart the wait.
  const banMs = shortest(({ first }) => first)
  const waitMs = shortest(({ last }) => last)
  return dueToOldRequests(estimate, dataPoints).some(({ refused: { sentAt }, recent }) => {
    const lastRefusal = recent.findLast(({ outcome }) => outcome === 'throttled')
    if (lastRefusal === undefined) return false
    const run = runs.find(({ last }) => last.sentAt >= lastRefusal.sentAt)
    return run !== undefined && sentAt - run.first.sentAt > banMs && sentAt - lastRefusal.sentAt > waitMs
  })
}

/** A refusal that only requests older than half the window explain. */
interface DueToOld {
  readonly refused: DataPoint
  /** The requests within half the window before it. */
  readonly recent: readonly DataPoint[]
}

/** The refusals before which fewer requests than the capacity were sent within half the window. */
function dueToOldRequests(
  { capacity, window }: LimiterEstimate,
  dataPoints: readonly DataPoint[],
): DueToOld[] {
  return dataPoints.flatMap((refused, index) => {
    if (refused.outcome !== 'throttled') return []
    const since = refused.sentAt - confirmedShare * window.low
    const recent = dataPoints.slice(0, index).filter(({ endedAt }) => endedAt >= since)
    return recent.length < capacity.low ? [{ refused, recent }] : []
  })
}

/**
 * Whether Retry-After counts down to the end of a typical window. A ban or a renewed wait would state the same time at
 * each refusal. If Retry-After always exceeds the wait by the same time, this excess is at most the shortest Retry-After,
 * which therefore has to be less than half the window.
 */
function countsDown({ kind, window }: LimiterEstimate, dataPoints: readonly DataPoint[]): boolean {
  if (!limiterKinds[kind].resets || !hasRoundTime(window)) return false
  const stated = retryAfters(dataPoints)
  const shortest = Math.min(...stated)
  return shortest < confirmedShare * window.low && Math.max(...stated) - shortest > retryAfterStepMs
}
