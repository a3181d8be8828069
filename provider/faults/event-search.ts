import { type Behaviour, withFace } from '../behaviour.ts'
import type { Partner } from '../deployment.ts'
import { fieldsOf, htmlAnswer, jsonAnswer, type Received } from '../http.ts'
import { parseLocalTime } from '../hub/behaviour.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Lets a time through that ends in something the local form does not have. */
function acceptSuffix({ hub }: Behaviour, suffix: RegExp, only?: 'from' | 'to'): void {
  const { parseTime } = hub
  hub.parseTime = (text, parameter) =>
    parseTime(only && parameter !== only ? text : text.replace(suffix, ''), parameter)
}

const shape = [
  {
    name: 'page-total-as-text',
    summary: 'The total of a page is a string.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.answers.push((answer) => {
        const fields = fieldsOf(answer)
        if (answer.status === 200 && fields) fields.total = String(fields.total)
      }),
  },
  {
    name: 'page-number-missing',
    summary: 'A page does not say which one it is.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.answers.push((answer) => {
        if (answer.status === 200) delete fieldsOf(answer)?.page
      }),
  },
  {
    name: 'page-items-by-id',
    summary: 'The items of a page are an object with the ids as names.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.answers.push((answer) => {
        const fields = fieldsOf(answer)
        if (!Array.isArray(fields?.items)) return
        fields.items = Object.fromEntries(fields.items.map((item) => [item.id, item]))
      }),
  },
]

