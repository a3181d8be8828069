import { Temporal } from 'temporal-polyfill'

/** How far the timestamp of a delivery may lie from the receiver's clock, before or after it (section Limits). */
const replayWindowMs = 5 * 60_000

const form = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/

/** The moment that an ISO 8601 date-time with a trailing Z names; undefined for other texts and impossible dates. */
export function instantOf(text: unknown): Temporal.Instant | undefined {
  if (typeof text !== 'string' || !form.test(text)) return undefined
  try {
    return Temporal.Instant.from(text)
  } catch {
    return undefined
  }
}

/** Whether a moment is at most five minutes before or after now, exactly five minutes included. */
export function isCurrent(instant: Temporal.Instant, now: number): boolean {
  const distance = instant.epochNanoseconds - BigInt(Math.round(now)) * 1_000_000n
  const limit = BigInt(replayWindowMs) * 1_000_000n
  return -limit <= distance && distance <= limit
}
