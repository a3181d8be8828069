/** A data point: one request and its outcome; times in milliseconds on the experiment's monotonic clock. */
export interface DataPoint {
  readonly sentAt: number
  readonly endedAt: number
  /** 'unknown': no response, or an unexpected status. The limiter may or may not have counted the request. */
  readonly outcome: 'admitted' | 'throttled' | 'unknown'
  /** Retry-After of a 429, if usable. */
  readonly retryAfterMs?: number
  /** Size of an admitted response. */
  readonly bytes?: number
  /** No request was sent: Retry-After states the outcome. */
  readonly isStated?: boolean
}

/** Retry-After has whole seconds (RFC 9110, 10.2.3), mostly rounded up. */
export const retryAfterStepMs = 1000

/** A data point as models read it: the limiter decided at some time between `from` and `to` (milliseconds). */
export interface DecisionInterval {
  readonly from: number
  readonly to: number
  readonly outcome: DataPoint['outcome']
  /** Requests, this one included, that may have been admitted before the next 429; Infinity: no 429 follows. */
  readonly requestsUntil429: number
  /** No request was sent: Retry-After states that it would have been refused. */
  readonly isStated: boolean
}

/** Clocks that count whole milliseconds, here and at the limiter, shift a decision by at most this much. */
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
 * Servers round waits to this share of the longest, in addition to whole seconds. More than the particle filter of
 * `other-traffic/` allows: there a deviation makes a limiter less likely, here it counts like a wrong response.
 */
const longestWaitError = 0.005

/** Adds what Retry-After states: a request shortly before its end would be refused, too. */
export function withStated(dataPoints: readonly DataPoint[]): DataPoint[] {
  let longest = 0
  return dataPoints.flatMap((dataPoint): DataPoint[] => {
    const { endedAt, retryAfterMs } = dataPoint
    if (retryAfterMs === undefined) return [dataPoint]
    longest = Math.max(longest, retryAfterMs)
    const at = endedAt + retryAfterMs - retryAfterStepMs - longestWaitError * longest
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

/** The requests sent when Retry-After had elapsed. */
export function afterRetryAfter(dataPoints: readonly DataPoint[]): readonly DataPoint[] {
  return dataPoints.filter((_, index) => dataPoints[index - 1]?.retryAfterMs !== undefined)
}

export function admittedOf(dataPoints: readonly DataPoint[]): number {
  return dataPoints.filter(({ outcome }) => outcome === 'admitted').length
}