const window = [
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
    name: 'zulu-time-accepted',
    summary: 'Times with a trailing Z are accepted.',
    violates: ['EVENT-TIME-Z-REJECTED'],
    alter: (behaviour: Behaviour) => acceptSuffix(behaviour, /Z$/),
  },
  {
    name: 'zulu-time-accepted-in-to',
    summary: 'A trailing Z is refused in from and accepted in to.',
    violates: ['EVENT-TIME-Z-REJECTED'],
    alter: (behaviour: Behaviour) => acceptSuffix(behaviour, /Z$/, 'to'),
  },
  {
    name: 'offset-accepted',
    summary: 'Times with an offset are accepted.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: (behaviour: Behaviour) => acceptSuffix(behaviour, /[+-]\d{2}:\d{2}$/),
  },
  {
    name: 'positive-offset-accepted',
    summary: 'Times with a positive offset are accepted, with a negative one refused.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: (behaviour: Behaviour) => acceptSuffix(behaviour, /\+\d{2}:\d{2}$/),
  },
  {
    name: 'negative-offset-accepted',
    summary: 'Times with a negative offset are accepted, with a positive one refused.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: (behaviour: Behaviour) => acceptSuffix(behaviour, /-\d{2}:\d{2}$/),
  },
  {
    name: 'offset-without-colon-accepted',
    summary: 'An offset is refused where it has a colon, and accepted where it has none.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: (behaviour: Behaviour) => acceptSuffix(behaviour, /[+-]\d{4}$/),
  },
  {
    name: 'offset-in-hours-accepted-in-to',
    summary: 'An offset that counts hours alone is accepted in to.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: (behaviour: Behaviour) => acceptSuffix(behaviour, /(?<=:.*)[+-]\d{2}$/, 'to'),
  },
  {
    name: 'zero-offset-accepted',
    summary: 'An offset of nothing is accepted, every other one refused.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: (behaviour: Behaviour) => acceptSuffix(behaviour, /\+00:00$/),
  },
  {
    name: 'impossible-date-rolls-over',
    summary: 'A day that does not exist counts as one of the next month.',
    violates: ['EVENT-TIME-INVALID'],
    alter: ({ hub }: Behaviour) => {
      hub.parseTime = (text) => {
        const match = /^(\d{4})-(\d{2})-(\d{2})(T.*)$/.exec(text)
        if (!match) return undefined
        const [, year, month, day, time] = match
        const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day))
        const intoDay = parseLocalTime(`1970-01-01${time}`)
        return intoDay === undefined ? undefined : midnight + intoDay
      }
    },
  },
  {
    name: 'nonsense-time-ignored',
    summary: 'A time that cannot be read counts as 24 hours from the other one.',
    violates: ['EVENT-TIME-INVALID'],
    consequences: ['EVENT-TIME-Z-REJECTED', 'EVENT-TIME-OFFSET-REJECTED'],
    alter: ({ hub }: Behaviour) => {
      hub.fallbackTime = (reason, parameter, other) => {
        if (reason === 'missing' || other === undefined) return undefined
        return parameter === 'from' ? other - DAY : other + DAY
      }
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
    summary: 'The width of a window is rounded down to hours before it is compared.',
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
    summary: 'Of the width of a window only what is left over from whole days is compared.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds) => milliseconds > DAY && milliseconds % DAY !== 0
    },
  },
  {
    name: 'window-limit-on-first-page-only',
    summary: 'The width of a window is compared where its first page is asked for, and not later.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      hub.tooWide = (milliseconds, _, { page }) => page === 0 && milliseconds > DAY
    },
  },
  {
    name: 'wide-window-refused-with-events',
    summary: 'A window that is too wide is answered 400, with a page of events.',
    violates: ['EVENT-WINDOW-LIMIT'],
    alter: ({ hub }: Behaviour) => {
      let wide = false
      hub.tooWide = (milliseconds) => {
        wide = milliseconds > DAY
        return false
      }
      hub.answers.push((answer) => {
        if (wide) answer.status = 400
        wide = false
      })
    },
  },
  {
    name: 'missing-from-refused-with-events',
    summary:
      'A search without from is answered 400, with the events of the 24 hours before to in its details.',
    violates: ['EVENT-FROM-REQUIRED'],
    alter: ({ hub }: Behaviour) => {
      hub.fallbackTime = (reason, parameter, other) =>
        reason === 'missing' && parameter === 'from' && other !== undefined ? other - DAY : undefined
      hub.answers.push((answer, { query }) => {
        if (answer.status !== 200 || query.has('from')) return
        answer.status = 400
        answer.body = { type: 'BAD_REQUEST', message: 'from is missing', details: [answer.body] }
      })
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
    summary: 'An event at from is left out.',
    violates: ['EVENT-FROM-INCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.searched = ({ from, to }) => ({ from: from + 1, to: Math.max(to, from + 1) })
    },
  },
  {
    name: 'to-inclusive',
    summary: 'An event at to is found.',
    violates: ['EVENT-TO-EXCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.searched = ({ from, to }) => ({ from, to: to + 1 })
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
    summary: 'Of a window of many hours every tenth event is left out, in its total too.',
    violates: ['EVENT-WINDOWS-ADJACENT'],
    alter: ({ hub }: Behaviour) => {
      hub.order = (found) => {
        const wide = (found.at(-1)?.local ?? 0) - (found[0]?.local ?? 0) > 18 * HOUR
        return wide ? found.filter((_, index) => index % 10 !== 9) : found
      }
    },
  },
  {
    name: 'window-searched-for-20-hours',
    summary: 'A search of a longer window ends 20 hours after from.',
    violates: ['EVENT-WINDOWS-ADJACENT'],
    alter: ({ hub }: Behaviour) => {
      hub.searched = ({ from, to }) => ({ from, to: Math.min(to, from + 20 * HOUR) })
    },
  },
  {
    name: 'from-rounded-down',
    summary: 'from is rounded down to the hour, so that earlier events are found.',
    violates: ['EVENT-WINDOW-RESPECTED'],
    alter: ({ hub }: Behaviour) => {
      hub.searched = ({ from, to }) => ({ from: Math.floor(from / HOUR) * HOUR, to })
    },
  },
]

function isAnonymous({ headers }: Received): boolean {
  return headers['x-client-id'] === undefined && headers['x-client-secret'] === undefined
}

/** Lets requests in that come from an entitled partner by another rule than the lawful one. */
function admit(
  { hub }: Behaviour,
  isFrom: (received: Received, partner: Partner, partners: readonly Partner[]) => boolean,
): void {
  const { credentials } = hub
  hub.credentials = (received, partners) => {
    const partner = partners.find((candidate) => candidate.eventHub && isFrom(received, candidate, partners))
    return partner ? { verdict: 'known', partner } : credentials(received, partners)
  }
}

const access = [
  {
    name: 'hub-without-credentials',
    summary: 'A search without X-Client-Id is served.',
    violates: ['EVENT-CREDENTIALS-REQUIRED'],
    alter: ({ hub }: Behaviour) => {
      const { credentials } = hub
      hub.credentials = (received, partners) => {
        const anyone = partners.find(({ eventHub }) => eventHub)
        const anonymous = received.headers['x-client-id'] === undefined
        return anonymous && anyone ? { verdict: 'known', partner: anyone } : credentials(received, partners)
      }
    },
  },
  {
    name: 'nobody-refused-with-events',
    summary: 'A search without credentials is answered 401, with the page that was asked for.',
    violates: ['EVENT-CREDENTIALS-REQUIRED'],
    alter: ({ hub }: Behaviour) => {
      const { credentials } = hub
      hub.credentials = (received, partners) => {
        const entitled = partners.find(({ eventHub }) => eventHub)
        return isAnonymous(received) && entitled
          ? { verdict: 'known', partner: entitled }
          : credentials(received, partners)
      }
      hub.answers.push((answer, received) => {
        if (isAnonymous(received)) answer.status = 401
      })
    },
  },
  {
    name: 'hub-id-is-enough',
    summary: 'A known X-Client-Id without X-Client-Secret is served.',
    violates: ['EVENT-SECRET-REQUIRED'],
    alter: (behaviour: Behaviour) =>
      admit(
        behaviour,
        ({ headers }, { id }) => headers['x-client-id'] === id && headers['x-client-secret'] === undefined,
      ),
  },
  {
    name: 'hub-secret-is-enough',
    summary: 'A known X-Client-Secret without X-Client-Id is served.',
    violates: ['EVENT-CLIENT-ID-REQUIRED'],
    alter: (behaviour: Behaviour) =>
      admit(
        behaviour,
        ({ headers }, { secret }) =>
          headers['x-client-id'] === undefined && headers['x-client-secret'] === secret,
      ),
  },
  {
    name: 'hub-id-not-checked',
    summary: 'Any X-Client-Id goes with a known X-Client-Secret.',
    violates: ['EVENT-CLIENT-ID-WRONG'],
    alter: (behaviour: Behaviour) =>
      admit(
        behaviour,
        ({ headers }, { secret }, partners) =>
          headers['x-client-secret'] === secret &&
          headers['x-client-id'] !== undefined &&
          !partners.some(({ id }) => id === headers['x-client-id']),
      ),
  },
  {
    name: 'hub-takes-any-partners-secret',
    summary: 'The X-Client-Secret of any partner goes with a known X-Client-Id.',
    violates: ['EVENT-SECRET-OF-ANOTHER'],
    alter: (behaviour: Behaviour) =>
      admit(
        behaviour,
        ({ headers }, { id }, partners) =>
          headers['x-client-id'] === id &&
          partners.some(({ secret }) => secret === headers['x-client-secret']),
      ),
  },
  {
    name: 'hub-takes-bearer-token-for-secret',
    summary: 'An OAuth access token beside a known X-Client-Id opens the Event Hub without X-Client-Secret.',
    violates: ['EVENT-NO-OAUTH'],
    alter: (behaviour: Behaviour) =>
      admit(
        behaviour,
        ({ headers }, { id }) =>
          headers['x-client-id'] === id &&
          /^bearer [\w-]+\.[\w-]+\.[\w-]+$/i.test(headers.authorization ?? ''),
      ),
  },
  {
    name: 'hub-secret-not-checked',
    summary: 'Any X-Client-Secret goes with a known X-Client-Id.',
    violates: ['EVENT-SECRET-WRONG'],
    alter: ({ hub }: Behaviour) => {
      hub.credentials = ({ headers }, partners) => {
        const given = headers['x-client-secret'] !== undefined
        const partner = partners.find(({ id }) => given && id === headers['x-client-id'])
        return partner ? { verdict: 'known', partner } : { verdict: 'refused' }
      }
    },
  },
  {
    name: 'hub-accepts-bearer-token',
    summary: 'An OAuth access token opens the Event Hub in place of the static headers.',
    violates: ['EVENT-NO-OAUTH'],
    alter: ({ hub }: Behaviour) => {
      const { credentials } = hub
      hub.credentials = (received, partners) => {
        const owner = partners.find(({ eventHub }) => eventHub)
        const bearer = /^bearer [\w-]+\.[\w-]+\.[\w-]+$/i.test(received.headers.authorization ?? '')
        return bearer && owner ? { verdict: 'known', partner: owner } : credentials(received, partners)
      }
    },
  },
  {
    name: 'unentitled-partner-served',
    summary: 'A partner without the Event Hub can search it.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      hub.entitled = () => true
    },
  },
  {
    name: 'unentitled-partner-gets-empty-page',
    summary: 'A partner without the Event Hub gets an empty page with status 200.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      hub.unentitled = () => jsonAnswer(200, { page: 0, pageSize: 10, total: 0, items: [] })
    },
  },
  {
    name: 'unentitled-partner-refused-with-events',
    summary: 'A partner without the Event Hub gets 403, with the page that was asked for.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      const { entitled } = hub
      let refused = false
      hub.entitled = (partner) => {
        refused = !entitled(partner)
        return true
      }
      hub.answers.push((answer) => {
        if (refused) answer.status = 403
        refused = false
      })
    },
  },
  {
    name: 'unentitled-partner-gets-404',
    summary: 'A partner without the Event Hub gets 404.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      hub.unentitled = () => htmlAnswer(404, '<!doctype html><title>Not found</title>')
    },
  },
]

export const eventSearchFaults = withFace('hub', [...shape, ...window, ...access])
