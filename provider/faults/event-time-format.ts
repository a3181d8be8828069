import { type Behaviour, withFace } from '../behaviour.ts'
import { parseLocalTime } from '../hub/behaviour.ts'

const DAY = 24 * 3_600_000

/** Lets a time through that ends in something the local form does not have. */
function acceptSuffix({ hub }: Behaviour, suffix: RegExp, only?: 'from' | 'to'): void {
  const { parseTime } = hub
  hub.parseTime = (text, parameter) =>
    parseTime(only && parameter !== only ? text : text.replace(suffix, ''), parameter)
}

/** Times that have to be refused for how they are written. */
export const eventTimeFormatFaults = withFace('hub', [
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
    name: 'impossible-date-clamped',
    summary: 'A day that does not exist counts as the last one of its month.',
    violates: ['EVENT-TIME-INVALID'],
    alter: ({ hub }: Behaviour) => {
      const { parseTime } = hub
      hub.parseTime = (text, parameter) => {
        const days = [text, ...['30', '29', '28'].map((day) => text.replace(/-(29|30|31)T/, `-${day}T`))]
        return days.map((day) => parseTime(day, parameter)).find((time) => time !== undefined)
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
])
