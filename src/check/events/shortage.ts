import type { HubEvent } from '../../event-hub/event.ts'
import type { LocalDateTime } from '../../event-hub/local-time.ts'
import type { Reading } from '../../event-hub/paging.ts'
import type { Target } from '../../target/target.ts'
import type { RequirementId } from '../requirement.ts'
import { Inconclusive, type InconclusiveOptions } from '../verdict.ts'
import { exactTimesOf, isWhole } from './reading.ts'

/** What to change if a window has too few events for a check. */
export const tooFewEvents = {
  variables: ['EVENT_WINDOW_FROM', 'EVENT_WINDOW_TO'],
  advice: 'set EVENT_WINDOW_FROM and EVENT_WINDOW_TO to local date-times with more events between them',
} as const satisfies InconclusiveOptions

/**
 * The error if no window with events was found.
 * @param end of the newest window that was searched
 */
export function noEvents(
  { eventTimeZone, eventWindow }: Pick<Target, 'eventTimeZone' | 'eventWindow'>,
  end: LocalDateTime,
): Inconclusive {
  const advice = 'EVENT_WINDOW_FROM and EVENT_WINDOW_TO to local date-times with events between them'
  const variables = ['EVENT_WINDOW_FROM', 'EVENT_WINDOW_TO'] as const
  if (eventTimeZone !== 'unknown' || eventWindow)
    return new Inconclusive('no events were found', { variables, advice: `set ${advice}` })
  return new Inconclusive(`no events were found before ${end}, a time that has passed in every time zone`, {
    variables: ['EVENT_TIME_ZONE', ...variables],
    advice: `set EVENT_TIME_ZONE, so that later events count, or ${advice}`,
  })
}

/** Why readings contain too few events: pages lack events that `total` counts, or the windows have too few events. */
export function shortageIn(...readings: readonly Reading[]): InconclusiveOptions {
  return shortage(readings, false)
}

/** Why readings contain too few different times: as in `shortageIn`, or a timestamp cannot be read. */
export function shortageOfTimes(...readings: readonly Reading[]): InconclusiveOptions {
  return shortage(readings, lacksTimes(readings.flatMap(({ events }) => events)))
}

/** Why readings contain too few times with milliseconds: as in `shortageIn`, or no timestamp has milliseconds. */
export function shortageOfExactTimes(...readings: readonly Reading[]): InconclusiveOptions {
  const isInexact = ({ events }: Reading) => events.length > 0 && exactTimesOf(events).length === 0
  return shortage(readings, readings.some(isInexact))
}

/** Why events have too few different times: a timestamp cannot be read, or there are too few events. */
export function shortageOfTimesIn(events: readonly HubEvent[]): InconclusiveOptions {
  return lacksTimes(events) ? ['EVENT-TIMESTAMP'] : tooFewEvents
}

function shortage(readings: readonly Reading[], hasBadTimes: boolean): InconclusiveOptions {
  const dependsOn: readonly RequirementId[] = [
    ...(readings.every(isWhole) ? [] : (['EVENT-PAGINATION'] as const)),
    ...(hasBadTimes ? (['EVENT-TIMESTAMP'] as const) : []),
  ]
  return dependsOn.length > 0 ? dependsOn : tooFewEvents
}

function lacksTimes(events: readonly HubEvent[]): boolean {
  return events.some(({ time }) => !time)
}
