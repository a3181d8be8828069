import {
  compareLocal,
  earlierOf,
  type LocalDateTime,
  laterOf,
  millisecondsBetween,
} from '../../event-hub/local-time.ts'
import type { EventWindow } from '../../event-hub/window.ts'
import { exactTimesOf, isFullSecond, type WindowReading } from './reading.ts'

/** Minimum distance of the events for edges from the bounds of the closed window, in milliseconds. */
const edgeMargin = 60_000
/** Width of a window that begins or ends around the only suitable event. */
const edgeReach = { minutes: 10 } as const
/** Permitted distance between the two events at the ends of a window, in milliseconds. */
const pairDistanceMs = { least: 1000, most: 30 * 60_000 } as const

/** The position of a bound: a millisecond before the time of an event, at that time, or a millisecond after it. */
type EdgePosition = 'before' | 'at' | 'after'

/** Times of two events, around which windows begin and end; if only one event is suitable, its time twice. */
export interface EdgeTimes {
  readonly start: LocalDateTime
  readonly end: LocalDateTime
}

/**
 * The times of two events near the middle of a reading, or of one event if there is no such pair. If possible, several
 * events have the first time.
 * @param beside another window whose bounds are times of events. If possible, the edges have fractions where its bounds
 * are full seconds, and vice versa, because a hub may read the two differently
 */
export function edgeTimesOf(
  { window, events }: WindowReading,
  beside: EventWindow = window,
): EdgeTimes | undefined {
  const usable = exactTimesOf(events)
    .filter(
      (at) =>
        hasWholeMilliseconds(at) &&
        millisecondsBetween(window.from, at) > edgeMargin &&
        millisecondsBetween(at, window.to) > edgeMargin,
    )
    .toSorted(compareLocal)
  const [whole, fractional] = [usable.filter(isFullSecond), usable.filter((at) => !isFullSecond(at))]
  const opposite = (at: LocalDateTime) => (isFullSecond(at) ? fractional : whole)
  // A time with a fraction detects a hub that truncates fractions.
  const times = fractional.length > 0 ? fractional : usable
  const pair =
    middlePair(opposite(beside.from), opposite(beside.to)) ??
    middlePair(opposite(beside.from), fractional) ??
    middlePair(fractional, opposite(beside.to)) ??
    middlePair(times, times)
  if (pair) return pair
  const single = times[Math.floor(times.length / 2)]
  return single && { start: single, end: single }
}

/** Pairs each start with the next later end, and returns the middle one of the pairs with a permitted distance. */
function middlePair(starts: readonly LocalDateTime[], ends: readonly LocalDateTime[]): EdgeTimes | undefined {
  let next = 0
  const pairs = starts.flatMap((start, index) => {
    while (next < ends.length && compareLocal(ends[next] as LocalDateTime, start) <= 0) next += 1
    const [before, end] = [starts[index - 1], ends[next]]
    if (!end) return []
    const distance = millisecondsBetween(start, end)
    const isShared = before !== undefined && compareLocal(before, start) === 0
    return distance >= pairDistanceMs.least && distance <= pairDistanceMs.most
      ? [{ start, end, isShared }]
      : []
  })
  // Several events with the same time detect a hub that returns only one of them.
  const shared = pairs.filter(({ isShared }) => isShared)
  const suitable = shared.length > 0 ? shared : pairs
  const pair = suitable[Math.floor(suitable.length / 2)]
  return pair && { start: pair.start, end: pair.end }
}

/** Whether all times are finer than a millisecond, so that no bound can equal one of them. */
export function areFinerThanBounds({ events }: WindowReading): boolean {
  const times = exactTimesOf(events)
  return times.length > 0 && !times.some(hasWholeMilliseconds)
}

function hasWholeMilliseconds({ microsecond, nanosecond }: LocalDateTime): boolean {
  return microsecond === 0 && nanosecond === 0
}

/** Windows by the position of their `from`, and of their `to`. With two events, both have the same windows. */
export function edgeWindows(
  { start, end }: EdgeTimes,
  limits: EventWindow,
): Readonly<Record<'from' | 'to', Readonly<Record<EdgePosition, EventWindow>>>> {
  if (compareLocal(start, end) !== 0) {
    const both = around((shift) => ({ from: shift(start), to: shift(end) }))
    return { from: both, to: both }
  }
  return {
    from: around((shift) => ({ from: shift(start), to: earlierOf(start.add(edgeReach), limits.to) })),
    to: around((shift) => ({ from: laterOf(end.subtract(edgeReach), limits.from), to: shift(end) })),
  }
}

function around(
  windowOf: (shift: (at: LocalDateTime) => LocalDateTime) => EventWindow,
): Record<EdgePosition, EventWindow> {
  return {
    before: windowOf((at) => at.subtract({ milliseconds: 1 })),
    at: windowOf((at) => at),
    after: windowOf((at) => at.add({ milliseconds: 1 })),
  }
}
