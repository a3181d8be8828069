import { defineArea } from '../../src/check/catalogue.ts'
import { turns } from '../../src/check/check-options.ts'
import { fixtures } from '../../src/check/fixtures.ts'
import { must, type Requirement, silent } from '../../src/check/requirement.ts'
import { credentialStatements } from './credential-statements.ts'
import { PartnerCredentialSteps } from './credential-steps.ts'
import { pagingStatements } from './paging-statements.ts'

const search = 'Event search (pull)'
const errors = 'Event search errors'

const area = {
  name: 'event-search',
  title: 'Event search',
  order: 8,
  turn: turns.eventSearch,
  host: 'partner-api',
} as const

const requirements = {
  'EVENT-SEARCH': must(
    search,
    'A valid search returns a JSON page, even for a window without events.',
    'The status of a page is not specified: any 2xx passes. Whether a window may end in the future is not specified. A refusal that the configuration explains (credentials, entitlement, base address) is inconclusive. The accepted forms of a local date-time and the smallest `pageSize` are not specified: a refused search is repeated in other forms. If the target refuses a search and accepts the same search later, that is a violation.',
  ),
  ...pagingStatements,
  'EVENT-FROM-REQUIRED': must(search, 'A search without `from` is refused with 400.'),
  'EVENT-TO-REQUIRED': must(search, 'A search without `to` is refused with 400.'),
  'EVENT-TIME-Z-REJECTED': must(search, 'A `from` or `to` with a trailing Z is refused with 400.'),
  'EVENT-TIME-OFFSET-REJECTED': must(
    search,
    'A `from` or `to` with an offset, in any form of ISO 8601, is refused with 400.',
  ),
  'EVENT-TIME-INVALID': must(
    errors,
    'A `from` or `to` that is not a date-time, such as a date alone, a date-time with text after it, or an empty value, is refused with 400.',
    'Whether a day that does not exist is invalid is not specified; see EVENT-TIME-IMPOSSIBLE. An empty value may count as absent: if the target also accepts absent bounds, only EVENT-FROM-REQUIRED or EVENT-TO-REQUIRED is violated.',
  ),
  'EVENT-TIME-IMPOSSIBLE': silent(
    errors,
    'The response to a `from` or `to` on a day that does not exist is not specified.',
    'Some libraries parse such a day as a day of the next month, which is not excluded.',
  ),
  'EVENT-TIME-FORMS': silent(
    search,
    'The response to other forms of a time is not specified: without a fraction or seconds, with a space in place of T, or with a lower-case z.',
    'The accepted forms of an ISO local date-time, and whether a lower-case z counts as Z, are not specified. If a time without a fraction or seconds is accepted, the page is judged like that of any valid search.',
  ),
  'EVENT-WINDOW-LIMIT': must(
    search,
    'A window wider than 24 hours is refused with 400.',
    'The precision of the limit is not specified. The checks send only windows that are at least one minute wider than 24 hours, both by the clock and in elapsed time; these differ if the clocks change within the window.',
  ),
  'EVENT-WINDOW-PRECISION': silent(
    search,
    'The response to a window one millisecond wider than 24 hours is not specified.',
    'The precision of the limit is not specified.',
  ),
  'EVENT-WINDOW-EMPTY': silent(
    search,
    'The response to a window whose `from` equals `to`, or is after it, is not specified.',
    'Such a window is not documented as an error, so a refusal and a page without events are both lawful. EVENT-WINDOW-RESPECTED judges events in the response.',
  ),
  'EVENT-WINDOW-FULL-DAY': must(
    search,
    'A window of exactly 24 hours is accepted.',
    'On a day with a clock change, 24 hours have two meanings; the check does not use such a day.',
  ),
  'EVENT-FROM-INCLUSIVE': must(search, 'A window includes an event exactly at `from`.'),
  'EVENT-TO-EXCLUSIVE': must(
    search,
    'A window excludes an event exactly at `to`, and includes an event just before it.',
  ),
  'EVENT-WINDOW-RESPECTED': must(
    search,
    'A search returns no event before `from` or after `to`.',
    'A timestamp without milliseconds may be truncated, so an event with such a timestamp counts as outside only if it is more than a minute away from the window.',
  ),
  'EVENT-WINDOWS-ADJACENT': must(
    search,
    'Two adjacent windows contain exactly the events of the window that joins them.',
    'The check splits the window at a moment without events, so that the bounds themselves do not matter.',
  ),
  ...credentialStatements,
  'EVENT-REFUSAL-BODY': silent(
    errors,
    'The media type and members of the body of a refused search are not specified.',
  ),
  'EVENT-SEARCH-EMITS-NOTHING': must(
    'Events',
    'A search emits no events.',
    'The check compares the times of events with those of the searches of the run. The target violates the requirement if nearly every search has an event at its time, or if at least 8 events coincide with searches, too many for events at random times. If users cause so many events that nearly every search has one at random, the check is inconclusive.',
  ),
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(
  area,
  requirements,
  fixtures.extend('credentials', ({ run, events }) => new PartnerCredentialSteps(run, { events })),
)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
