import {
  compareLocal,
  earlierOf,
  type LocalDateTime,
  laterOf,
  millisecondsBetween,
} from '../../event-hub/local-time.ts'
import type { EventWindow } from '../../event-hub/window.ts'
import { exactTimesOf, isFullSecond, type WindowReading } from './reading.ts'

// An edge is a bound of a searched window at the time of an event, 1 ms before it or 1 ms after it. Edges show whether
// `from` is inclusive and `to` exclusive.

/** Minimum distance of such an event from the bounds of the closed window, in milliseconds. */
const edgeMargin = 60_000
/** Width of a window with an edge at only one end, because there is only one suitable event. */
const edgeReach = { minutes: 10 } as const
/** Permitted distance between the two events for a window with edges at both ends, in milliseconds. */
const pairDistanceMs = { minimum: 1000, maximum: 30 * 60_000 } as const

/** The position of an edge: a millisecond before the time of an event, at that time, or a millisecond after it. */
type EdgePosition = 'before' | 'at' | 'after'

/** Times of two events for edges at `from` and at `to`; if only one event is suitable, its time twice. */
export interface EdgeTimes {
  readonly start: LocalDateTime
  readonly end: LocalDateTime
}

/**
 * The times of two events near the middle of a reading, or of one event if no two events are suitable. A suitable time
 * has milliseconds, no finer digits, and a distance of more than a minute from both ends of the window. If possible,
 * several events have the first time.
 * @param beside another window that checks search. If possible, an edge has a fraction of a second where the bound of
 * that window is a full second, and vice versa: a hub may parse the two forms differently.
 * @returns undefined if no event has a suitable time
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
  const [fullSeconds, fractional] = [usable.filter(isFullSecond), usable.filter((at) => !isFullSecond(at))]
  const timesUnlike = (bound: LocalDateTime) => (isFullSecond(bound) ? fractional : fullSeconds)
  // A time with a fraction detects a hub that truncates fractions.
  const times = fractional.length > 0 ? fractional : usable
  const pair =
    middlePair(timesUnlike(beside.from), timesUnlike(beside.to)) ??
    middlePair(timesUnlike(beside.from), fractional) ??
    middlePair(fractional, timesUnlike(beside.to)) ??
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
    return distance >= pairDistanceMs.minimum && distance <= pairDistanceMs.maximum
      ? [{ start, end, isShared }]
      : []
  })
  // Several events with the same time detect a hub that returns only one of them.
  const shared = pairs.filter(({ isShared }) => isShared)
  const suitable = shared.length > 0 ? shared : pairs
  const pair = suitable[Math.floor(suitable.length / 2)]
  return pair && { start: pair.start, end: pair.end }
}

/** Whether all times have digits below a millisecond. No bound equals such a time, since bounds have milliseconds. */
export function areFinerThanBounds({ events }: WindowReading): boolean {
  const times = exactTimesOf(events)
  return times.length > 0 && !times.some(hasWholeMilliseconds)
}

function hasWholeMilliseconds({ microsecond, nanosecond }: LocalDateTime): boolean {
  return microsecond === 0 && nanosecond === 0
}

/**
 * The windows with an edge at `from` and those with an edge at `to`, by the position of the edge. For two different
 * times, the windows are the same: both ends of each are edges.
 * @param limits window that contains the windows with one edge
 */
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
