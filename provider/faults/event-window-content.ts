import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Missing or additional events of a window. */
export const eventWindowContentFaults = withSurface('hub', [
  {
    name: 'full-day-empty',
    summary: 'Returns no events for a window of exactly 24 hours.',
    violates: ['EVENT-WINDOW-FULL-DAY'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from, to: to - from === DAY ? from : to })
    },
  },
  {
    name: 'full-day-refused',
    summary: 'Rejects a window of exactly 24 hours.',
    violates: ['EVENT-WINDOW-FULL-DAY'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds) => milliseconds >= DAY
    },
  },
  {
    name: 'from-exclusive',
    summary: 'Omits an event at `from`.',
    violates: ['EVENT-FROM-INCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from: from + 1, to: Math.max(to, from + 1) })
    },
  },
  {
    name: 'from-exclusive-between-seconds',
    summary: 'Omits an event at `from` unless `from` is a full second.',
    violates: ['EVENT-FROM-INCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) =>
        from % 1000 === 0 ? { from, to } : { from: from + 1, to: Math.max(to, from + 1) }
    },
  },
  {
    name: 'to-inclusive-between-seconds',
    summary: 'Returns an event at `to` unless `to` is a full second.',
    violates: ['EVENT-TO-EXCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from, to: to % 1000 === 0 ? to : to + 1 })
    },
  },
  {
    name: 'from-exclusive-at-full-seconds',
    summary: 'Omits an event at a `from` that is a full second.',
    violates: ['EVENT-FROM-INCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from: from % 1000 === 0 ? from + 1 : from, to })
    },
  },
  {
    name: 'to-inclusive-at-full-seconds',
    summary: 'Returns an event at a `to` that is a full second.',
    violates: ['EVENT-TO-EXCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from, to: to % 1000 === 0 ? to + 1 : to })
    },
  },
  {
    name: 'to-inclusive',
    summary: 'Returns an event at `to`.',
    violates: ['EVENT-TO-EXCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from, to: to + 1 })
    },
  },
  {
    name: 'from-exclusive-in-wide-windows',
    summary: 'Omits an event at `from` in a window of more than one hour.',
    violates: ['EVENT-FROM-INCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from: to - from > HOUR ? from + 1 : from, to })
    },
  },
  {
    name: 'to-inclusive-in-wide-windows',
    summary: 'Returns an event at `to` in a window of more than one hour.',
    violates: ['EVENT-TO-EXCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from, to: to - from > HOUR ? to + 1 : to })
    },
  },
  {
    name: 'events-in-year-9999',
    summary: 'Dates every event in the year 9999.',
    violates: ['EVENT-WINDOW-RESPECTED'],
    alter: ({ hub }: Behaviour) =>
      hub.envelope.push((envelope) => {
        envelope.timestamp = `9999${String(envelope.timestamp).slice(4)}`
      }),
  },
  {
    name: 'full-seconds-in-year-9999',
    summary:
      'Writes the year 9999 and no fraction into the timestamp of each event that occurs on a full second.',
    violates: ['EVENT-WINDOW-RESPECTED'],
    consequences: ['EVENT-TIME-ORDER'],
    alter: ({ hub }: Behaviour) =>
      hub.envelope.push((envelope) => {
        const [, afterYear] = /^\d{4}(.*)\.000$/.exec(String(envelope.timestamp)) ?? []
        if (afterYear) envelope.timestamp = `9999${afterYear}`
      }),
  },
  {
    name: 'wide-windows-thinned',
    summary:
      'Omits every tenth event from a window whose events span more than 18 hours, and does not count it in `total`.',
    violates: ['EVENT-WINDOWS-ADJACENT'],
    alter: ({ hub }: Behaviour) => {
      hub.order = (ascending) => {
        const wide = (ascending.at(-1)?.local ?? 0) - (ascending[0]?.local ?? 0) > 18 * HOUR
        return wide ? ascending.filter((_, index) => index % 10 !== 9) : ascending
      }
    },
  },
  {
    name: 'medium-windows-thinned',
    summary: 'Omits the last event from a window of one to nine hours, and does not count it in `total`.',
    violates: ['EVENT-WINDOWS-ADJACENT'],
    alter: ({ hub }: Behaviour) => {
      let medium = false
      hub.effectiveRange = (range) => {
        medium = range.to - range.from >= HOUR && range.to - range.from <= 9 * HOUR
        return range
      }
      hub.order = (ascending) => (medium ? ascending.slice(0, -1) : ascending)
    },
  },
  {
    name: 'window-searched-for-20-hours',
    summary: 'Searches only the first 20 hours after `from`.',
    violates: ['EVENT-WINDOWS-ADJACENT'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from, to: Math.min(to, from + 20 * HOUR) })
    },
  },
  {
    name: 'from-rounded-down',
    summary: 'Rounds `from` down to the hour, and so returns earlier events.',
    violates: ['EVENT-WINDOW-RESPECTED'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from: Math.floor(from / HOUR) * HOUR, to })
    },
  },
  {
    name: 'bounds-put-in-order',
    summary: 'Returns the events between `to` and `from` if `from` is after `to`.',
    violates: ['EVENT-WINDOW-RESPECTED'],
    alter: ({ hub }: Behaviour) =>
      hub.interceptors.push(({ query }) => {
        const bounds = [query.get('from') ?? '', query.get('to') ?? ''] as const
        const [begins, ends] = [hub.parseTime(bounds[0], 'from'), hub.parseTime(bounds[1], 'to')]
        if (begins === undefined || ends === undefined || begins <= ends) return undefined
        query.set('from', bounds[1])
        query.set('to', bounds[0])
        return undefined
      }),
  },
  {
    name: 'equal-bounds-read-as-a-day',
    summary: 'Returns the events of 24 hours if `from` and `to` are the same time.',
    violates: ['EVENT-WINDOW-RESPECTED'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from, to: from === to ? from + DAY : to })
    },
  },
])
