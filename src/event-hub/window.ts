import {
  clocksChange,
  compareLocal,
  type EventTimeZone,
  type LocalDateTime,
  laterOf,
  millisecondsBetween,
} from './local-time.ts'

/** A time range on the hub's wall clock: `from` belongs to it, `to` does not. */
export interface EventWindow {
  readonly from: LocalDateTime
  readonly to: LocalDateTime
}

/** Widest window that is lawful however the hub counts a day on which clocks change, in hours. */
export const widestHours = 23

/**
 * Adjacent windows, newest first, that together go back from `to`.
 * @param earliest where they stop, if there is such a time
 * @param limit how many at most
 */
export function windowsBack(
  to: LocalDateTime,
  earliest: LocalDateTime | undefined,
  limit: number,
): EventWindow[] {
  const windows: EventWindow[] = []
  let end = to
  while (windows.length < limit && (!earliest || compareLocal(earliest, end) < 0)) {
    const start = end.subtract({ hours: widestHours })
    const from = earliest ? laterOf(start, earliest) : start
    windows.push({ from, to: end })
    end = from
  }
  return windows
}

/** The newest part of a window that holds about the given share of its events, at least a minute. */
export function newestPart({ from, to }: EventWindow, share: number): EventWindow {
  const minutes = Math.max(1, Math.floor((millisecondsBetween(from, to) * share) / 60_000))
  const start = to.subtract({ minutes })
  return { from: laterOf(start, from), to }
}

/**
 * Start of a full hour, a day or more before `settled`, from which 25 hours go by without clocks being
 * changed: there 24 hours of the wall clock are 24 hours by every way of counting.
 */
export function startOfSteadyDay(settled: LocalDateTime, zone: EventTimeZone): LocalDateTime {
  let start = settled.subtract({ hours: 26 }).round({ smallestUnit: 'hour', roundingMode: 'floor' })
  while (clocksChange(start, start.add({ hours: 25 }), zone)) start = start.subtract({ hours: 24 })
  return start
}

/** Where an event lies relative to a window; `at-to` is the first moment that no longer belongs to it. */
export function placeIn(window: EventWindow, at: LocalDateTime): 'before' | 'inside' | 'at-to' | 'after' {
  if (compareLocal(at, window.from) < 0) return 'before'
  const end = compareLocal(at, window.to)
  return end < 0 ? 'inside' : end === 0 ? 'at-to' : 'after'
}

/**
 * A window around the end of a month of 30 days in the past, with a last day of that month that does not exist in the
 * place of either bound: `to` would be the end of the window where days roll over into the next month, `from` its
 * beginning where the last day there is stands in.
 */
export function monthEnd({ from }: EventWindow): {
  readonly window: EventWindow
  readonly impossible: { readonly from: string; readonly to: string }
} {
  let first = from.with({ day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 })
  while (first.subtract({ days: 1 }).day !== 30) first = first.subtract({ months: 1 })
  const last = first.subtract({ days: 1 })
  const day = `${last.toPlainDate().toPlainYearMonth()}-31`
  return {
    window: { from: first.subtract({ hours: 6 }), to: first.add({ hours: 6 }) },
    impossible: { from: `${day}T18:00:00.000`, to: `${day}T06:00:00.000` },
  }
}
