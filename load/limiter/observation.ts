/** One request and what became of it; times in milliseconds on the probe's monotonic clock. */
export interface Observation {
  readonly sentAt: number
  readonly endedAt: number
  /** 'unknown': lost (reset, time-out, 5xx): it may or may not have counted. */
  readonly outcome: 'admitted' | 'throttled' | 'unknown'
  /** Retry-After of a 429 in milliseconds, where it had a usable one. */
  readonly retryAfterMs?: number
}

/**
 * An observation as a model reads it. The limiter decided somewhere between `from` and `to` (milliseconds), and
 * nothing more is known about when.
 */
export interface Reading {
  readonly from: number
  readonly to: number
  readonly outcome: Observation['outcome']
  /** Requests from this one on, itself included, that may have been admitted before the next 429; Infinity: no 429 since. */
  readonly untilThrottled: number
}

/** Clocks that count whole milliseconds, here and at the limiter, move a decision by this much at most. */
const CLOCK_SLACK_MS = 2

export function readings(observations: readonly Observation[]): Reading[] {
  let left = Number.POSITIVE_INFINITY
  const result: Reading[] = []
  for (const { sentAt, endedAt, outcome } of observations.toReversed()) {
    left = outcome === 'throttled' ? 0 : left + 1
    result.push({
      from: sentAt - CLOCK_SLACK_MS,
      to: endedAt + CLOCK_SLACK_MS,
      outcome,
      untilThrottled: left,
    })
  }
  return result.reverse()
}
