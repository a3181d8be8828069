import { isSearchAccepted } from '../../src/check/events/answered-search.ts'
import {
  requireNothingOutside,
  requirePagesAgreeOnTotal,
  requireRecognisable,
  requireStableIds,
  requireTotalUnchanged,
  requireUnchanged,
  requireWhole,
} from '../../src/check/events/comparable.ts'
import {
  countMissingFrom,
  distinctWithin,
  positionsOf,
  type WindowReading,
} from '../../src/check/events/reading.ts'
import { pageOf } from '../../src/check/events/search-steps.ts'
import { shortageIn, shortageOfExactTimes } from '../../src/check/events/shortage.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { Inconclusive, inconclusive, notApplicable, requireData } from '../../src/check/verdict.ts'
import { countEventsIn, defaultPaging, readPage } from '../../src/event-hub/page.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { counted } from '../../src/text/format.ts'
import { fullDay } from './full-day.ts'
import { check } from './requirements.ts'
import { requireTotalCountsAllEvents } from './uncounted.ts'

// `readings` reads all events of the closed window, a window in the past with events. `rereadings` reads that window
// again, in other pages and in parts. `basis` records how much data the verdict is based on. The control is a search of 12
// hours, and `fullDay` searches the 24 hours that begin at the same time.

check('EVENT-FROM-REQUIRED', 'a search without `from` and `to` is refused', async ({ events }) => {
  await events.expectInvalid({ from: null, to: null })
})

for (const [id, name] of [
  ['EVENT-FROM-REQUIRED', 'from'],
  ['EVENT-TO-REQUIRED', 'to'],
] as const) {
  check(id, `a search without \`${name}\` is refused`, async ({ events }) => {
    events.expectRefusal(await events.responseWithout(name), 400)
  })
}

check('EVENT-WINDOW-LIMIT', 'a window of 24 hours and one minute is refused', async ({ events }) => {
  const { from } = await events.controlWindow()
  await events.expectInvalid({ to: from.add({ hours: 24, minutes: 1 }) })
})

check(
  'EVENT-WINDOW-LIMIT',
  'a search of a whole month without `page` and `pageSize` is refused',
  async ({ events }) => {
    const window = await events.controlWindow()
    // Every month has the days 1 to 28.
    const to = window.to.with({ day: Math.min(window.to.day, 28) })
    await events.expectInvalid({ from: to.subtract({ months: 1 }), to, page: null, pageSize: null })
  },
)

check(
  'EVENT-WINDOW-LIMIT',
  'the second page of a window between 26 hours and 6 days wide is refused',
  async ({ events, run, seed, basis }) => {
    const { to } = await events.controlWindow()
    basis({}, { seed })
    // At least 25 elapsed hours, even if clocks are put forward in between.
    const random = run.random('wide window')
    const hours = 26 + Math.floor(random() * 119)
    await events.expectInvalid({ from: to.subtract({ hours }), page: 1 })
  },
)

check(
  'EVENT-WINDOW-LIMIT',
  'a search with the largest `pageSize` and a window of two days that ends in the future is refused',
  async ({ events, readings }) => {
    const pageSize = await readings.largestPageSize()
    // A recent past time, so the window ends in the future.
    const from = events.settledTime()
    // Two days, since a target may wrongly accept several whole days. The random width above is rarely whole days.
    await events.expectInvalid({ from, to: from.add({ days: 2 }), pageSize })
  },
)

check(
  'EVENT-WINDOW-PRECISION',
  'the response to a window of 24 hours and one millisecond is recorded',
  async ({ events, observe }) => {
    const { from } = await events.controlWindow()
    const { status } = await events.sendSearch({ to: from.add({ hours: 24, milliseconds: 1 }) })
    observe('events.window-of-24h-and-1ms.status', status)
  },
)

for (const bounds of ['equal', 'swapped'] as const) {
  check(
    'EVENT-WINDOW-EMPTY',
    `the response to a window with ${bounds} bounds is recorded`,
    async ({ events, observe }) => {
      const { from, to } = await events.controlWindow()
      const response = await events.sendSearch(bounds === 'equal' ? { to: from } : { from: to, to: from })
      const count = countEventsIn(response.json)
      observe(
        `events.window-with-${bounds}-bounds`,
        count === 0 ? `${response.status} without events` : `${response.status} with events`,
      )
    },
  )
}

check(
  'EVENT-WINDOW-FULL-DAY',
  'a window of exactly 24 hours is accepted, and its `total` is at least that of its first half',
  async (context) => {
    const { events, readings, expect, basis } = context
    const totalOfFirstHalf = pageOf(await events.control(), defaultPaging).total
    const response = await fullDay(context)
    expect.describeRequest('a valid search of exactly 24 hours', response)
    events.expectAccepted(response)
    const totalOfDay = totalIn(response)
    basis({ events: totalOfFirstHalf })
    if (totalOfDay !== undefined && totalOfDay < totalOfFirstHalf)
      await requireTotalUnchanged(readings, await events.controlWindow(), totalOfFirstHalf)
    expect.that(
      totalOfDay !== undefined && totalOfDay >= totalOfFirstHalf,
      `a page with a total of at least ${totalOfFirstHalf}, the total of the first 12 hours of the window`,
      totalOfDay === undefined ? 'no page' : `a total of ${totalOfDay}`,
    )
  },
)

