import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { wallClock } from '../hub/local-time.ts'

const DAY = 24 * 3_600_000
const fraction = /\.\d+$/

/** Ignores a suffix of times, such as `Z`: in both parameters, or in one. */
function acceptSuffix(suffix: RegExp, only?: 'from' | 'to'): Alter {
  return ({ hub }) => {
    const { parseTime } = hub
    hub.parseTime = (text, parameter) =>
      parseTime(only && parameter !== only ? text : text.replace(suffix, ''), parameter)
  }
}

/** Ignores a suffix of times in searches for later pages. */
function acceptSuffixOnLaterPages(suffix: RegExp): Alter {
  return ({ hub }) => {
    const { parseTime } = hub
    let isLater = false
    hub.interceptors.push(({ query }) => {
      isLater = Number(query.get('page')) >= 1
      return undefined
    })
    hub.parseTime = (text, parameter) => parseTime(isLater ? text.replace(suffix, '') : text, parameter)
  }
}

/** Ignores a suffix of times that is the same in `from` and `to`. */
function acceptSuffixOfBoth(suffix: RegExp): Alter {
  return ({ hub }) => {
    const { parseTime } = hub
    let isShared = false
    hub.interceptors.push(({ query }) => {
      const [from, to] = ['from', 'to'].map((name) => suffix.exec(query.get(name) ?? '')?.[0])
      isShared = from === to
      return undefined
    })
    hub.parseTime = (text, parameter) => parseTime(isShared ? text.replace(suffix, '') : text, parameter)
  }
}

function readDateAsMidnight(only?: 'from' | 'to'): Alter {
  return ({ hub }) => {
    const { parseTime } = hub
    hub.parseTime = (text, parameter) => {
      const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text) && (only === undefined || parameter === only)
      return parseTime(isDate ? `${text}T00:00` : text, parameter)
    }
  }
}

/** Shifts times without a fraction by the offset of the hub's zone. @param direction 1 for later, -1 for earlier */
function shiftWithoutFraction(direction: 1 | -1, only?: 'from' | 'to'): Alter {
  return ({ hub }) => {
    const { parseTime } = hub
    hub.parseTime = (text, parameter) => {
      const time = parseTime(text, parameter)
      const isShifted = !fraction.test(text) && (only === undefined || parameter === only)
      return time === undefined || !isShifted ? time : time + direction * (wallClock(hub.zone)(time) - time)
    }
  }
}

