import { Temporal } from 'temporal-polyfill'

export const EVENT_ZONE = 'Europe/Helsinki'

// A local time is a number: the milliseconds from 1970-01-01T00:00 to the date and time that a clock in the zone shows.
// For example, 1970-01-01T00:00:01 in Helsinki is 1000.

const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?$/

/** The local time in an ISO date-time without zone; undefined for any other text and for impossible dates. */
export function parseLocalTime(text: string): number | undefined {
  if (!LOCAL_TIME.test(text)) return undefined
  try {
    const time = Temporal.PlainDateTime.from(text, { overflow: 'reject' })
    return time.toZonedDateTime('UTC').epochMilliseconds + (time.microsecond + time.nanosecond / 1000) / 1000
  } catch {
    return undefined
  }
}

/** ISO date-time with milliseconds and without zone. */
export function formatLocal(local: number): string {
  return new Date(local).toISOString().slice(0, -1)
}

/** Returns a function that converts an instant, in milliseconds since the epoch, to the local time of a zone. */
export function wallClock(zone: string): (instant: number) => number {
  /** Known periods without a clock change, with their offset from UTC. All values are milliseconds. */
  const spans: { from: number; until: number; offset: number }[] = []
  return (instant) => {
    let span = spans.find(({ from, until }) => from <= instant && instant < until)
    if (!span) {
      const zoned = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone)
      const until = zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY
      span = spans.find((known) => known.until === until)
      if (span) span.from = instant
      else {
        span = { from: instant, until, offset: zoned.offsetNanoseconds / 1e6 }
        spans.push(span)
      }
    }
    return instant + span.offset
  }
}

/**
 * The instant of a local time. A local time in the hour that a clock change repeats has two instants: returns the one
 * nearer to `near`.
 * @param near milliseconds since the epoch
 * @returns milliseconds since the epoch
 */
export function instantOf(local: number, zone: string, near: number): number {
  const shown = Temporal.Instant.fromEpochMilliseconds(local).toZonedDateTimeISO('UTC').toPlainDateTime()
  const [earlier, later] = (['earlier', 'later'] as const).map(
    (disambiguation) => shown.toZonedDateTime(zone, { disambiguation }).epochMilliseconds,
  ) as [number, number]
  return Math.abs(near - earlier) < Math.abs(near - later) ? earlier : later
}
