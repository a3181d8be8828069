import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import type { StoredEvent } from '../hub/events.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Requirements that Plumbline judges on past windows, which should no longer change. */
const closedWindows = [
  'EVENT-TOTAL',
  'EVENT-PAGINATION',
  'EVENT-TIME-ORDER',
  'EVENT-WINDOWS-ADJACENT',
  'EVENT-FROM-INCLUSIVE',
  'EVENT-TO-EXCLUSIVE',
  'EVENT-ID-UNIQUE',
]

/**
 * An event of another user that is up to 3 s old; its age varies with `serial`. It is never from the previous hour,
 * because a clock change may repeat the local times of that hour.
 */
function recentEvent(serial: number, local: number): StoredEvent {
  return eventAt(serial, Math.max(local - ((serial * 7919) % 3000), local - (local % HOUR)))
}

/** An event of another user. */
function eventAt(serial: number, local: number): StoredEvent {
  return {
    id: `evt-late-${serial}`,
    local,
    type: 'ClaimValuesChanged',
    version: '1',
    subscriber: `sub-late-${serial}`,
    payload: { changedClaims: ['locale'] },
  }
}

/** Lawful hubs in which events appear, or expire, while a run reads. */
export const eventArrivalVariants = withSurface('hub', [
  {
    name: 'events-arrive-with-every-search',
    summary: 'Adds a new event, up to 3 s old, before every search.',
    concerns: closedWindows,
    unspecified: 'Users change claims while a run reads events.',
    mustPass: closedWindows,
    alter: ({ hub }: Behaviour) => {
      hub.arrivals.push((searches, local) => [recentEvent(searches, local)])
    },
  },
  {
    name: 'events-arrive-with-delay',
    summary: 'Adds an event, five minutes old, before every second search.',
    concerns: closedWindows,
    unspecified: 'How soon a search returns an event is not specified.',
    mustPass: closedWindows,
    alter: ({ hub }: Behaviour) => {
      hub.arrivals.push((searches, local) => (searches % 2 ? [eventAt(searches, local - 5 * MINUTE)] : []))
    },
  },
  {
    name: 'events-arrive-an-hour-late',
    summary: 'Adds an event, an hour old, before every search.',
    concerns: closedWindows,
    unspecified: 'How soon a search returns an event is not specified.',
    mustBeInconclusive: closedWindows,
    mayBeInconclusive: [
      'EVENT-PAGE-{SHAPE,NUMBER,SIZE-MAXIMUM,PAST-END}',
      'EVENT-WINDOW-RESPECTED',
      'EVENT-ID-STABLE',
    ],
    alter: ({ hub }: Behaviour) => {
      hub.arrivals.push((searches, local) => [eventAt(searches, local - 60 * MINUTE)])
    },
  },
  {
    name: 'events-arrive-late-now-and-then',
    summary: 'Adds an event, an hour old, before every fifteenth search.',
    concerns: closedWindows,
    unspecified: 'How soon a search returns an event is not specified.',
    mayBeInconclusive: [...closedWindows, 'EVENT-PAGE-PAST-END'],
    alter: ({ hub }: Behaviour) => {
      hub.arrivals.push((searches, local) => (searches % 15 ? [] : [eventAt(searches, local - 60 * MINUTE)]))
    },
  },
  {
    name: 'event-arrives-a-day-late',
    summary: 'Adds an event, 23 hours old, before the first search without `page`.',
    concerns: [...closedWindows, 'EVENT-PAGE-DEFAULT'],
    unspecified: 'How soon a search returns an event is not specified.',
    mustBeInconclusive: ['EVENT-PAGE-DEFAULT'],
    mayBeInconclusive: [...closedWindows, 'EVENT-PAGE-PAST-END'],
    alter: ({ hub }: Behaviour) => {
      let [isDue, hasArrived] = [false, false]
      hub.interceptors.push(({ query }) => {
        isDue = !query.has('page')
        return undefined
      })
      hub.arrivals.push((searches, local) => {
        if (!isDue || hasArrived) return []
        hasArrived = true
        return [eventAt(searches, local - 23 * HOUR)]
      })
    },
  },
  {
    name: 'events-deleted-while-read',
    summary: 'Deletes all events older than five minutes at the first search without `page`.',
    concerns: [...closedWindows, 'EVENT-PAGE-DEFAULT', 'EVENT-WINDOW-FULL-DAY'],
    unspecified: 'How long a hub keeps its events is not specified.',
    mayBeInconclusive: ['EVENT-*'],
    alter: ({ hub }: Behaviour) => {
      let [isDue, oldest] = [false, 0]
      hub.interceptors.push(({ query }) => {
        isDue = !query.has('page')
        return undefined
      })
      hub.arrivals.push((_searches, local) => {
        if (isDue && oldest === 0) oldest = local - 5 * MINUTE
        return []
      })
      const { order } = hub
      hub.order = (ascending) => order(ascending.filter(({ local }) => local >= oldest))
    },
  },
  {
    name: 'clocks-put-back-while-events-arrive',
    summary:
      'Puts the clock of the hub back while new events arrive, so that the local times of the last hour repeat.',
    concerns: closedWindows,
    unspecified: 'A search by local time cannot tell the two passes of a repeated hour apart.',
    mustPass: closedWindows,
    alter: ({ hub }: Behaviour) => {
      const ahead = Date.parse('2025-10-26T00:59:58Z') - Date.now()
      hub.clock = (now) => now + ahead
      hub.arrivals.push((searches, local) => [recentEvent(searches, local)])
    },
  },
])
