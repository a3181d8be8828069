import { Temporal } from 'temporal-polyfill'

/** A wall-clock time without a zone, the format of all times of the Event Hub. */
export type LocalDateTime = Temporal.PlainDateTime

/** ISO 8601 extended format without a zone. Seconds and fraction are optional: some libraries omit them if zero. */
const localDateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::[0-5]\d(?:\.(\d{1,9}))?)?$/

/** A local date-time with its written precision. */
export interface WrittenTime {
  readonly at: LocalDateTime
  /** Number of digits after the seconds. */
  readonly fractionDigits: number
}

/**
 * Parses an ISO local date-time, without any conversion.
 * @returns undefined for a zone or an offset, another format, or a date that does not exist
 */
export function parseLocal(text: string): WrittenTime | undefined {
  const match = localDateTime.exec(text)
  if (!match) return undefined
  const fractionDigits = match[1]?.length ?? 0
  try {
    return { at: Temporal.PlainDateTime.from(text), fractionDigits }
  } catch {
    return undefined
  }
}

/** The most common form, with milliseconds. Its day is at most 28, so that the date exists in every month. */
const plainForm =
  /^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}$/

/**
 * Milliseconds since the epoch, as if the local date-time were UTC. That is enough to compare local date-times, and
 * much faster than parsing them.
 * @returns undefined if the text is not a local date-time
 */
export function wallClockMs(text: string): number | undefined {
  if (plainForm.test(text)) {
    // 48 is the character code of the digit 0.
    const two = (index: number) => 10 * text.charCodeAt(index) + text.charCodeAt(index + 1) - 11 * 48
    const year = 100 * two(0) + two(2)
    const milliseconds = 10 * two(20) + text.charCodeAt(22) - 48
    return Date.UTC(year, two(5) - 1, two(8), two(11), two(14), two(17), milliseconds)
  }
  const time = parseLocal(text)
  return time && millisecondsBetween(epoch, time.at)
}

/** Formats a local date-time with milliseconds, like the Event Hub; finer digits are truncated. */
export function formatLocal(time: LocalDateTime): string {
  return time.toString({ fractionalSecondDigits: 3, roundingMode: 'trunc' })
}

/** Formats a local time without fractions of a second. */
export function wholeSeconds(time: LocalDateTime): string {
  return time.toString({ fractionalSecondDigits: 0, roundingMode: 'trunc' })
}

/**
 * A local date-time without the final zeros of its fraction: equal texts for equal times. Other texts stay the same.
 */
export function withoutFinalZeros(text: string): string {
  return text.endsWith('0') ? text.replace(/(:\d\d)(?:\.0+|(\.\d*[1-9])0+)$/, '$1$2') : text
}

export const compareLocal = Temporal.PlainDateTime.compare

export function earlierOf(one: LocalDateTime, other: LocalDateTime): LocalDateTime {
  return compareLocal(one, other) <= 0 ? one : other
}

export function laterOf(one: LocalDateTime, other: LocalDateTime): LocalDateTime {
  return compareLocal(one, other) >= 0 ? one : other
}

const epoch = new Temporal.PlainDateTime(1970, 1, 1)

/** Duration between two local date-times on the wall clock, in milliseconds. */
export function millisecondsBetween(earlier: LocalDateTime, later: LocalDateTime): number {
  // Much faster than a Temporal.Duration.
  return (
    wholeMilliseconds(later) -
    wholeMilliseconds(earlier) +
    (submillisecondNs(later) - submillisecondNs(earlier)) / 1e6
  )
}

/** Whole milliseconds since the epoch, as if the local date-time were UTC. */
function wholeMilliseconds({ year, month, day, hour, minute, second, millisecond }: LocalDateTime): number {
  // Date.UTC would interpret the years 0 to 99 as 1900 to 1999.
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day)
  return midnight + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
}

/** The part of a local date-time below one millisecond, in nanoseconds. */
function submillisecondNs({ microsecond, nanosecond }: LocalDateTime): number {
  return microsecond * 1000 + nanosecond
}

/** The configured zone of the Event Hub's times. */
export type EventTimeZone = string | 'unknown'

/**
 * Whether clocks change between two local date-times. A day with a clock change does not have 24 hours. If the zone is
 * unknown, a clock change in any zone counts.
 */
export function clocksChange(from: LocalDateTime, to: LocalDateTime, zone: EventTimeZone): boolean {
  const zones = zone === 'unknown' ? Intl.supportedValuesOf('timeZone') : [zone]
  return zones.some(
    (candidate) =>
      from.toZonedDateTime(candidate).offsetNanoseconds !== to.toZonedDateTime(candidate).offsetNanoseconds,
  )
}
