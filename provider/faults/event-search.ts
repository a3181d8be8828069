import { type Behaviour, withFace } from '../behaviour.ts'
import { fieldsOf, htmlAnswer, jsonAnswer } from '../http.ts'
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
    consequences: ['EVENT-PAGE-DEFAULT'],
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
    consequences: ['EVENT-PAGINATION'],
    alter: ({ hub }: Behaviour) => {
      hub.searched = ({ from, to }) => ({ from: from + 1, to: Math.max(to, from + 1) })
    },
  },
  {
    name: 'to-inclusive',
    summary: 'An event at to is found.',
    violates: ['EVENT-TO-EXCLUSIVE'],
    consequences: ['EVENT-WINDOW-RESPECTED'],
    alter: ({ hub }: Behaviour) => {
      hub.searched = ({ from, to }) => ({ from, to: to + 1 })
    },
  },
  {
    name: 'from-rounded-down',
    summary: 'from is rounded down to the hour, so that earlier events are found.',
    violates: ['EVENT-WINDOW-RESPECTED'],
    consequences: ['EVENT-FROM-INCLUSIVE', 'EVENT-TO-EXCLUSIVE'],
    alter: ({ hub }: Behaviour) => {
      hub.searched = ({ from, to }) => ({ from: Math.floor(from / HOUR) * HOUR, to })
    },
  },
]

const access = [
  {
    name: 'hub-without-credentials',
    summary: 'A search without X-Client-Id is served.',
    violates: ['EVENT-CREDENTIALS-REQUIRED'],
    consequences: ['EVENT-NO-OAUTH'],
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
    name: 'hub-secret-not-checked',
    summary: 'Any X-Client-Secret goes with a known X-Client-Id.',
    violates: ['EVENT-SECRET-REQUIRED'],
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
    name: 'unentitled-partner-gets-404',
    summary: 'A partner without the Event Hub gets 404.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      hub.unentitled = () => htmlAnswer(404, '<!doctype html><title>Not found</title>')
    },
  },
]

export const eventSearchFaults = withFace('hub', [...shape, ...window, ...access])
