import { isSearchAccepted } from '../../src/check/events/answered-search.ts'
import { requireRecognisable, requireTotalUnchanged } from '../../src/check/events/comparable.ts'
import { countTimesMissingFrom, timeOrderOf } from '../../src/check/events/reading.ts'
import { PageSizeRefused } from '../../src/check/events/refused-search.ts'
import { pageOf } from '../../src/check/events/search-steps.ts'
import { tooFewEvents } from '../../src/check/events/shortage.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, NotApplicable, requireData } from '../../src/check/verdict.ts'
import { timesOf } from '../../src/event-hub/event.ts'
import { compareLocal } from '../../src/event-hub/local-time.ts'
import { defaultPaging, type EventPage } from '../../src/event-hub/page.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { counted } from '../../src/text/format.ts'
import { fullDay, fullDayWithoutPage } from './full-day.ts'
import { check } from './requirements.ts'

// `readings` reads all events of the closed window, a window in the past with events. `rereadings` reads that window
// again, in other pages and in parts. `basis` records how much data the verdict is based on.

check(
  'EVENT-PAGE-DEFAULT',
  'a search without `page` and `pageSize` returns the events of page 0',
  async (context) => {
    const { readings, expect, basis } = context
    const { window, page: explicit } = await readings.firstPage()
    const { total } = explicit
    requireData(total, 11, 'events', tooFewEvents)
    const response = await unpagedSearch(context)
    expect.describeRequest('a valid search without `page` and `pageSize`')
    expect.that(isSearchAccepted(response), 'a 2xx status with a JSON page', response)
    const page = pageOf(response, explicit.requested)
    basis({ events: page.events.length })
    expect.that(page.page === explicit.page, 'page 0', `page ${page.page}`)
    const missing = countTimesMissingFrom(page.events, explicit.events)
    if (missing > 0) {
      requireRecognisable(page, explicit)
      await requireTotalUnchanged(readings, window, total)
    }
    expect.that(
      missing === 0,
      'the events of page 0',
      `${missing} of the ${explicit.events.length} events of page 0 missing`,
    )
  },
)

check('EVENT-PAGE-DEFAULT', 'a search with `pageSize` and without `page` returns page 0', async (context) => {
  const { events, readings, rereadings, expect } = context
  const response = await fullDayWithoutPage(context)
  if (!isSearchAccepted(response) && !isSearchAccepted(await fullDay(context)))
    return inconclusive('a window of 24 hours is refused', ['EVENT-WINDOW-FULL-DAY'])
  expect.describeRequest('a valid search without `page`')
  expect.that(isSearchAccepted(response), 'a 2xx status with a JSON page', response)
  const [explicit, withoutPage] = [
    pageOf(await events.control(), defaultPaging),
    pageOf(response, defaultPaging),
  ]
  // Compared with the first page of the control: if a hub counts pages from 1, only EVENT-PAGE-NUMBER is violated.
  expect.that(withoutPage.page === explicit.page, 'page 0', `page ${withoutPage.page}`)
  const earlier = eventsBefore(withoutPage, explicit)
  if (earlier > 0) {
    requireRecognisable(withoutPage, explicit)
    const orders = [await readings.allEvents(), await rereadings.allEventsBackwards()].map(
      (reading) => timeOrderOf(reading.events).order,
    )
    if (orders.some((order) => order !== 'ascending'))
      return inconclusive('pages are not in order of time', ['EVENT-TIME-ORDER'])
    const { from } = await events.controlWindow()
    await requireTotalUnchanged(readings, { from, to: from.add({ hours: 24 }) }, withoutPage.total)
  }
  expect.that(
    earlier === 0,
    'the first events of the window, as in another window that begins at the same time',
    `${counted(earlier, 'event')} of that other window missing`,
  )
})

/**
 * Number of events of page 0 (`explicit`) that the response to a search without `page` lacks before or at its own
 * first event. 0 if one of the two pages is not in ascending order.
 */
function eventsBefore(withoutPage: EventPage, explicit: EventPage): number {
  const [first] = timesOf(withoutPage.events)
  const ascends = [explicit, withoutPage].every(({ events }) => timeOrderOf(events).order === 'ascending')
  if (!first || !ascends) return 0
  const early = explicit.events.filter(({ time }) => time && compareLocal(time.at, first) <= 0)
  return countTimesMissingFrom(withoutPage.events, early)
}

/**
 * Requires that a page that was requested with pageSize=10 has ten events.
 * @throws {Inconclusive} otherwise: another requirement judges the page
 */
function requireTenEvents({ pageSize, events }: EventPage): void {
  if (pageSize === 10 && events.length === 10) return
  // The maximum of a hub is at least the default of 10, so a response that states another pageSize is wrong.
  const judged =
    pageSize !== 10
      ? 'EVENT-PAGE-SIZE-STATED'
      : events.length > 10
        ? 'EVENT-PAGE-SIZE-MAXIMUM'
        : 'EVENT-PAGINATION'
  inconclusive('pageSize=10 does not return a page of ten events', [judged])
}

