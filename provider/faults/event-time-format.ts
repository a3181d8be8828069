import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'

const DAY = 24 * 3_600_000

/** Accepts times with a suffix that local date-times do not have. */
function acceptSuffix(suffix: RegExp, only?: 'from' | 'to'): Alter {
  return ({ hub }) => {
    const { parseTime } = hub
    hub.parseTime = (text, parameter) =>
      parseTime(only && parameter !== only ? text : text.replace(suffix, ''), parameter)
  }
}

/** Accepts dates without a time. */
function readDateAsMidnight(only?: 'from' | 'to'): Alter {
  return ({ hub }) => {
    const { parseTime } = hub
    hub.parseTime = (text, parameter) => {
      const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text) && (only === undefined || parameter === only)
      return parseTime(isDate ? `${text}T00:00` : text, parameter)
    }
  }
}

/** Times in a form that must be refused. */
export const eventTimeFormatFaults = withSurface('hub', [
  {
    name: 'zulu-time-accepted',
    summary: 'Times with a trailing Z are accepted.',
    violates: ['EVENT-TIME-Z-REJECTED'],
    alter: acceptSuffix(/Z$/),
  },
  {
    name: 'zulu-time-accepted-in-to',
    summary: 'A trailing Z is refused in from and accepted in to.',
    violates: ['EVENT-TIME-Z-REJECTED'],
    alter: acceptSuffix(/Z$/, 'to'),
  },
  {
    name: 'offset-accepted',
    summary: 'Times with an offset are accepted.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/[+-]\d{2}:\d{2}$/),
  },
  {
    name: 'positive-offset-accepted',
    summary: 'Times with a positive offset are accepted; negative offsets are refused.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/\+\d{2}:\d{2}$/),
  },
  {
    name: 'negative-offset-accepted',
    summary: 'Times with a negative offset are accepted; positive offsets are refused.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/-\d{2}:\d{2}$/),
  },
  {
    name: 'offset-without-colon-accepted',
    summary: 'An offset without a colon is accepted; an offset with a colon is refused.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/[+-]\d{4}$/),
  },
  {
    name: 'offset-in-hours-accepted-in-to',
    summary: 'An offset in whole hours, such as +02, is accepted in to.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/(?<=:.*)[+-]\d{2}$/, 'to'),
  },
  {
    name: 'zero-offset-accepted',
    summary: 'The offset +00:00 is accepted; every other offset is refused.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/\+00:00$/),
  },
  {
    name: 'empty-time-ignored',
    summary: 'An empty time is replaced by the time 24 hours from the other one.',
    violates: ['EVENT-TIME-INVALID'],
    alter: ({ hub }: Behaviour) => {
      const { parseTime } = hub
      const texts = new Map<string, string>()
      hub.parseTime = (text, parameter) => {
        texts.set(parameter, text)
        return parseTime(text, parameter)
      }
      hub.fallbackTime = (reason, parameter, other) => {
        if (reason === 'missing' || texts.get(parameter) !== '' || other === undefined) return undefined
        return parameter === 'from' ? other - DAY : other + DAY
      }
    },
  },
  {
    name: 'date-read-as-midnight',
    summary: 'A date without a time is read as its midnight.',
    violates: ['EVENT-TIME-INVALID'],
    alter: readDateAsMidnight(),
  },
  {
    name: 'date-read-as-midnight-in-to',
    summary: 'A date without a time is refused in from, and read as its midnight in to.',
    violates: ['EVENT-TIME-INVALID'],
    alter: readDateAsMidnight('to'),
  },
  {
    name: 'nonsense-time-ignored',
    summary: 'An invalid time is replaced by the time 24 hours from the other one.',
    violates: ['EVENT-TIME-INVALID'],
    alter: ({ hub }: Behaviour) => {
      hub.fallbackTime = (reason, parameter, other) => {
        if (reason === 'missing' || other === undefined) return undefined
        return parameter === 'from' ? other - DAY : other + DAY
      }
    },
  },
])
