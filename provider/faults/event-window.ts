import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

function dayOfMonth(milliseconds: number): number {
  return new Date(milliseconds).getUTCDate()
}

/** Hands the present in the hub's local time to the behaviour before each search. */
function withPresent(alter: (behaviour: Behaviour, present: () => number) => void): Alter {
  return (behaviour) => {
    let now = 0
    behaviour.hub.arrivals.push((_, local) => {
      now = local
      return []
    })
    alter(behaviour, () => now)
  }
}

/** Bounds, maximum width and content of windows. */
export const eventWindowFaults = withSurface('hub', [
  {
    name: 'from-optional',
    summary: 'Accepts a search without `from`, and returns the events of the 24 hours before `to`.',
    violates: ['EVENT-FROM-REQUIRED'],
    alter: ({ hub }: Behaviour) => {
      hub.fallbackTime = (reason, parameter, other) =>
        reason === 'missing' && parameter === 'from' && other !== undefined ? other - DAY : undefined
    },
  },
  {
    name: 'to-optional',
    summary: 'Accepts a search without `to`, and returns the events of the 24 hours after `from`.',
    violates: ['EVENT-TO-REQUIRED'],
    alter: ({ hub }: Behaviour) => {
      hub.fallbackTime = (reason, parameter, other) =>
        reason === 'missing' && parameter === 'to' && other !== undefined ? other + DAY : undefined
    },
  },
  {
    name: 'from-and-to-optional',
    summary: 'Returns the events of the last 24 hours for a search without `from` and `to`.',
    violates: ['EVENT-FROM-REQUIRED'],
    alter: withPresent(({ hub }, present) => {
      hub.fallbackTime = (reason, parameter, other) => {
        if (reason === 'invalid' || other !== undefined) return undefined
        return parameter === 'from' ? present() - DAY : present()
      }
    }),
  },
  {
    name: 'window-of-25-hours-accepted',
    summary: 'Accepts windows of up to 25 hours.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds) => milliseconds > 25 * HOUR
    },
  },
  {
    name: 'window-counted-in-whole-hours',
    summary: 'Rounds the width of a window down to whole hours before it compares the width with the limit.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds) => Math.floor(milliseconds / HOUR) > 24
    },
  },
  {
    name: 'window-unlimited',
    summary: 'Accepts windows of any width.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = () => false
    },
  },
  {
    name: 'window-of-whole-days-accepted',
    summary: 'Accepts a window of several whole days.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds) => milliseconds > DAY && milliseconds % DAY !== 0
    },
  },
  {
    name: 'window-limit-on-first-page-only',
    summary: 'Validates the width of a window only for page 0.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds, _, { page }) => page === 0 && milliseconds > DAY
    },
  },
  {
    name: 'window-unlimited-without-page-size',
    summary: 'Validates the width of a window only if `pageSize` is present.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      let hasSize = true
      hub.interceptors.push(({ query }) => {
        hasSize = query.has('pageSize')
        return undefined
      })
      hub.tooWide = (milliseconds) => hasSize && milliseconds > DAY
    },
  },
  {
    name: 'window-unlimited-for-large-pages',
    summary: 'Validates the width of a window only for a `pageSize` of at most 10.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds, _, { pageSize }) => pageSize <= 10 && milliseconds > DAY
    },
  },
  {
    name: 'window-of-a-few-days-cut-to-24-hours',
    summary: 'Searches the first 24 hours of a window of 25 hours to less than a week.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds) =>
        milliseconds > DAY && (milliseconds < 25 * HOUR || milliseconds >= 7 * DAY)
      hub.effectiveRange = ({ from, to }) => ({ from, to: Math.min(to, from + DAY) })
    },
  },
  {
    name: 'window-of-whole-months-accepted',
    summary: 'Validates only the days of a window beyond its whole months.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds, { from, to }) =>
        milliseconds > DAY && (milliseconds < 28 * DAY || dayOfMonth(from) !== dayOfMonth(to))
    },
  },
  {
    name: 'to-in-the-future-read-as-now',
    summary: 'Interprets a `to` in the future as the present before it validates the width of the window.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: withPresent(({ hub }, present) => {
      hub.tooWide = (_, { from, to }) => Math.min(to, present()) - from > DAY
      hub.effectiveRange = ({ from, to }) => ({ from, to: Math.max(from, Math.min(to, present())) })
    }),
  },
  {
    name: 'wide-window-refused-with-events',
    summary: 'Returns 400 for a window that is too wide, but with a page of events.',
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
    summary:
      'Returns 400 for a search without `from`, but with the events of the 24 hours before `to` as details.',
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
    summary:
      'Returns 400 for a search without `to`, but with the events of the 24 hours after `from` as details.',
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
    name: 'to-inclusive',
    summary: 'Returns an event at `to`.',
    violates: ['EVENT-TO-EXCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.effectiveRange = ({ from, to }) => ({ from, to: to + 1 })
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
    summary: 'Dates events on a full second in the year 9999, without a fraction.',
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
    summary: 'Omits every tenth event from a window of many hours, and does not count it in `total`.',
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
    summary: 'Omits the last event from a window of one to nine hours, and does not count it in `total`.',
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