check(
  'EVENT-WINDOW-RESPECTED',
  'no event is outside the requested window',
  async ({ readings, rereadings, expect, basis, note }) => {
    // Judges the events of windows, and counts them.
    const judgedIn = (windows: readonly WindowReading[]) => {
      const places = windows.flatMap(positionsOf)
      basis({ windows: windows.length, events: places.length })
      const before = places.filter((place) => place === 'before').length
      const after = places.filter((place) => place === 'after').length
      expect.that(
        before + after === 0,
        'no event before from or after to',
        `${before} of ${places.length} events before from, ${after} after to`,
      )
      return places.length
    }
    const all = await readings.allEvents()
    requireData(judgedIn([all]), 1, 'event with a time', shortageOfExactTimes(all))
    // `edges` are readings of windows that begin or end just before, at or just after an event. They are meaningful only
    // if the hub respects the closed window, which `judgedIn` has required.
    const edges = await rereadings.edges().catch((error: unknown) => {
      // If no event is suitable for such windows, the verdict rests on the closed window alone.
      if (!(error instanceof Inconclusive) || error.dependsOn.length > 0) throw error
      note(`only one window was judged: ${error.message}`)
    })
    if (edges) judgedIn([...new Set([all, ...Object.values(edges.from), ...Object.values(edges.to)])])
  },
)

check(
  'EVENT-WINDOWS-ADJACENT',
  'random parts of a window contain the events of the whole window',
  async (context) => {
    const { readings, rereadings, seed, basis } = context
    const all = await readings.allEvents()
    requireData(all.events.length, 2, 'events', shortageIn(all))
    const parts = await rereadings.randomParts()
    basis({ windows: 1 + parts.length, events: all.events.length }, { seed })
    await expectPartsMakeUp(context, all, parts)
  },
)

check(
  'EVENT-WINDOWS-ADJACENT',
  'the `total` of a window of 24 hours counts the events of both halves',
  async (context) => {
    const { events, readings, basis, expect } = context
    const first = await events.controlWindow()
    const second = { from: first.to, to: first.from.add({ hours: 24 }) }
    const inFirst = pageOf(await events.control(), defaultPaging).total
    const response = await fullDay(context)
    const total = totalIn(response)
    if (!isSearchAccepted(response) || total === undefined || total < inFirst)
      return inconclusive('a window of 24 hours does not return its events', ['EVENT-WINDOW-FULL-DAY'])
    const all = await readings.allEvents()
    const later = distinctWithin(all.events, second).length
    if (later === 0) return notApplicable('needs known events in the second half of the 24 hours', 'target')
    basis({ windows: 3, events: inFirst + later })
    if (total < inFirst + later) {
      await requireCountable(readings, all)
      await requireTotalUnchanged(readings, first, inFirst)
      await requireUnchanged(readings, all)
    }
    expect.describeRequest('a valid search of exactly 24 hours', response)
    expect.that(total >= inFirst + later, `a total of at least ${inFirst + later}`, `total ${total}`)
  },
)

/**
 * Requires totals and event times that are reliable enough to count the events of a window.
 * @throws {Inconclusive} if another requirement explains why `total` differs from the count
 */
async function requireCountable(readings: CheckContext['readings'], all: WindowReading): Promise<void> {
  // The pages of `all` have one size. This reads a page of ten events, so that `requirePagesAgreeOnTotal` compares the totals
  // of two page sizes (of one if the pages of `all` have ten events, too).
  await readings.firstPage()
  requireWhole(all)
  requirePagesAgreeOnTotal(readings.pagesRead(all.window))
  requireNothingOutside(all)
}

/** Expects adjacent parts of a window to contain exactly its events. @param all the reading of the whole window */
async function expectPartsMakeUp(
  context: CheckContext,
  all: WindowReading,
  parts: readonly WindowReading[],
): Promise<void> {
  const { readings, expect } = context
  requireWhole(all, ...parts)
  requireNothingOutside(all, ...parts)
  const inParts = parts.flatMap((part) => part.events)
  requireStableIds(all, { events: inParts })
  const lost = countMissingFrom(inParts, all.events)
  const extra = countMissingFrom(all.events, inParts)
  if (lost + extra > 0) requireRecognisable(all, ...parts)
  if (lost + extra > 0) await requireUnchanged(readings, all)
  // If `total` is too low, the reading of the whole window ends early, and the parts have more events.
  if (extra > 0) await requireTotalCountsAllEvents(context)
  expect.describeRequest(`searches of a window and of the ${parts.length} windows that make it up`)
  expect.that(
    lost === 0,
    'every event of the window in one of its parts',
    `${counted(lost, 'event')} in no part`,
  )
  expect.that(
    extra === 0,
    'every event of the parts in the window',
    `${counted(extra, 'other event')} in the parts`,
  )
}

/** The total of a search response; undefined if it is not a page. */
function totalIn({ json }: HttpResponse): number | undefined {
  return readPage(json, defaultPaging)?.total
}
