import { fitsTotal, misstatedSizes } from '../../src/check/events/agreement.ts'
import {
  requirePagesAgreeOnTotal,
  requireRecognisable,
  requireStableIds,
  requireTotalUnchanged,
} from '../../src/check/events/comparable.ts'
import { countMissingFrom } from '../../src/check/events/reading.ts'
import { tooFewEvents } from '../../src/check/events/shortage.ts'
import { type Expect, kindOf } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, requireData } from '../../src/check/verdict.ts'
import { countEventsIn, type PageQuery } from '../../src/event-hub/page.ts'
import type { Reading } from '../../src/event-hub/paging.ts'
import type { EventWindow } from '../../src/event-hub/window.ts'
import { counted } from '../../src/text/format.ts'
import { check } from './requirements.ts'
import { requireTotalCountsAllEvents, uncountedEvents } from './uncounted.ts'

// `readings` reads all events of the closed window, a window in the past with events. `rereadings` reads that window
// again, in other pages and in parts. `basis` records how much data the verdict is based on.

/**
 * Requires that two readings of one window are comparable.
 * @throws {Inconclusive} if the window has changed, or another requirement judges the difference
 */
async function requireComparable(
  context: CheckContext,
  window: EventWindow,
  [one, other]: readonly [Reading, Reading],
): Promise<void> {
  const { readings } = context
  const pages = [...one.pages, ...other.pages]
  if (pages.some(({ events: items, requested }) => items.length > requested.pageSize))
    return inconclusive('pages have more events than pageSize', ['EVENT-PAGE-SIZE-MAXIMUM'])
  if (misstatedSizes(pages).length > 0)
    return inconclusive('pageSize in a response is wrong, so the last page is not known', [
      'EVENT-PAGE-SIZE-STATED',
    ])
  requireStableIds(one, other)
  if (differing(one, other) > 0) requireRecognisable(one, other)
  const total = pages[0]?.total ?? 0
  const sameTotals = pages.every((page) => page.total === total)
  const sameEvents =
    [one, other].every(({ events }) => fitsTotal(events, total)) && differing(one, other) === 0
  // A late event may be the reason for a difference. If so, another search returns another total.
  if (!(sameTotals && sameEvents)) await requireTotalUnchanged(readings, window, total)
  requirePagesAgreeOnTotal(pages)
  if (!sameEvents) await requireTotalCountsAllEvents(context)
}

/** Number of events that only one of two readings has. */
function differing(one: Reading, other: Reading): number {
  return countMissingFrom(one.events, other.events) + countMissingFrom(other.events, one.events)
}

/** Expects a reading to contain as many events as its total. */
function expectTotal(expect: Expect, { events: read }: Reading, total: number): void {
  expect.that(
    fitsTotal(read, total),
    `${counted(total, 'event')}, as total states`,
    counted(read.length, 'event'),
  )
}

/** Expects a reading to contain all events of another reading. */
function expectAllOf(expect: Expect, read: Reading, whole: Reading): void {
  const missing = countMissingFrom(read.events, whole.events)
  expect.that(missing === 0, 'every event of the window on some page', `${counted(missing, 'event')} missing`)
}

check(
  'EVENT-PAGINATION',
  'pages of a random size contain all events of a window; `total` is their number',
  async (context) => {
    const { rereadings, seed, expect, basis } = context
    const { window, pageSize, total, whole, paged } = await rereadings.pageThrough()
    requireData(total, 4, 'events', tooFewEvents)
    basis({ pages: paged.pages.length, events: paged.events.length }, { seed })
    await requireComparable(context, window, [whole, paged])
    expect.describeRequest(
      `searches of one window with \`pageSize=${pageSize}\`, the first page, then the others from the last page to the second`,
    )
    expectTotal(expect, paged, total)
    expectTotal(expect, whole, total)
    expectAllOf(expect, paged, whole)
  },
)

