import { defineArea } from '../../src/check/catalogue.ts'
import { fixtures } from '../../src/check/fixtures.ts'
import type { Requirement } from '../../src/check/requirement.ts'
import { PartnerCredentialSteps } from './credential-steps.ts'

const search = 'Event search (pull)'
const errors = 'Event search errors'
const page = 'Page of events (search result)'
const authentication = 'Authentication'

const area = {
  name: 'event-search',
  title: 'Event search',
  order: 8,
  host: 'partner-api',
} as const

const requirements = {
  'EVENT-PAGE-SHAPE': {
    section: page,
    level: 'must',
    statement:
      'A search answers with an object of page, pageSize and total as whole numbers, and items as an array of objects.',
  },
  'EVENT-PAGE-NUMBER': {
    section: page,
    level: 'must',
    statement: 'Every page says which one it is, counted from zero.',
  },
  'EVENT-TOTAL': {
    section: page,
    level: 'must',
    statement:
      'total counts the events of the whole window: in a closed one it is the same on every page and for every pageSize.',
    ambiguity:
      'An event that comes in late changes it once and for all, which is not judged; a total that comes up again after another one is.',
  },
  'EVENT-FROM-REQUIRED': {
    section: search,
    level: 'must',
    statement: 'A search without from is rejected with 400.',
  },
  'EVENT-TO-REQUIRED': {
    section: search,
    level: 'must',
    statement: 'A search without to is rejected with 400.',
  },
  'EVENT-TIME-Z-REJECTED': {
    section: search,
    level: 'must',
    statement: 'A from or to that ends with Z is rejected with 400.',
  },
  'EVENT-TIME-OFFSET-REJECTED': {
    section: search,
    level: 'must',
    statement: 'A from or to with an offset, in any way in which ISO 8601 writes one, is rejected with 400.',
  },
  'EVENT-TIME-INVALID': {
    section: errors,
    level: 'must',
    statement: 'A from or to that is no date-time, or a date that does not exist, is rejected with 400.',
  },
  'EVENT-TIME-FORMS': {
    section: search,
    level: 'silent',
    statement: 'How other ways to write a time are answered: without a fraction or seconds, with a small z.',
    ambiguity:
      'Which forms of an ISO local date-time are understood is not said, nor whether a small z is a Z.',
  },
  'EVENT-WINDOW-LIMIT': {
    section: search,
    level: 'must',
    statement: 'Between from and to lie at most 24 hours; more is answered 400.',
    ambiguity:
      'How finely the limit is measured is not said, so a minute more is the least that is judged. Tested on a day on which clocks do not change.',
  },
  'EVENT-WINDOW-PRECISION': {
    section: search,
    level: 'silent',
    statement: 'How a window a millisecond wider than 24 hours is answered.',
    ambiguity: 'How finely the limit is measured is not said.',
  },
  'EVENT-WINDOW-EMPTY': {
    section: search,
    level: 'silent',
    statement: 'How a window is answered whose from equals its to, or lies after it.',
    ambiguity: 'Neither is said to be an error.',
  },
  'EVENT-WINDOW-FULL-DAY': {
    section: search,
    level: 'must',
    statement: 'A window of exactly 24 hours is accepted.',
    ambiguity: 'On a day on which clocks change, 24 hours can be meant in two ways; such a day is not used.',
  },
  'EVENT-PAGE-DEFAULT': {
    section: search,
    level: 'must',
    statement: 'Without page a search gives page 0.',
  },
  'EVENT-PAGE-SIZE-DEFAULT': {
    section: search,
    level: 'must',
    statement: 'Without pageSize a page holds at most 10 events.',
  },
  'EVENT-PAGE-SIZE-MAXIMUM': {
    section: search,
    level: 'must',
    statement: 'A page never holds more events than pageSize allows.',
    ambiguity: 'A hub may use a smaller page size than asked for, as long as its answer says so.',
  },
  'EVENT-PAGINATION': {
    section: search,
    level: 'must',
    statement:
      'Reading pages while (page + 1) * pageSize is less than total gives as many events as total says, and none is left out.',
    ambiguity:
      'Judged in a closed window after two equal totals. An event may come twice; a gap is never excused.',
  },
  'EVENT-PAGE-PAST-END': {
    section: search,
    level: 'must',
    statement: 'A page past the last one holds no event.',
    ambiguity: 'Its status is not said: only what it holds is judged.',
  },
  'EVENT-PAGINATION-MALFORMED': {
    section: errors,
    level: 'must',
    statement: 'A page or pageSize that is no number, or is negative, is rejected with 400.',
    ambiguity: 'Whether a pageSize of 0 is malformed is not said; see EVENT-PAGE-SIZE-ZERO.',
  },
  'EVENT-PAGE-SIZE-ZERO': {
    section: errors,
    level: 'silent',
    statement: 'How a pageSize of 0 is answered.',
    ambiguity: 'Whether it is malformed is not said.',
  },
  'EVENT-TIME-ORDER': {
    section: search,
    level: 'must',
    statement: 'Events are in order of time, within a page and from page to page.',
    ambiguity:
      'Ascending or descending is not said: either, but always the same. Equal times may come in any order.',
  },
  'EVENT-FROM-INCLUSIVE': {
    section: search,
    level: 'must',
    statement: 'An event at the very moment of from belongs to the window.',
  },
  'EVENT-TO-EXCLUSIVE': {
    section: search,
    level: 'must',
    statement:
      'A window ends just before to: an event at that moment does not belong to it, one before does.',
  },
  'EVENT-WINDOW-RESPECTED': {
    section: search,
    level: 'must',
    statement: 'A search gives no event from before from or after to.',
    ambiguity:
      'A time written without milliseconds may have been cut off, so such an event counts only where it is more than a minute outside.',
  },
  'EVENT-WINDOWS-ADJACENT': {
    section: search,
    level: 'must',
    statement: 'Two windows that lie end to end hold together exactly the events of the window they make up.',
    ambiguity: 'Parted at a moment without events, so that the edge itself is not in question.',
  },
  'EVENT-CREDENTIALS-REQUIRED': {
    section: authentication,
    level: 'must',
    statement: 'Without X-Client-Id and X-Client-Secret a search is refused.',
    ambiguity: 'Which status refuses is not said; it is recorded.',
  },
  'EVENT-SECRET-REQUIRED': {
    section: authentication,
    level: 'must',
    statement: 'With X-Client-Id alone a search is refused.',
    ambiguity: 'Which status refuses is not said; it is recorded.',
  },
  'EVENT-CLIENT-ID-REQUIRED': {
    section: authentication,
    level: 'must',
    statement: 'With X-Client-Secret alone a search is refused.',
    ambiguity: 'Which status refuses is not said; it is recorded.',
  },
  'EVENT-SECRET-WRONG': {
    section: authentication,
    level: 'must',
    statement: 'With a secret that nobody has a search is refused.',
    ambiguity: 'Which status refuses is not said; it is recorded.',
  },
  'EVENT-CLIENT-ID-WRONG': {
    section: authentication,
    level: 'must',
    statement: "With an id that nobody has, beside the partner's secret, a search is refused.",
    ambiguity: 'Which status refuses is not said; it is recorded.',
  },
  'EVENT-SECRET-OF-ANOTHER': {
    section: authentication,
    level: 'must',
    statement: "With another partner's secret a search is refused.",
    ambiguity: 'Which status refuses is not said; it is recorded.',
  },
  'EVENT-NO-OAUTH': {
    section: authentication,
    level: 'must',
    statement:
      "A user's access token does not stand in for the partner's credentials, nor for the secret alone.",
    ambiguity: 'Which status refuses is not said; it is recorded.',
  },
  'EVENT-UNENTITLED': {
    section: errors,
    level: 'must',
    statement: 'A partner with valid credentials but without the Event Hub gets 403.',
  },
  'EVENT-REFUSAL-BODY': {
    section: errors,
    level: 'silent',
    statement: 'Media type and members of the body that rejects a search.',
    ambiguity: 'Its shape is not shown.',
  },
  'EVENT-SEARCH-EMITS-NOTHING': {
    section: 'Events',
    level: 'must',
    statement: 'A search makes no events itself.',
    reason: 'An event of another place cannot be told from one that a search made; only the hub could say',
  },
  'EVENT-MAX-PAGE-SIZE': {
    section: 'Limits',
    level: 'silent',
    statement: 'The largest pageSize, and what happens beyond it.',
    ambiguity: 'Not shown: a larger one may be cut down or rejected.',
  },
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(
  area,
  requirements,
  fixtures.extend('credentials', ({ run, events }) => new PartnerCredentialSteps(run, events)),
)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
