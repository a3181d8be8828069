import { Temporal } from 'temporal-polyfill'

/** Maximum difference between the timestamp of a delivery and the clock of the receiver (section Limits). */
const replayWindowMs = 5 * 60_000

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/

/** The instant of an ISO 8601 date-time with a trailing Z; undefined for other values and impossible dates. */
export function instantOf(text: unknown): Temporal.Instant | undefined {
  if (typeof text !== 'string' || !dateTime.test(text)) return undefined
  try {
    return Temporal.Instant.from(text)
  } catch {
    return undefined
  }
}

/** Like `instantOf`, but also accepts an offset of zero, such as `+00:00`, in place of the Z. */
export function utcInstantOf(value: unknown): Temporal.Instant | undefined {
  return instantOf(typeof value === 'string' ? value.replace(/[+-]00:?00$/, 'Z') : value)
}

/**
 * Whether an instant is at most five minutes before or after `now`, inclusive.
 * @param now milliseconds since the epoch
 */
export function isCurrent(instant: Temporal.Instant, now: number): boolean {
  const distance = instant.epochNanoseconds - BigInt(Math.round(now)) * 1_000_000n
  const limit = BigInt(replayWindowMs) * 1_000_000n
  return -limit <= distance && distance <= limit
}
