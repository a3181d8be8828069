import { Temporal } from 'temporal-polyfill'

/** A wall-clock time that says nothing about its zone: how the Event Hub writes all times. */
export type LocalDateTime = Temporal.PlainDateTime

/** ISO 8601 extended format without a zone. Seconds and fraction may be missing, as some libraries write full ones. */
const localDateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::[0-5]\d(?:\.(?<fraction>\d{1,9}))?)?$/

/** A local date-time as it was written. */
export interface WrittenTime {
  readonly at: LocalDateTime
  /** Digits after the seconds; 0 where there are none. */
  readonly fractionDigits: number
}

/**
 * Reads an ISO local date-time. Nothing is converted: the digits stay what they are.
 * @returns undefined for anything else: a zone or an offset, another format, a date that does not exist
 */
export function parseLocal(text: string): WrittenTime | undefined {
  const match = localDateTime.exec(text)
  if (!match) return undefined
  try {
    const at = Temporal.PlainDateTime.from(text, { overflow: 'reject' })
    return { at, fractionDigits: match.groups?.fraction?.length ?? 0 }
  } catch {
    return undefined
  }
}

/** A local date-time with milliseconds, on a day that every month has: no more has to be looked at. */
const plainForm =
  /^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}$/

/**
 * Milliseconds since the epoch of a clock that shows UTC and reads so: enough to compare local date-times with, and
 * far faster than reading them, where there are many.
 * @returns undefined for anything but a local date-time
 */
export function wallClockMs(text: string): number | undefined {
  if (plainForm.test(text)) {
    const two = (index: number) => 10 * text.charCodeAt(index) + text.charCodeAt(index + 1) - 11 * 48
    const year = 100 * two(0) + two(2)
    const milliseconds = 10 * two(20) + text.charCodeAt(22) - 48
    return Date.UTC(year, two(5) - 1, two(8), two(11), two(14), two(17), milliseconds)
  }
  const time = parseLocal(text)
  return time && millisecondsBetween(epoch, time.at)
}

/** Writes a local date-time with milliseconds, as the Event Hub does; finer digits are cut off. */
export function formatLocal(time: LocalDateTime): string {
  return time.toString({ fractionalSecondDigits: 3, roundingMode: 'trunc' })
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
  // Far faster than a Temporal.Duration, and there are many.
  return wholeMilliseconds(later) - wholeMilliseconds(earlier) + (restOf(later) - restOf(earlier)) / 1e6
}

/** Milliseconds since the epoch of a clock that shows UTC, without anything finer. */
function wholeMilliseconds({ year, month, day, hour, minute, second, millisecond }: LocalDateTime): number {
  // Date.UTC would take the years 0 to 99 for those of the last century.
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day)
  return midnight + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
}

/** What a local date-time has beyond whole milliseconds, in nanoseconds. */
function restOf({ microsecond, nanosecond }: LocalDateTime): number {
  return microsecond * 1000 + nanosecond
}

/** The zone of the Event Hub's times as far as it is configured. */
export type EventTimeZone = string | 'unknown'

/**
 * Whether clocks change between two local date-times: then a day of the wall clock is not 24 hours long.
 * Where the zone is unknown, whether they change in any zone there is.
 */
export function clocksChange(from: LocalDateTime, to: LocalDateTime, zone: EventTimeZone): boolean {
  const zones = zone === 'unknown' ? Intl.supportedValuesOf('timeZone') : [zone]
  return zones.some(
    (candidate) =>
      from.toZonedDateTime(candidate).offsetNanoseconds !== to.toZonedDateTime(candidate).offsetNanoseconds,
  )
}
