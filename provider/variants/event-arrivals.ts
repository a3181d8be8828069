import { type Behaviour, withFace } from '../behaviour.ts'
import type { StoredEvent } from '../hub/events.ts'

const MINUTE = 60_000

const closedWindows = [
  'EVENT-TOTAL',
  'EVENT-PAGINATION',
  'EVENT-TIME-ORDER',
  'EVENT-WINDOWS-ADJACENT',
  'EVENT-FROM-INCLUSIVE',
  'EVENT-TO-EXCLUSIVE',
  'EVENT-ID-UNIQUE',
]

/** An event of somebody that turns up while others search. */
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

/** Hubs in which events turn up while a run reads. */
export const eventArrivalVariants = withFace('hub', [
  {
    name: 'events-arrive-with-every-search',
    summary: 'An event happens before every search.',
    concerns: closedWindows,
    ambiguity: 'Users go on while their events are read.',
    decided: closedWindows,
    alter: ({ hub }: Behaviour) => {
      hub.arrivals.push((searches, local) => [eventAt(searches, local)])
    },
  },
  {
    name: 'events-arrive-with-delay',
    summary: 'Before every other search an event turns up that happened five minutes ago.',
    concerns: closedWindows,
    ambiguity: 'How soon an event can be found is not said.',
    decided: closedWindows,
    alter: ({ hub }: Behaviour) => {
      hub.arrivals.push((searches, local) => (searches % 2 ? [eventAt(searches, local - 5 * MINUTE)] : []))
    },
  },
  {
    name: 'events-arrive-an-hour-late',
    summary: 'Before every search an event turns up that happened an hour ago.',
    concerns: closedWindows,
    ambiguity: 'How soon an event can be found is not said.',
    undecidable: closedWindows,
    alter: ({ hub }: Behaviour) => {
      hub.arrivals.push((searches, local) => [eventAt(searches, local - 60 * MINUTE)])
    },
  },
  {
    name: 'events-arrive-late-now-and-then',
    summary: 'Before every fifteenth search an event turns up that happened an hour ago.',
    concerns: closedWindows,
    ambiguity: 'How soon an event can be found is not said.',
    alter: ({ hub }: Behaviour) => {
      hub.arrivals.push((searches, local) => (searches % 15 ? [] : [eventAt(searches, local - 60 * MINUTE)]))
    },
  },
  {
    name: 'clocks-put-back-while-events-arrive',
    summary: 'Clocks are put back while events happen, so that times of the last hour come up again.',
    concerns: closedWindows,
    ambiguity: 'The hour that a clock shows twice is read once.',
    decided: closedWindows,
    alter: ({ hub }: Behaviour) => {
      const ahead = Date.parse('2025-10-26T00:59:58Z') - Date.now()
      hub.clock = (now) => now + ahead
      hub.arrivals.push((searches, local) => [eventAt(searches, local)])
    },
  },
])