check(
  'EVENT-PAGINATION',
  'a window contains the same events for two page sizes, read forwards and backwards',
  async (context) => {
    const { readings, rereadings, expect, basis } = context
    const all = await readings.allEvents()
    const other = await rereadings.allEventsBackwards()
    const total = all.pages[0]?.total ?? 0
    requireData(total, 4, 'events', tooFewEvents)
    basis({ pages: all.pages.length + other.pages.length, events: all.events.length + other.events.length })
    await requireComparable(context, all.window, [all, other])
    for (const reading of [all, other]) {
      expect.describeRequest(
        `searches of one window with \`pageSize=${reading.pages[0]?.requested.pageSize}\``,
      )
      expectTotal(expect, reading, total)
    }
    expect.describeRequest(
      'searches of one window with two page sizes: all pages in order with the first size; with the second size, the first page, then the others from the last to the second',
    )
    const different = differing(all, other)
    expect.that(
      different === 0,
      'the same events for both page sizes',
      `${counted(different, 'event')} for only one page size`,
    )
  },
)

check(
  'EVENT-PAGINATION',
  'if `total` is a multiple of `pageSize`, the pages contain every event',
  async (context) => {
    const { rereadings, expect, basis } = context
    const { window, whole, total } = await rereadings.pageThrough()
    requireData(total, 2, 'events', tooFewEvents)
    const even = await rereadings.evenPages()
    basis({ pages: even.pages.length, events: even.events.length })
    await requireComparable(context, window, [whole, even])
    expect.describeRequest(
      `searches of ${counted(total, 'event')} with \`pageSize=${even.pages[0]?.requested.pageSize}\``,
    )
    expectTotal(expect, even, total)
    expectAllOf(expect, even, whole)
  },
)

/**
 * Requires that the total and the pages of a window agree on which page is the last.
 * @throws {Inconclusive} if another requirement judges the difference
 */
async function requireLastPageKnown(
  context: CheckContext,
  requested: PageQuery,
  total: number,
): Promise<void> {
  const { readings, rereadings } = context
  const { whole, paged } = await rereadings.pageThrough()
  requireRecognisable(whole, paged)
  if (countMissingFrom(paged.events, whole.events) > 0)
    return inconclusive('pages before the end lack events', ['EVENT-PAGINATION'])
  requirePagesAgreeOnTotal([...readings.pagesRead(requested), { total }])
  await requireTotalUnchanged(readings, requested, total)
  await requireTotalCountsAllEvents(context)
}

check('EVENT-TOTAL', '`total` counts every event: the page beyond `total` has no events', async (context) => {
  const { readings, expect, basis } = context
  const { requested, total, events } = await uncountedEvents(context)
  basis({ events: total })
  if (events.length > 0 && (await readings.totalOf(requested)) !== total)
    return inconclusive('the total of a window in the past changed between two searches')
  expect.describeRequest(`a search with \`page=${requested.page}\` and \`pageSize=${requested.pageSize}\``)
  expect.that(
    events.length === 0,
    `no further events, since \`total\` is ${total}`,
    `${counted(events.length, 'further event')} of the window`,
  )
})

for (const [pages, place] of [
  ['partial', 'the page after the last one'],
  ['full', 'the page after a full last page'],
] as const) {
  check('EVENT-PAGE-PAST-END', `${place} has no events`, async (context) => {
    const { rereadings, expect, note, basis } = context
    const { requested, total, response } = await rereadings.pagePastEnd(pages)
    basis({ events: total })
    const { status, object } = response
    if (status >= 300) note(`the status of a page past the last one is ${status}`)
    // A number in a string counts as the number, as on other pages.
    else if (String(object?.total) !== String(total))
      note(
        `\`total\` is ${typeof object?.total === 'number' ? object.total : kindOf(object?.total)} on ${place}, but ${total} on the other pages`,
      )
    if (object && 'items' in object && !Array.isArray(object.items))
      return inconclusive('the items of the page past the last one are not an array', ['EVENT-PAGE-SHAPE'])
    const items = Array.isArray(object?.items) ? object.items.length : countEventsIn(response.json)
    if (items > 0 && typeof object?.pageSize === 'number' && object.pageSize < requested.pageSize)
      return inconclusive(
        'the pageSize of the response is smaller than requested, so the page may not be past the last one',
        ['EVENT-PAGE-SIZE-STATED'],
      )
    if (items > 0) await requireLastPageKnown(context, requested, total)
    expect.describeRequest(
      `a search of ${counted(total, 'event')} with \`page=${requested.page}\` and \`pageSize=${requested.pageSize}\``,
      response,
    )
    expect.that(items === 0, 'no events', counted(items, 'event'))
  })
}
