import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { parseLocalTime } from '../hub/local-time.ts'

/** Lawful interpretations of a day that does not exist, such as 30 February. */
export const eventTimeVariants = withSurface('hub', [
  {
    name: 'impossible-date-rolls-over',
    summary: 'Interprets a day that does not exist as a day of the next month.',
    concerns: ['EVENT-TIME-IMPOSSIBLE', 'EVENT-TIME-INVALID'],
    unspecified: 'Whether a day that does not exist is an invalid time is not specified.',
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
    summary: 'Interprets a day that does not exist as the last day of its month.',
    concerns: ['EVENT-TIME-IMPOSSIBLE', 'EVENT-TIME-INVALID'],
    unspecified: 'Whether a day that does not exist is an invalid time is not specified.',
    alter: ({ hub }: Behaviour) => {
      const { parseTime } = hub
      hub.parseTime = (text, parameter) => {
        const days = [text, ...['30', '29', '28'].map((day) => text.replace(/-(29|30|31)T/, `-${day}T`))]
        return days.map((day) => parseTime(day, parameter)).find((time) => time !== undefined)
      }
    },
  },
])
