import type { Candidates, LimiterEstimate } from './candidates.ts'
import { type DataPoint, retryAfterStepMs, retryAfters } from './data-points.ts'
import { hasRoundTime } from './interval.ts'
import { limiterKinds } from './models/kinds.ts'
import { type RefusalRun, refusalRuns } from './refusal-runs.ts'

// An estimate is the only possible kind of limiter, with ranges of its capacity and its window. The window can seem
// longer than it is: Retry-After may be far too long, or each refusal may start a ban or restart ("renew") the wait.
// `isWindowConfirmed` excludes these possibilities. If the budget is spent before the window is confirmed,
// `excludesConstantWaits` at least excludes bans and renewed waits of constant length.

/** Smallest share of the estimated window that responses must confirm. */
const confirmedShare = 0.5

/** Largest ratio of two bans, or two renewed waits, that count as equally long. */
const maxWaitRatio = 1.2

/**
 * Whether the responses confirm the window. The proof is a 429 that only requests older than half a window explain:
 * since then, there were fewer requests than the capacity, and no other 429. For example, with 30 requests per 10 s:
 * one request, a pause of 6 s, 29 admitted requests and a 429. Always true for a limiter without windows.
 */
export function isWindowConfirmed(estimate: LimiterEstimate, dataPoints: readonly DataPoint[]): boolean {
  if (!limiterKinds[estimate.kind].hasWindow) return true
  return dueToOldRequests(estimate, dataPoints).some(({ recent }) =>
    recent.every(({ outcome }) => outcome !== 'throttled'),
  )
}

/** Whether the window is real: no ban or renewed wait of constant length explains the refusals. */
export function excludesConstantWaits(
  estimate: LimiterEstimate,
  { trustsRetryAfter }: Pick<Candidates, 'trustsRetryAfter'>,
  dataPoints: readonly DataPoint[],
): boolean {
  return outlastsWaits(estimate, dataPoints) || (trustsRetryAfter && countsDown(estimate, dataPoints))
}

/** Whether some refusal came so late that no ban or renewed wait of constant length explains it. */
function outlastsWaits(estimate: LimiterEstimate, dataPoints: readonly DataPoint[]): boolean {
  // A run is a sequence of refusals until the next admission (`next`).
  const runs = refusalRuns(dataPoints)
  // Constant bans and waits are at most as long as the shortest time from a refusal to the next admission.
  const longestSince = (from: (run: RefusalRun) => DataPoint) =>
    maxWaitRatio *
    Math.min(...runs.map((run) => (run.next?.endedAt ?? Number.POSITIVE_INFINITY) - from(run).sentAt))
  // The first refusal of a run may start a ban. The last refusal may restart the wait.
  const banMs = longestSince(({ first }) => first)
  const waitMs = longestSince(({ last }) => last)
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
  /** The requests within half the window before this refusal. */
  readonly recent: readonly DataPoint[]
}

/** The refusals that follow fewer than `capacity` requests within half the window. */
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
 * Whether Retry-After counts down to the end of a window of a round length, such as 10 s. With a ban or a renewed
 * wait, each refusal would have the same Retry-After. Every Retry-After may be too long by the same amount, but by no
 * more than the shortest. If the shortest is less than half the window, at least half of the window is real.
 */
function countsDown({ kind, window }: LimiterEstimate, dataPoints: readonly DataPoint[]): boolean {
  if (!limiterKinds[kind].resets || !hasRoundTime(window)) return false
  const stated = retryAfters(dataPoints)
  const shortest = Math.min(...stated)
  return shortest < confirmedShare * window.low && Math.max(...stated) - shortest > retryAfterStepMs
}