/** The response to a search of the closed window without `page` and `pageSize`. Sent once per run. */
async function unpagedSearch({ readings, events, once }: CheckContext): Promise<HttpResponse> {
  const { window } = await readings.firstPage()
  return once(unpagedSearch, () => events.sendValidSearch({ ...window, page: null, pageSize: null }))
}

check(
  'EVENT-PAGE-SIZE-DEFAULT',
  'a search without `page` and `pageSize` returns at most ten events',
  async (context) => {
    const { readings, expect, basis } = context
    const { total, page: explicit } = await readings.firstPage()
    requireData(total, 11, 'events', tooFewEvents)
    const response = await unpagedSearch(context)
    if (!isSearchAccepted(response)) return inconclusive('the search is refused', ['EVENT-PAGE-DEFAULT'])
    requireTenEvents(explicit)
    const page = pageOf(response, explicit.requested)
    basis({ events: page.events.length })
    expect.describeRequest('a valid search without `page` and `pageSize`', response)
    expect.that(
      page.pageSize === 10 && page.events.length <= 10,
      'pageSize 10 and at most ten events',
      `pageSize ${page.pageSize} and ${counted(page.events.length, 'event')}`,
    )
  },
)

check(
  'EVENT-PAGE-SIZE-DEFAULT',
  'a page far from the first, requested without `pageSize`, has ten events',
  async ({ readings, rereadings, events, expect, basis }) => {
    const { total, page: explicit } = await readings.firstPage()
    requireData(total, 11, 'events', tooFewEvents)
    requireTenEvents(explicit)
    const { requested, response } = await rereadings.distantPage(null)
    expect.describeRequest(
      `a valid search with \`page=${requested.page}\` and without \`pageSize\``,
      response,
    )
    // Throws if the same search with pageSize=10 is refused too, which EVENT-SEARCH judges.
    if (!isSearchAccepted(response)) await events.search(requested)
    expect.that(isSearchAccepted(response), 'a 2xx status with a JSON page', response)
    const page = pageOf(response, requested)
    basis({ events: page.events.length })
    if (page.pageSize === 10 && page.events.length < 10)
      return inconclusive(`the page has ${counted(page.events.length, 'event')}`, ['EVENT-PAGINATION'])
    expect.that(
      page.pageSize === 10 && page.events.length === 10,
      'pageSize 10 and ten events',
      `pageSize ${page.pageSize} and ${counted(page.events.length, 'event')}`,
    )
  },
)

check(
  'EVENT-PAGE-SIZE-MAXIMUM',
  'a page with `pageSize=1` has at most one event',
  async ({ readings, rereadings, events, expect, basis }) => {
    requireData((await readings.firstPage()).total, 2, 'events', tooFewEvents)
    const { requested, response } = await rereadings.distantPage(1)
    expect.describeRequest(`a valid search with \`page=${requested.page}\` and \`pageSize=1\``)
    if (!isSearchAccepted(response))
      return events.search(requested).then(
        () => inconclusive('a search with pageSize=1 was refused twice, and then accepted'),
        (error: unknown) => {
          // Any other refusal is a violation of EVENT-SEARCH, or was temporary.
          throw error instanceof PageSizeRefused ? new NotApplicable(error.message, 'target') : error
        },
      )
    const page = pageOf(response, requested)
    basis({ events: page.events.length })
    expect.that(page.events.length <= 1, 'at most one event', counted(page.events.length, 'event'))
  },
)

for (const [name, value, form] of [
  ['page', '1x', 'that begins with a number'],
  ['page', '1.5', 'with a fraction'],
  ['page', 'abc', 'of letters'],
  ['pageSize', '1.5', 'with a fraction'],
  ['pageSize', 'abc', 'of letters'],
] as const) {
  check('EVENT-PAGINATION-MALFORMED', `a \`${name}\` ${form} is refused`, async ({ events }) => {
    const later = name === 'pageSize' && value === 'abc' ? await events.laterPage() : {}
    await events.expectInvalid({ [name]: value, ...later })
  })
}

for (const [id, valuesText, key, parameters] of [
  [
    'EVENT-PAGINATION-NEGATIVE',
    'a `page` and `pageSize` of -1',
    'negative-pagination',
    { page: -1, pageSize: -1 },
  ],
  [
    'EVENT-PAGINATION-NOTATIONS',
    'an empty `page` and a `pageSize` with a decimal point',
    'page-notations',
    { page: '', pageSize: '10.0' },
  ],
  ['EVENT-PAGE-SIZE-ZERO', 'a `pageSize` of 0', 'page-size-zero', { pageSize: 0 }],
] as const) {
  check(id, `the response to ${valuesText} is recorded`, async ({ events, observe }) => {
    observe(`events.${key}.status`, (await events.sendSearch(parameters)).status)
  })
}

check('EVENT-MAX-PAGE-SIZE', 'the largest accepted `pageSize` is recorded', async ({ readings, observe }) => {
  const { pageSize, returnedPageSize, refusedPageSize } = await readings.closedWindow()
  const minimum = `at least ${pageSize}`
  if (returnedPageSize < pageSize) observe('events.max-page-size', returnedPageSize)
  else
    observe('events.max-page-size', refusedPageSize ? `${minimum}, ${refusedPageSize} is rejected` : minimum)
})
