import { fitsTotal } from './agreement.ts'
import { canonical, type HubEvent, identityOf, timesOf } from './event.ts'
import { compareLocal, type LocalDateTime, millisecondsBetween } from './local-time.ts'
import type { Reading } from './paging.ts'
import { type EventWindow, placeIn } from './window.ts'

/** A reading with the window it was asked for with. */
export interface WindowReading extends Reading {
  readonly window: EventWindow
}

/** What may have been cut off a time that is written without a fraction, or with a short one. */
const cutOff = { minutes: 1 } as const

/**
 * Where the events of a reading lie relative to its window. Events whose time cannot be read are left
 * out; one without milliseconds, which may have been cut off, is outside only where it is by more than that.
 */
export function placesOf({ window, events }: WindowReading): ReturnType<typeof placeIn>[] {
  return events.flatMap(({ time }) => {
    if (!time) return []
    if (time.fractionDigits >= 3) return [placeIn(window, time.at)]
    const [earliest, latest] = [placeIn(window, time.at), placeIn(window, time.at.add(cutOff))]
    if (latest === 'before') return ['before']
    return earliest === 'after' ? ['after'] : []
  })
}

/** Whether a reading holds events from before or after its window. */
export function hasEventsOutside(reading: WindowReading): boolean {
  return placesOf(reading).some((place) => place === 'before' || place === 'after')
}

/** Whether the events of a reading fit the total on each of its pages. */
export function isWhole({ pages, events }: Reading): boolean {
  return pages.every(({ total }) => fitsTotal(events, total))
}

/** Times of events that are written with milliseconds or finer. */
export function exactTimesOf(events: readonly HubEvent[]): LocalDateTime[] {
  return timesOf(events.filter(({ time }) => time && time.fractionDigits >= 3))
}

/** Whether a reading holds an event of that time. */
export function includesTime({ events }: Reading, at: LocalDateTime): boolean {
  return timesOf(events).some((time) => compareLocal(time, at) === 0)
}

/** How many timestamps of the wanted events are not among those found; each found one counts once. */
export function missingTimes(found: readonly HubEvent[], wanted: readonly HubEvent[]): number {
  const timestampOf = ({ members }: HubEvent) => canonical(members.timestamp ?? null)
  const left = Map.groupBy(found, timestampOf)
  return wanted.filter((event) => !left.get(timestampOf(event))?.pop()).length
}

/** How many different wanted events are not among those found, however often any of them comes. */
export function distinctMissingFrom(found: readonly HubEvent[], wanted: readonly HubEvent[]): number {
  const known = new Set(found.map(identityOf))
  return [...new Set(wanted.map(identityOf))].filter((key) => !known.has(key)).length
}

export interface Direction {
  /** `mixed` where times both rise and fall. */
  readonly direction: 'ascending' | 'descending' | 'constant' | 'mixed'
  /** Events with a time that can be read, and how many different times there are. */
  readonly events: number
  readonly distinct: number
}

/** In which direction the times of events go, in the order given. */
export function directionOf(events: readonly HubEvent[]): Direction {
  const times = timesOf(events)
  const steps = new Set(
    times.slice(1).map((time, index) => compareLocal(time, times[index] as LocalDateTime)),
  )
  const rises = steps.has(1)
  const falls = steps.has(-1)
  return {
    direction: rises ? (falls ? 'mixed' : 'ascending') : falls ? 'descending' : 'constant',
    events: times.length,
    distinct: new Set(times.map(String)).size,
  }
}

export interface Contents {
  /** Different ids; events without a usable one are left out. */
  readonly ids: number
  /** Ids that came with more than one content. */
  readonly conflicting: number
  /** Ids that came more than once, always with the same content. */
  readonly repeated: number
}

/** Compares what comes under one id. */
export function contentsById(events: readonly HubEvent[]): Contents {
  const usable = events.filter(({ members: { id } }) => typeof id === 'string' && id !== '')
  const byId = [...Map.groupBy(usable, ({ members }) => members.id).values()]
  const conflicts = byId.filter((group) => new Set(group.map(({ members }) => canonical(members))).size > 1)
  const repeats = byId.filter((group) => group.length > 1)
  return {
    ids: byId.length,
    conflicting: conflicts.length,
    repeated: repeats.filter((group) => !conflicts.includes(group)).length,
  }
}

/**
 * A part of a reading's window to read page by page: with so many events, and moments without any at both ends.
 * Where there is one in which two events of equal time lie on either side of a page border, that one, since
 * there an order that changes loses events.
 * @returns the whole window where it holds no more events
 */
export function partToPage(reading: WindowReading, count: number, pageSize: number): EventWindow {
  const { window, events } = reading
  const times = timesOf(events).toSorted(compareLocal)
  const at = (index: number) => times[index] as LocalDateTime
  if (times.length <= count) return window
  const descending = directionOf(events).direction === 'descending'
  const apart = (index: number) =>
    index === 0 || index === times.length || millisecondsBetween(at(index - 1), at(index)) >= 2
  const starts = [...times.keys()].filter(
    (start) => start + count <= times.length && apart(start) && apart(start + count),
  )
  const pages = Array.from({ length: Math.ceil(count / pageSize) - 1 }, (_, page) => (page + 1) * pageSize)
  const borders = pages.map((events) => (descending ? count - events : events))
  const telling = starts.find((start) =>
    borders.some((border) => compareLocal(at(start + border - 1), at(start + border)) === 0),
  )
  const start = telling ?? starts[0]
  if (start === undefined) return window
  const end = start + count
  return {
    from: start === 0 ? window.from : at(start).subtract({ milliseconds: 1 }),
    to: end === times.length ? window.to : at(end).subtract({ milliseconds: 1 }),
  }
}

/**
 * A page size that divides a number of events without a rest, and makes as few pages as there can be, but several.
 * @returns the number itself, for one full page, where only pages of one event would divide it
 */
export function evenPageSize(events: number): number {
  for (let size = Math.floor(events / 2); size > 1; size -= 1) if (events % size === 0) return size
  return events
}