/** Accepted times in a form that must be refused, and misread times in an accepted form. */
export const eventTimeFormatFaults = withSurface('hub', [
  {
    name: 'zulu-time-accepted',
    summary: 'Accepts times with a trailing Z.',
    violates: ['EVENT-TIME-Z-REJECTED'],
    alter: acceptSuffix(/Z$/),
  },
  {
    name: 'zulu-time-accepted-in-to',
    summary: 'Accepts a trailing Z in `to`; a trailing Z in `from` is refused.',
    violates: ['EVENT-TIME-Z-REJECTED'],
    alter: acceptSuffix(/Z$/, 'to'),
  },
  {
    name: 'zulu-time-accepted-in-from',
    summary: 'Requires milliseconds in every time, and accepts a trailing Z after them in `from`.',
    violates: ['EVENT-TIME-Z-REJECTED'],
    alter: (behaviour) => {
      acceptSuffix(/(?<=\.\d{3})Z$/, 'from')(behaviour)
      const { parseTime } = behaviour.hub
      behaviour.hub.parseTime = (text, parameter) =>
        parseTime(/T\d\d:\d\d:\d\d(?!\.)/.test(text) ? 'no milliseconds' : text, parameter)
    },
  },
  {
    name: 'zulu-whole-seconds-accepted',
    summary: 'Accepts a trailing Z after whole seconds, but refuses one after milliseconds.',
    violates: ['EVENT-TIME-Z-REJECTED'],
    alter: acceptSuffix(/(?<=T\d\d:\d\d:\d\d)Z$/),
  },
  {
    name: 'zulu-time-accepted-on-later-pages',
    summary: 'Accepts times with a trailing Z on every page after the first one.',
    violates: ['EVENT-TIME-Z-REJECTED'],
    alter: acceptSuffixOnLaterPages(/Z$/),
  },
  {
    name: 'zulu-times-accepted-in-both',
    summary: 'Accepts times with a trailing Z if both `from` and `to` have it.',
    violates: ['EVENT-TIME-Z-REJECTED'],
    alter: acceptSuffixOfBoth(/Z$/),
  },
  {
    name: 'equal-offsets-accepted',
    summary: 'Accepts times with an offset if `from` and `to` have the same offset.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffixOfBoth(/[+-]\d{2}:\d{2}$/),
  },
  {
    name: 'offset-accepted-on-later-pages',
    summary: 'Accepts times with an offset on every page after the first one.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffixOnLaterPages(/[+-]\d{2}:\d{2}$/),
  },
  {
    name: 'offset-accepted',
    summary: 'Accepts times with an offset.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/[+-]\d{2}:\d{2}$/),
  },
  {
    name: 'positive-offset-accepted',
    summary: 'Accepts times with a positive offset; negative offsets are refused.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/\+\d{2}:\d{2}$/),
  },
  {
    name: 'negative-offset-accepted',
    summary: 'Accepts times with a negative offset; positive offsets are refused.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/-\d{2}:\d{2}$/),
  },
  {
    name: 'offset-without-colon-accepted',
    summary: 'Accepts an offset without a colon; an offset with a colon is refused.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/[+-]\d{4}$/),
  },
  {
    name: 'offset-of-half-an-hour-accepted',
    summary: 'Accepts an offset that ends in :30; every other offset is refused.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/[+-]\d{2}:30$/),
  },
  {
    name: 'offset-of-three-quarters-of-an-hour-accepted',
    summary: 'Accepts an offset that ends in 45 minutes; every other offset is refused.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/[+-]\d{2}:?45$/),
  },
  {
    name: 'offset-in-hours-accepted-in-to',
    summary: 'Accepts an offset in whole hours, such as +02, in `to`.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/(?<=:.*)[+-]\d{2}$/, 'to'),
  },
  {
    name: 'offset-after-whole-seconds-accepted',
    summary: 'Accepts an offset after whole seconds, but refuses one after milliseconds.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/(?<=:\d\d)[+-]\d\d:\d\d$/),
  },
  {
    name: 'zero-offset-accepted',
    summary: 'Accepts the offset +00:00; every other offset is refused.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: acceptSuffix(/\+00:00$/),
  },
  {
    name: 'empty-time-ignored',
    summary:
      'Replaces an empty `from` with the time 24 hours before `to`, and an empty `to` with the time 24 hours after `from`.',
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
    summary: 'Interprets a date without a time as midnight.',
    violates: ['EVENT-TIME-INVALID'],
    alter: readDateAsMidnight(),
  },
  {
    name: 'date-read-as-midnight-in-to',
    summary: 'Interprets a date without a time in `to` as midnight; in `from` it is refused.',
    violates: ['EVENT-TIME-INVALID'],
    alter: readDateAsMidnight('to'),
  },
  {
    name: 'word-after-to-ignored',
    summary: 'Ignores a word after the time in `to`.',
    violates: ['EVENT-TIME-INVALID'],
    alter: acceptSuffix(/(?<=:.*)[a-z]{2,}$/i, 'to'),
  },
  {
    name: 'epoch-milliseconds-accepted',
    summary: 'Interprets a number as milliseconds since 1970.',
    violates: ['EVENT-TIME-INVALID'],
    alter: ({ hub }: Behaviour) => {
      const { parseTime } = hub
      hub.parseTime = (text, parameter) =>
        /^\d{10,13}$/.test(text) ? Number(text) : parseTime(text, parameter)
    },
  },
  {
    name: 'nonsense-time-ignored',
    summary:
      'Replaces an invalid `from` with the time 24 hours before `to`, and an invalid `to` with the time 24 hours after `from`.',
    violates: ['EVENT-TIME-INVALID'],
    alter: ({ hub }: Behaviour) => {
      hub.fallbackTime = (reason, parameter, other) => {
        if (reason === 'missing' || other === undefined) return undefined
        return parameter === 'from' ? other - DAY : other + DAY
      }
    },
  },
  {
    name: 'from-without-fraction-read-as-utc',
    summary: 'Interprets a `from` without a fraction as UTC, and so begins the search some hours late.',
    violates: ['EVENT-TOTAL'],
    alter: shiftWithoutFraction(1, 'from'),
  },
  {
    name: 'times-without-fraction-converted-to-utc',
    summary: 'Converts a time without a fraction to UTC, and so searches a window some hours early.',
    violates: ['EVENT-WINDOW-RESPECTED'],
    alter: shiftWithoutFraction(-1),
  },
  {
    name: 'times-without-fraction-find-nothing',
    summary: 'Returns an empty page with a `total` of 0 for times without a fraction.',
    violates: ['EVENT-TOTAL'],
    alter: ({ hub }: Behaviour) => {
      const { order } = hub
      let isInexact = false
      hub.interceptors.push(({ query }) => {
        isInexact = ['from', 'to'].every((name) => !fraction.test(query.get(name) ?? ''))
        return undefined
      })
      hub.order = (ascending) => (isInexact ? [] : order(ascending))
    },
  },
])
