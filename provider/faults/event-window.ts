import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

function dayOfMonth(milliseconds: number): number {
  return new Date(milliseconds).getUTCDate()
}

/** Passes a function to `alter` that returns the hub's local time at the latest search. */
function withPresent(alter: (behaviour: Behaviour, present: () => number) => void): Alter {
  return (behaviour) => {
    let now = 0
    // The hub calls this function before each search. It adds no events.
    behaviour.hub.arrivals.push((_, local) => {
      now = local
      return []
    })
    alter(behaviour, () => now)
  }
}

/** Interprets an absent `to` as the present, if there is a `from`. */
const readMissingToAsNow = withPresent(({ hub }, present) => {
  hub.fallbackTime = (reason, parameter, other) =>
    reason === 'missing' && parameter === 'to' && other !== undefined ? present() : undefined
})

/** Accepted windows without a bound, or above the maximum width. */
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
    name: 'missing-to-read-as-now',
    summary: 'Interprets an absent `to` as the present.',
    violates: ['EVENT-TO-REQUIRED'],
    alter: readMissingToAsNow,
  },
  {
    name: 'missing-to-read-as-now-in-unknown-zone',
    summary: 'Interprets an absent `to` as the present, 9 hours ahead of UTC; EVENT_TIME_ZONE is `unknown`.',
    violates: ['EVENT-TO-REQUIRED'],
    alter: (behaviour: Behaviour) => {
      behaviour.hub.zone = 'Asia/Tokyo'
      behaviour.variables.EVENT_TIME_ZONE = 'unknown'
      readMissingToAsNow(behaviour)
    },
  },
  {
    name: 'invalid-to-read-as-now',
    summary: 'Interprets a `to` that is empty or not a time as the present.',
    violates: ['EVENT-TIME-INVALID'],
    alter: withPresent(({ hub }, present) => {
      hub.fallbackTime = (reason, parameter) =>
        reason === 'invalid' && parameter === 'to' ? present() : undefined
    }),
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
    name: 'window-of-two-days-accepted',
    summary: 'Accepts a window of exactly 48 hours.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds) => milliseconds > DAY && milliseconds !== 2 * DAY
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
    summary: 'Accepts a window of 25 hours to less than a week, and searches only its first 24 hours.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds) =>
        milliseconds > DAY && (milliseconds < 25 * HOUR || milliseconds >= 7 * DAY)
      hub.effectiveRange = ({ from, to }) => ({ from, to: Math.min(to, from + DAY) })
    },
  },
  {
    name: 'window-of-whole-months-accepted',
    summary:
      'Ignores whole months when it computes the width of a window: 1 month and 3 hours counts as 3 hours.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds, { from, to }) =>
        milliseconds > DAY && (milliseconds < 28 * DAY || dayOfMonth(from) !== dayOfMonth(to))
    },
  },
  {
    name: 'future-end-read-as-now',
    summary: 'Interprets a `to` in the future as the present before it validates the width of the window.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: withPresent(({ hub }, present) => {
      hub.tooWide = (_, { from, to }) => Math.min(to, present()) - from > DAY
      hub.effectiveRange = ({ from, to }) => ({ from, to: Math.max(from, Math.min(to, present())) })
    }),
  },
  {
    name: 'wide-window-refused-with-events',
    summary: 'Returns 400 with a page of events for a window that is too wide.',
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
      'Returns 400 for a search without `from`, and includes the events of the 24 hours before `to` as details.',
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
      'Returns 400 for a search without `to`, and includes the events of the 24 hours after `from` as details.',
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
])
