import { contentParts, isSameContent } from '../../event-hub/content.ts'
import {
  canonical,
  type HubEvent,
  hasUsableId,
  identityOf,
  timesOf,
  timestampOf,
} from '../../event-hub/event.ts'
import { compareLocal, type LocalDateTime, millisecondsBetween } from '../../event-hub/local-time.ts'
import type { Reading } from '../../event-hub/paging.ts'
import { type TimeOrder, TimeOrderFinder } from '../../event-hub/time-order.ts'
import { certainPosition, type EventWindow, positionIn, type WindowPosition } from '../../event-hub/window.ts'
import { fitsTotal } from './agreement.ts'

/** Events that searches for a window returned. */
export interface EventsOfWindow {
  readonly window: EventWindow
  readonly events: readonly HubEvent[]
}

/** All pages of a window, read one by one up to a maximum number, with their events. */
export type WindowReading = Reading & EventsOfWindow

/** Positions of events relative to their window, without those of events whose position is uncertain. */
export function positionsOf({ window, events }: EventsOfWindow): WindowPosition[] {
  return events.flatMap(({ time }) => (time && certainPosition(window, time)) ?? [])
}

/** Whether an event is certainly outside its window. An event exactly at `to` does not count. */
export function hasEventsOutside(reading: EventsOfWindow): boolean {
  return positionsOf(reading).some((place) => place === 'before' || place === 'after')
}

/** Whether the number of events matches the total of each page. */
export function isWhole({ pages, events }: Pick<Reading, 'pages' | 'events'>): boolean {
  return pages.every(({ total }) => fitsTotal(events, total))
}

/** Times of the events whose timestamp has at least milliseconds. */
export function exactTimesOf(events: readonly HubEvent[]): LocalDateTime[] {
  return timesOf(events.filter(({ time }) => time && time.fractionDigits >= 3))
}

export function isFullSecond({ millisecond, microsecond, nanosecond }: LocalDateTime): boolean {
  return millisecond + microsecond + nanosecond === 0
}

/** Number of events of a reading with that time. */
export function countAt({ events }: Reading, at: LocalDateTime): number {
  return timesOf(events).filter((time) => compareLocal(time, at) === 0).length
}

/**
 * The distinct events that are certainly within a window. An event whose time has no milliseconds does not count,
 * because the time may be truncated.
 */
export function distinctWithin(events: readonly HubEvent[], window: EventWindow): HubEvent[] {
  const within = events.filter(
    ({ time }) => time && time.fractionDigits >= 3 && positionIn(window, time.at) === 'inside',
  )
  return distinct(within)
}

/**
 * Number of expected events for which no event of the same time was returned. Each returned event matches at most one
 * expected event.
 */
export function countTimesMissingFrom(returned: readonly HubEvent[], expected: readonly HubEvent[]): number {
  const timeOf = (event: HubEvent) => canonical(timestampOf(event))
  const unmatched = Map.groupBy(returned, timeOf)
  return expected.filter((event) => !unmatched.get(timeOf(event))?.pop()).length
}

/** The distinct expected events that are not among those returned. */
export function missingFrom(returned: readonly HubEvent[], expected: readonly HubEvent[]): HubEvent[] {
  const known = new Set(returned.map(identityOf))
  return distinct(expected.filter((event) => !known.has(identityOf(event))))
}

function distinct(events: readonly HubEvent[]): HubEvent[] {
  return [...new Map(events.map((event) => [identityOf(event), event])).values()]
}

/** Number of distinct expected events that are not among those returned. */
export function countMissingFrom(returned: readonly HubEvent[], expected: readonly HubEvent[]): number {
  return missingFrom(returned, expected).length
}

interface OrderedTimes {
  readonly order: TimeOrder
  /** Number of events with a readable time. */
  readonly events: number
  /** Number of distinct times. */
  readonly distinct: number
}

