/** One request and its outcome. Times are in milliseconds on the experiment's monotonic clock. */
export interface DataPoint {
  readonly sentAt: number
  readonly endedAt: number
  /**
   * 'unknown': no response, an unexpected status, a request before the experiment, or a refusal that was set aside. It is
   * unclear whether the limiter counted the request.
   */
  readonly outcome: 'admitted' | 'throttled' | 'unknown'
  /** Retry-After of a refusal, if valid. */
  readonly retryAfterMs?: number
  /** Size of an admitted response. */
  readonly bytes?: number
  /** Whether no request was sent: Retry-After states what the outcome would be (`withStated`). */
  readonly isStated?: boolean
}

/** Step of Retry-After in milliseconds: its values are whole seconds (RFC 9110, 10.2.3), mostly rounded up. */
export const retryAfterStepMs = 1000

/** A data point as a limiter model reads it: the decision was at some time from `from` to `to` (milliseconds). */
export interface DecisionInterval {
  readonly from: number
  readonly to: number
  readonly outcome: DataPoint['outcome']
  /** Number of requests before the next 429, including this request: 0 for a 429, Infinity if no 429 follows. */
  readonly requestsUntil429: number
  /** As in `DataPoint`. */
  readonly isStated: boolean
}

/** Largest error of a decision time, in milliseconds, if this machine and the limiter count whole milliseconds. */
const clockErrorMs = 2

export function decisionIntervals(dataPoints: readonly DataPoint[]): DecisionInterval[] {
  let requestsUntil429 = Number.POSITIVE_INFINITY
  const latestFirst = dataPoints.toReversed().map(({ sentAt, endedAt, outcome, isStated = false }) => {
    requestsUntil429 = outcome === 'throttled' ? 0 : requestsUntil429 + 1
    return { from: sentAt - clockErrorMs, to: endedAt + clockErrorMs, outcome, requestsUntil429, isStated }
  })
  return latestFirst.reverse()
}

/**
 * Largest error of a Retry-After besides its rounding, as a share of the longest Retry-After so far. A greater error
 * excludes a limiter. The search in `other-traffic/` tolerates less, since there an error only lowers a likelihood.
 */
const maxRetryAfterError = 0.005

/**
 * Adds a refusal for each Retry-After of more than about 1 s. For example, Retry-After 8 s is at least 7 s before
 * rounding. So it states that a request 6.96 s after the response would be refused.
 */
export function withStated(dataPoints: readonly DataPoint[]): DataPoint[] {
  let longest = 0
  return dataPoints.flatMap((dataPoint): DataPoint[] => {
    const { endedAt, retryAfterMs } = dataPoint
    if (retryAfterMs === undefined) return [dataPoint]
    longest = Math.max(longest, retryAfterMs)
    const at = endedAt + retryAfterMs - retryAfterStepMs - maxRetryAfterError * longest
    if (at <= endedAt) return [dataPoint]
    return [dataPoint, { sentAt: at, endedAt: at, outcome: 'throttled', isStated: true }]
  })
}

/** The values of Retry-After in milliseconds. */
export function retryAfters(dataPoints: readonly DataPoint[]): number[] {
  return dataPoints.flatMap(({ retryAfterMs }) => retryAfterMs ?? [])
}

/** The longest Retry-After in milliseconds; 0 without any. */
export function longestRetryAfterMs(dataPoints: readonly DataPoint[]): number {
  return Math.max(0, ...retryAfters(dataPoints))
}

/** For each response with Retry-After: the request after it. */
export function afterRetryAfter(dataPoints: readonly DataPoint[]): readonly DataPoint[] {
  return dataPoints.filter((_, index) => dataPoints[index - 1]?.retryAfterMs !== undefined)
}

export function admittedOf(dataPoints: readonly DataPoint[]): number {
  return dataPoints.filter(({ outcome }) => outcome === 'admitted').length
}
