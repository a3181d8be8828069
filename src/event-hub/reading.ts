import { canonical, type HubEvent, timesOf } from './event.ts'
import { compareLocal, type LocalDateTime } from './local-time.ts'
import type { Reading } from './paging.ts'
import { type EventWindow, placeIn } from './window.ts'

/** A reading with the window it was asked for with. */
export interface WindowReading extends Reading {
  readonly window: EventWindow
}

/** Where the events of a reading lie relative to its window; events without a readable time are left out. */
export function placesOf({ window, events }: WindowReading): ReturnType<typeof placeIn>[] {
  return timesOf(events).map((at) => placeIn(window, at))
}

/** Whether a reading holds an event of that time. */
export function reaches({ events }: Reading, at: LocalDateTime): boolean {
  return timesOf(events).some((time) => compareLocal(time, at) === 0)
}

/**
 * How many of the wanted events are not among those found. Events are told apart by their timestamp as it
 * is written, so that neither a wrong id nor events of equal time in changing order count as a gap.
 */
export function missingFrom(found: readonly HubEvent[], wanted: readonly HubEvent[]): number {
  const left = Map.groupBy(found, ({ members }) => canonical(members.timestamp ?? null))
  return wanted.filter(({ members }) => !left.get(canonical(members.timestamp ?? null))?.pop()).length
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
