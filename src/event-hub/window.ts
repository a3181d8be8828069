import {
  clocksChange,
  compareLocal,
  type EventTimeZone,
  type LocalDateTime,
  laterOf,
  millisecondsBetween,
  type WrittenTime,
} from './local-time.ts'

/** A range of wall-clock times of the hub: `from` inclusive, `to` exclusive. */
export interface EventWindow {
  readonly from: LocalDateTime
  readonly to: LocalDateTime
}

export function isSameWindow(one: EventWindow, other: EventWindow): boolean {
  return compareLocal(one.from, other.from) === 0 && compareLocal(one.to, other.to) === 0
}

/** Whether all times of the first window are in the second. */
export function isWithin(one: EventWindow, other: EventWindow): boolean {
  return compareLocal(one.from, other.from) >= 0 && compareLocal(one.to, other.to) <= 0
}

/**
 * Width of the searched windows, in hours. A hub may refuse more than 24 elapsed hours, and 23 hours of wall-clock time
 * are 24 elapsed hours when clocks go back.
 */
export const usedHours = 23

/**
 * Adjacent windows that go back from `to`, newest first.
 * @param earliest lower bound of the windows, if any
 * @param limit maximum number of windows
 */
export function windowsBack(
  to: LocalDateTime,
  earliest: LocalDateTime | undefined,
  limit: number,
): EventWindow[] {
  const windows: EventWindow[] = []
  let end = to
  while (windows.length < limit && (!earliest || compareLocal(earliest, end) < 0)) {
    const start = end.subtract({ hours: usedHours })
    const from = earliest ? laterOf(start, earliest) : start
    windows.push({ from, to: end })
    end = from
  }
  return windows
}

/** The newest part of a window: the given share of its width, at least one minute. */
export function newestPart({ from, to }: EventWindow, share: number): EventWindow {
  const minutes = Math.max(1, Math.floor((millisecondsBetween(from, to) * share) / 60_000))
  const start = to.subtract({ minutes })
  return { from: laterOf(start, from), to }
}

/**
 * A full hour at least 26 hours before `settled`. The clocks do not change in the 25 hours after it, so 24 hours of
 * wall-clock time are also 24 elapsed hours.
 */
export function startOfSteadyDay(settled: LocalDateTime, zone: EventTimeZone): LocalDateTime {
  let start = settled.subtract({ hours: 26 }).round({ smallestUnit: 'hour', roundingMode: 'floor' })
  while (clocksChange(start, start.add({ hours: 25 }), zone)) start = start.subtract({ hours: 24 })
  return start
}

/** The position of a time relative to a window; `at-to` is its exclusive end. */
export type WindowPosition = 'before' | 'inside' | 'at-to' | 'after'

export function positionIn(window: EventWindow, at: LocalDateTime): WindowPosition {
  if (compareLocal(at, window.from) < 0) return 'before'
  const order = compareLocal(at, window.to)
  return order < 0 ? 'inside' : order === 0 ? 'at-to' : 'after'
}

/** Upper bound of the seconds and fraction that may be truncated from a time without milliseconds. */
const maxTruncated = { minutes: 1 } as const

/**
 * The position of a written time; undefined if it is uncertain. A time without milliseconds may be truncated, so that
 * only `before` and `after` can be certain.
 */
export function certainPosition(
  window: EventWindow,
  { at, fractionDigits }: WrittenTime,
): WindowPosition | undefined {
  const earliest = positionIn(window, at)
  if (fractionDigits >= 3) return earliest
  if (positionIn(window, at.add(maxTruncated)) === 'before') return 'before'
  return earliest === 'after' ? 'after' : undefined
}

/**
 * A past window around the end of a month with 30 days, and an impossible time on the 31st of that month. A faulty hub
 * converts the impossible time to `window.to`: for example 06:00 on April 31 to 06:00 on May 1.
 */
export function monthEnd({ from }: EventWindow): {
  readonly window: EventWindow
  readonly impossible: string
} {
  let first = from.with({ day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 })
  while (first.subtract({ days: 1 }).day !== 30) first = first.subtract({ months: 1 })
  const last = first.subtract({ days: 1 })
  const day = `${last.toPlainDate().toPlainYearMonth()}-31`
  return {
    window: { from: first.subtract({ hours: 6 }), to: first.add({ hours: 6 }) },
    impossible: `${day}T06:00:00.000`,
  }
}
