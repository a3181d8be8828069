import { must, type Requirement, silent } from '../../src/check/requirement.ts'

const search = 'Event search (pull)'
const errors = 'Event search errors'
const page = 'Page of events (search result)'

/** Requirements on pages of a search result. */
export const pagingStatements = {
  'EVENT-PAGE-SHAPE': must(
    page,
    'The response to a search is an object with `page`, `pageSize` and `total` as integers, and `items` as an array of objects.',
    'A page without events has an empty array. Of a page past the last one, only `items` are judged.',
  ),
  'EVENT-PAGE-NUMBER': must(page, 'The `page` of a response is the requested page, counted from zero.'),
  'EVENT-PAGE-SIZE-STATED': must(
    page,
    'The `pageSize` of a response is the requested `pageSize`, or the maximum of the hub if that is smaller.',
    'The maximum `pageSize` is not specified. It is at least the default of 10, and the same for every search.',
  ),
  'EVENT-TOTAL': must(
    page,
    'The `total` counts the events of the whole window: for a window in the past, it is the same on every page and for every `pageSize`.',
    'A late event changes `total`, which is not judged; a `total` that returns to an earlier value is a violation. It is also a violation if a page beyond `total` contains further events of the window.',
  ),
  'EVENT-PAGE-DEFAULT': must(search, 'A search without `page` returns page 0.'),
  'EVENT-PAGE-SIZE-DEFAULT': must(search, 'A search without `pageSize` returns at most 10 events.'),
  'EVENT-PAGE-SIZE-MAXIMUM': must(
    search,
    'A page has at most `pageSize` events.',
    'A hub may use a smaller `pageSize` than requested if the response states it.',
  ),
  'EVENT-PAGINATION': must(
    search,
    'The pages of a window, read while `(page + 1) * pageSize < total`, contain every event, and `total` is the number of events on them.',
    'The checks read a window in the past after two searches of it have returned the same `total`. Another check compares recent events: a later search of a window must return each event that an earlier one returned. An event may be returned twice, and `total` may count it once or twice; a missing event is always a violation.',
  ),
  'EVENT-PAGE-PAST-END': must(
    search,
    'A page past the last one has no events.',
    'Its status is not specified: only its items are judged.',
  ),
  'EVENT-PAGINATION-MALFORMED': must(
    errors,
    'A `page` or `pageSize` that is not an integer is refused with 400.',
    'Whether an integer out of range, an empty value or another notation of an integer is malformed is not specified; see EVENT-PAGINATION-NEGATIVE, EVENT-PAGE-SIZE-ZERO and EVENT-PAGINATION-NOTATIONS.',
  ),
  'EVENT-PAGINATION-NOTATIONS': silent(
    errors,
    'The response to an empty `page` or `pageSize`, or to one in another notation (10.0), is not specified.',
    'An empty value may count as absent, and another notation as an integer.',
  ),
  'EVENT-PAGINATION-NEGATIVE': silent(
    errors,
    'The response to a negative `page` or `pageSize` is not specified.',
    'A negative number is an integer; whether it is malformed is not specified.',
  ),
  'EVENT-PAGE-SIZE-ZERO': silent(
    errors,
    'The response to a `pageSize` of 0 is not specified.',
    'Whether 0 is malformed is not specified.',
  ),
  'EVENT-MAX-PAGE-SIZE': silent(
    'Limits',
    'The maximum `pageSize`, and the response to a larger one, are not specified.',
    'A larger `pageSize` may be capped or refused.',
  ),
  'EVENT-TIME-ORDER': must(
    search,
    'Events are in time order, within a page and from page to page.',
    'The direction is not specified: it may be ascending or descending, but must be the same everywhere. Events with equal timestamps may be in any order.',
  ),
} as const satisfies Readonly<Record<string, Requirement>>
