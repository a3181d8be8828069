import {
  type ClaimChange,
  changeEventOf,
  changeType,
  restorationsOf,
} from '../../src/check/events/claim-change.ts'
import { type Arrival, idOf } from '../../src/check/webhooks/registry.ts'
import { offsetBetween } from '../../src/event-hub/clock-changes.ts'
import { wallClockMs } from '../../src/event-hub/local-time.ts'
import { instantOf } from '../../src/webhook/timestamp.ts'

/** All offsets of time zones are multiples of 15 min, here in milliseconds. */
const offsetStepMs = 15 * 60_000

/**
 * The ids of the user's events in the Event Hub: of a change, then of its restoration.
 * @param between period of the changes, in milliseconds since the epoch by the target's clock. It excludes late events
 *   of earlier runs, whatever the zone of the Event Hub.
 */
export function ownIds(
  change: ClaimChange,
  between: { readonly from: number; readonly until: number },
): readonly string[] {
  const event = changeEventOf(change)
  const events = [...(event ? [event] : []), ...restorationsOf(change)]
  const ids = events.flatMap(({ members: { id, subscriber }, time }) => {
    const isOwn = change.subjects.some((subject) => subject === subscriber)
    const isFromChange = time && offsetBetween(time.at, between.from, between.until) !== undefined
    return isOwn && isFromChange && typeof id === 'string' && id !== '' ? [id] : []
  })
  return [...new Set(ids)]
}

/**
 * The ids of events that are missing at a target after the first event that arrived there: a new subscription may not
 * be effective at once. Empty if arrivals with other ids may be the missing events.
 * @param ids in the order of the events
 */
export function missedIds(ids: readonly string[], arrivals: readonly Arrival[]): readonly string[] {
  const arrived = new Set(arrivals.map((arrival) => idOf(arrival) ?? ''))
  const start = ids.findIndex((id) => arrived.has(id))
  const missed = start < 0 ? [] : ids.slice(start).filter((id) => !arrived.has(id))
  const others = [...arrived].filter((id) => !ids.includes(id)).length
  return missed.length > others ? missed : []
}

/** The ids of delivered claim changes of the user. */
export function deliveredChanges(
  arrivals: readonly Arrival[],
  { subjects }: Pick<ClaimChange, 'subjects'>,
): readonly string[] {
  const ids = arrivals.flatMap(({ event }) => {
    const isOwn = event?.type === changeType && subjects.some((subject) => subject === event.subscriber)
    return isOwn && typeof event.id === 'string' ? [event.id] : []
  })
  return [...new Set(ids)]
}

/**
 * Whether the time of a delivered event and its local time in the Event Hub differ by at least a second in every zone.
 * False if one of the times cannot be read.
 */
export function isAnotherTime(pushed: unknown, found: unknown): boolean {
  const instant = instantOf(pushed)
  const local = typeof found === 'string' ? wallClockMs(found) : undefined
  if (!instant || local === undefined) return false
  const apart = Math.abs(instant.epochMilliseconds - local) % offsetStepMs
  return Math.min(apart, offsetStepMs - apart) >= 1000
}