/** The order of events by time: ascending, descending, mixed, or constant if no two times differ. */
export function timeOrderOf(events: readonly HubEvent[]): OrderedTimes {
  const finder = new TimeOrderFinder()
  for (const event of events) finder.take(event)
  const times = timesOf(events)
  return { order: finder.order, events: times.length, distinct: new Set(times.map(String)).size }
}

interface Contents {
  /** Number of distinct ids. */
  readonly ids: number
  /** Number of ids with more than one content. */
  readonly conflicting: number
  /** Number of ids that occur more than once, always with the same content. */
  readonly repeated: number
}

/** Compares the documented content of each event with that of the first event with the same id. */
export function contentsById(events: readonly HubEvent[]): Contents {
  const byId = [...Map.groupBy(events.filter(hasUsableId), ({ members }) => members.id).values()]
  const repeats = byId.filter((group) => group.length > 1)
  const conflicting = repeats.filter(hasConflict).length
  return { ids: byId.length, conflicting, repeated: repeats.length - conflicting }
}

function hasConflict(group: readonly HubEvent[]): boolean {
  const [first, ...others] = group.map((event) => contentParts(event, contentText))
  return first !== undefined && others.some((other) => !isSameContent(first, other))
}

/** A member as text to compare. No JSON value has the text of an absent member. */
function contentText(value: unknown): string {
  return value === undefined ? 'absent' : canonical(value)
}

/**
 * A part of a reading's window with exactly `count` events, to read in pages of `pageSize`. For example, 18 events in
 * pages of 7 have page borders after the 7th and the 14th event. The part begins at its first event, and ends at the
 * event after its last. In order of preference:
 * - A page border is between two events of equal time, where a hub with an unstable order loses or repeats events.
 *   The second border or a later one is best: the two pages beside it are requested one directly after the other.
 * - The part contains neither the first nor the last event of the reading.
 * - The part begins at a full second. The best part also ends at a fraction of a second.
 * @returns the whole window if it contains at most `count` events, or if no part fits: events less than 2 ms apart
 * cannot be separated
 */
export function partToPage(reading: WindowReading, count: number, pageSize: number): EventWindow {
  const { window, events } = reading
  const times = timesOf(events).toSorted(compareLocal)
  const at = (index: number) => times[index] as LocalDateTime
  if (times.length <= count) return window
  const isDescending = timeOrderOf(events).order === 'descending'
  const isGap = (index: number) =>
    index === 0 || index === times.length || millisecondsBetween(at(index - 1), at(index)) >= 2
  const starts = [...times.keys()].filter(
    (start) => start + count <= times.length && isGap(start) && isGap(start + count),
  )
  const pages = Array.from({ length: Math.ceil(count / pageSize) - 1 }, (_, page) => (page + 1) * pageSize)
  const borders = pages.map((eventsBefore) => (isDescending ? count - eventsBefore : eventsBefore))
  const awayFromBounds = starts.filter((start) => start > 0 && start + count < times.length)
  const withEqualTimesAt = (eligibleBorders: readonly number[]) =>
    [awayFromBounds, starts].map((candidates) =>
      candidates.filter((start) =>
        eligibleBorders.some((border) => compareLocal(at(start + border - 1), at(start + border)) === 0),
      ),
    )
  const best = [
    ...withEqualTimesAt(borders.slice(1)),
    ...withEqualTimesAt(borders),
    awayFromBounds,
    starts,
  ].find((candidates) => candidates.length > 0)
  const fromSecond = best?.filter((start) => isFullSecond(at(start)))
  const start =
    fromSecond?.find((start) => start + count < times.length && !isFullSecond(at(start + count))) ??
    fromSecond?.[0] ??
    best?.[0]
  if (start === undefined) return window
  const end = start + count
  return {
    from: start === 0 ? window.from : at(start),
    to: end === times.length ? window.to : at(end),
  }
}

/**
 * The largest page size above 1 that divides a number of events into several full pages, such as 9 for 18 events.
 * @returns the number itself, for one full page, if there is no such size
 */
export function evenPageSize(events: number): number {
  for (let size = Math.floor(events / 2); size > 1; size -= 1) if (events % size === 0) return size
  return events
}
