import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Bounds, maximum width and content of windows. */
export const eventWindowFaults = withSurface('hub', [
  {
    name: 'from-optional',
    summary: 'A search without from covers the 24 hours before to.',
    violates: ['EVENT-FROM-REQUIRED'],
    alter: ({ hub }: Behaviour) => {
      hub.fallbackTime = (reason, parameter, other) =>
        reason === 'missing' && parameter === 'from' && other !== undefined ? other - DAY : undefined
    },
  },
  {
    name: 'to-optional',
    summary: 'A search without to covers the 24 hours after from.',
    violates: ['EVENT-TO-REQUIRED'],
    alter: ({ hub }: Behaviour) => {
      hub.fallbackTime = (reason, parameter, other) =>
        reason === 'missing' && parameter === 'to' && other !== undefined ? other + DAY : undefined
    },
  },
  {
    name: 'window-of-25-hours-accepted',
    summary: 'Windows of up to 25 hours are accepted.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds) => milliseconds > 25 * HOUR
    },
  },
  {
    name: 'window-counted-in-whole-hours',
    summary: 'The width of a window is rounded down to hours before the comparison.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds) => Math.floor(milliseconds / HOUR) > 24
    },
  },
  {
    name: 'window-unlimited',
    summary: 'Windows of any width are accepted.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = () => false
    },
  },
  {
    name: 'window-of-whole-days-accepted',
    summary: 'A window of several whole days is accepted.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds) => milliseconds > DAY && milliseconds % DAY !== 0
    },
  },
  {
    name: 'window-limit-on-first-page-only',
    summary: 'The width of a window is validated on its first page only.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds, _, { page }) => page === 0 && milliseconds > DAY
    },
  },
  {
    name: 'wide-window-refused-with-events',
    summary: 'A window that is too wide returns 400, with a page of events.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      let wide = false
      hub.tooWide = (milliseconds) => {
        wide = milliseconds > DAY
        return false
      }
      hub.responses.push((response) => {
        if (wide) response.status = 400
        wide = false
      })
    },
  },
  {
    name: 'missing-from-refused-with-events',
    summary: 'A search without from returns 400, with the events of the 24 hours before to in its details.',
    violates: ['EVENT-FROM-REQUIRED'],
    alter: ({ hub }: Behaviour) => {
      hub.fallbackTime = (reason, parameter, other) =>
        reason === 'missing' && parameter === 'from' && other !== undefined ? other - DAY : undefined
      hub.responses.push((response, { query }) => {
        if (response.status !== 200 || query.has('from')) return
        response.status = 400
        response.body = { type: 'BAD_REQUEST', message: 'from is missing', details: [response.body] }
      })
    },
  },
  {
    name: 'missing-to-refused-with-events',
    summary: 'A search without to returns 400, with the events of the 24 hours after from in its details.',
    violates: ['EVENT-TO-REQUIRED'],
    alter: ({ hub }: Behaviour) => {
      hub.fallbackTime = (reason, parameter, other) =>
        reason === 'missing' && parameter === 'to' && other !== undefined ? other + DAY : undefined
      hub.responses.push((response, { query }) => {
        if (response.status !== 200 || query.has('to')) return
        response.status = 400
        response.body = { type: 'BAD_REQUEST', message: 'to is missing', details: [response.body] }
      })
    },
  },
  {
    name: 'full-day-empty',
    summary: 'A window of exactly 24 hours returns no events.',
    violates: ['EVENT-WINDOW-FULL-DAY'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from, to: to - from === DAY ? from : to })
    },
  },
  {
    name: 'full-day-refused',
    summary: 'A window of exactly 24 hours is refused.',
    violates: ['EVENT-WINDOW-FULL-DAY'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds) => milliseconds >= DAY
    },
  },
  {
    name: 'from-exclusive',
    summary: 'An event at from is not returned.',
    violates: ['EVENT-FROM-INCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from: from + 1, to: Math.max(to, from + 1) })
    },
  },
  {
    name: 'from-exclusive-between-seconds',
    summary: 'An event at from is not returned, unless from is a full second.',
    violates: ['EVENT-FROM-INCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) =>
        from % 1000 === 0 ? { from, to } : { from: from + 1, to: Math.max(to, from + 1) }
    },
  },
  {
    name: 'to-inclusive-between-seconds',
    summary: 'An event at to is returned, unless to is a full second.',
    violates: ['EVENT-TO-EXCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from, to: to % 1000 === 0 ? to : to + 1 })
    },
  },
  {
    name: 'to-inclusive',
    summary: 'An event at to is returned.',
    violates: ['EVENT-TO-EXCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from, to: to + 1 })
    },
  },
  {
    name: 'events-in-year-9999',
    summary: 'Every event is dated in the year 9999.',
    violates: ['EVENT-WINDOW-RESPECTED'],
    alter: ({ hub }: Behaviour) =>
      hub.envelope.push((envelope) => {
        envelope.timestamp = `9999${String(envelope.timestamp).slice(4)}`
      }),
  },
  {
    name: 'full-seconds-in-year-9999',
    summary: 'Events on a full second are dated in the year 9999, without a fraction.',
    violates: ['EVENT-WINDOW-RESPECTED'],
    consequences: ['EVENT-TIME-ORDER'],
    alter: ({ hub }: Behaviour) =>
      hub.envelope.push((envelope) => {
        const [, rest] = /^\d{4}(.*)\.000$/.exec(String(envelope.timestamp)) ?? []
        if (rest) envelope.timestamp = `9999${rest}`
      }),
  },
  {
    name: 'wide-windows-thinned',
    summary: 'In a window of many hours, every tenth event is missing, and total does not count it.',
    violates: ['EVENT-WINDOWS-ADJACENT'],
    alter: ({ hub }: Behaviour) => {
      hub.order = (found) => {
        const wide = (found.at(-1)?.local ?? 0) - (found[0]?.local ?? 0) > 18 * HOUR
        return wide ? found.filter((_, index) => index % 10 !== 9) : found
      }
    },
  },
  {
    name: 'medium-windows-thinned',
    summary: 'In a window of one to nine hours, the last event is missing, and total does not count it.',
    violates: ['EVENT-WINDOWS-ADJACENT'],
    alter: ({ hub }: Behaviour) => {
      let medium = false
      hub.effectiveRange = (range) => {
        medium = range.to - range.from >= HOUR && range.to - range.from <= 9 * HOUR
        return range
      }
      hub.order = (found) => (medium ? found.slice(0, -1) : found)
    },
  },
  {
    name: 'window-searched-for-20-hours',
    summary: 'A search covers at most the 20 hours after from.',
    violates: ['EVENT-WINDOWS-ADJACENT'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from, to: Math.min(to, from + 20 * HOUR) })
    },
  },
  {
    name: 'from-rounded-down',
    summary: 'from is rounded down to the hour, so earlier events are returned.',
    violates: ['EVENT-WINDOW-RESPECTED'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from: Math.floor(from / HOUR) * HOUR, to })
    },
  },
])
