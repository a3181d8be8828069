import { Temporal } from 'temporal-polyfill'
import { type Variant, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { formatLocal } from '../hub/local-time.ts'

const unspecified = 'The zone of local times is not specified.'
const MINUTE = 60_000

/** Requirements that a wrong zone or a clock change can affect. */
const affected = [
  'EVENT-WINDOW-RESPECTED',
  'EVENT-WINDOW-FULL-DAY',
  'EVENT-WINDOW-LIMIT',
  'EVENT-FROM-INCLUSIVE',
  'EVENT-TO-EXCLUSIVE',
  'EVENT-TOTAL',
  'EVENT-SUBSCRIBER',
  'EVENT-TIMESTAMP-GENERATED',
]

function inZone(zone: string): (behaviour: Behaviour) => void {
  return ({ hub }) => {
    hub.zone = zone
  }
}

/** Sets the clock of the provider to `instant` at its start. */
function startingAt(zone: string, instant: string): (behaviour: Behaviour) => void {
  return ({ hub }) => {
    const ahead = Date.parse(instant) - Date.now()
    hub.zone = zone
    hub.clock = (now) => now + ahead
  }
}

const zones = (
  [
    ['hub-in-utc', 'UTC', 'in UTC'],
    ['hub-13-hours-ahead', 'Pacific/Tongatapu', '13 hours ahead of UTC'],
    ['hub-11-hours-behind', 'Pacific/Pago_Pago', '11 hours behind UTC'],
    ['hub-in-zone-of-half-an-hour', 'Asia/Kolkata', 'five and a half hours ahead of UTC'],
  ] as const
).map(([name, zone, where]) => ({
  name,
  summary: `Writes the times of events ${where}; EVENT_TIME_ZONE names that zone.`,
  concerns: affected,
  unspecified,
  mustPass: affected,
  alter: inZone(zone),
}))

const unknownZones = (
  [
    ['zone-unknown-13-hours-ahead', 'Pacific/Tongatapu', '13 hours ahead of UTC'],
    ['zone-unknown-11-hours-behind', 'Pacific/Pago_Pago', '11 hours behind UTC'],
  ] as const
).map(([name, zone, where]) => ({
  name,
  summary: `Writes the times of events ${where}; EVENT_TIME_ZONE is \`unknown\`.`,
  concerns: affected,
  unspecified,
  mustPass: affected,
  alter: (behaviour: Behaviour) => {
    inZone(zone)(behaviour)
    behaviour.variables.EVENT_TIME_ZONE = 'unknown'
  },
}))

const clockChanges = (
  [
    [
      'clocks-just-put-forward',
      'Europe/Helsinki',
      '2026-03-29T01:20:00Z',
      '20 minutes after the start of summer time',
    ],
    [
      'clocks-just-put-back',
      'Europe/Helsinki',
      '2025-10-26T01:20:00Z',
      '20 minutes after the end of summer time',
    ],
    [
      'clocks-about-to-be-put-back',
      'Europe/Helsinki',
      '2025-10-26T00:50:00Z',
      'ten minutes before the end of summer time',
    ],
    [
      'clocks-put-forward-this-morning',
      'Europe/Helsinki',
      '2026-03-29T12:00:00Z',
      'on the day on which summer time begins',
    ],
    [
      'clocks-put-back-this-morning',
      'Europe/Helsinki',
      '2025-10-26T12:00:00Z',
      'on the day on which summer time ends',
    ],
    [
      'clocks-put-back-by-half-an-hour',
      'Australia/Lord_Howe',
      '2026-04-04T15:20:00Z',
      '20 minutes after the end of a summer time that differs by only half an hour',
    ],
  ] as const
).map(([name, zone, instant, when]) => ({
  name,
  summary: `Runs the hub ${when}.`,
  concerns: affected,
  unspecified: 'The meaning of 24 hours on a day of a clock change is not specified.',
  mustPass: affected,
  alter: startingAt(zone, instant),
}))

/** The elapsed time between two local times, in milliseconds. */
function elapsed(zone: string, from: number, to: number): number {
  const instant = (local: number) =>
    Temporal.PlainDateTime.from(formatLocal(local)).toZonedDateTime(zone).epochMilliseconds
  return instant(to) - instant(from)
}

const elapsedHours = (
  [
    ['elapsed-hours-after-clocks-were-put-forward', '2026-03-29T12:00:00Z', 'begins'],
    ['elapsed-hours-after-clocks-were-put-back', '2025-10-26T12:00:00Z', 'ends'],
  ] as const
).map(([name, instant, how]) => ({
  name,
  summary: `Applies the 24-hour limit to the time that really elapses, not to the difference of the clock times, on the day on which summer time ${how}.`,
  concerns: ['EVENT-WINDOW-FULL-DAY', 'EVENT-WINDOW-LIMIT', 'EVENT-WINDOWS-ADJACENT'],
  unspecified: 'The meaning of 24 hours on a day of a clock change is not specified.',
  mustPass: ['EVENT-WINDOW-FULL-DAY', 'EVENT-WINDOW-LIMIT', 'EVENT-WINDOWS-ADJACENT'],
  alter: (behaviour: Behaviour) => {
    const zone = 'Europe/Helsinki'
    startingAt(zone, instant)(behaviour)
    behaviour.hub.tooWide = (_, { from, to }) => elapsed(zone, from, to) > 24 * 60 * MINUTE
  },
}))

const offClocks = (
  [
    ['hub-clock-ten-minutes-fast', 10, 'fast'],
    ['hub-clock-ten-minutes-slow', -10, 'slow'],
  ] as const
).map(([name, minutes, how]) => ({
  name,
  summary: `Runs on a clock that is ten minutes ${how}, including its \`Date\` headers.`,
  concerns: affected,
  unspecified: 'Which clock is correct is not specified.',
  mustPass: affected,
  alter: ({ hub }: Behaviour) => {
    hub.clock = (now) => now + minutes * MINUTE
  },
}))

/** The Event Hub behind a gateway whose clock is wrong. */
const wrongDates: Omit<Variant, 'surface'> = {
  name: 'date-headers-five-minutes-fast',
  summary: 'Sends `Date` headers that are five minutes ahead of the clock of the events.',
  concerns: ['EVENT-TIMESTAMP-GENERATED'],
  unspecified: 'Date headers are not specified.',
  mustBeInconclusive: ['EVENT-TIMESTAMP-GENERATED'],
  alter: ({ hub }) => {
    hub.responses.push(({ headers }) => {
      headers.date = new Date(Date.now() + 5 * MINUTE).toUTCString()
    })
  },
}

const needsZone = ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED', 'EVENT-TIMESTAMP-GENERATED']

/** Lawful hubs whose zone is not the configured EVENT_TIME_ZONE. */
const wrongZones = (
  [
    ['zone-configured-behind-the-hub', 'Asia/Tokyo', 'in a zone far ahead of the configured one'],
    ['zone-configured-ahead-of-the-hub', 'America/New_York', 'in a zone far behind the configured one'],
  ] as const
).map(([name, zone, where]) => ({
  name,
  summary: `Writes the times of events ${where}.`,
  concerns: needsZone,
  unspecified,
  mustBeInconclusive: needsZone,
  alter: (behaviour: Behaviour) => {
    inZone(zone)(behaviour)
    behaviour.variables.EVENT_TIME_ZONE = 'Europe/Helsinki'
  },
}))

/** Lawful zones and clocks of the hub, and wrong configurations of them. */
export const eventZoneVariants: readonly Variant[] = withSurface('hub', [
  ...zones,
  ...unknownZones,
  ...clockChanges,
  ...elapsedHours,
  ...offClocks,
  wrongDates,
  ...wrongZones,
])
