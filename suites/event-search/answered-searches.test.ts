import { afterAllChecks } from '../../src/check/check-options.ts'
import { misstatedSizes, returnsToEarlier } from '../../src/check/events/agreement.ts'
import { type AnsweredSearch, pagesToJudge, refusedOnce } from '../../src/check/events/answered-search.ts'
import { hasEventsOutside, type WindowReading } from '../../src/check/events/reading.ts'
import { shortageIn, tooFewEvents } from '../../src/check/events/shortage.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { Inconclusive, type InconclusiveOptions, inconclusive, requireData } from '../../src/check/verdict.ts'
import { identityOf, timesOf } from '../../src/event-hub/event.ts'
import { compareLocal } from '../../src/event-hub/local-time.ts'
import { type EventPage, usedPageSize } from '../../src/event-hub/page.ts'
import { type EventWindow, isSameWindow, positionIn } from '../../src/event-hub/window.ts'
import { counted } from '../../src/text/format.ts'
import { expectNoProblem, ignoreIfPagesWereRead, showInFinding } from './judging.ts'
import { check } from './requirements.ts'
import { requireTotalCountsAllEvents } from './uncounted.ts'

// `readings` reads all events of the closed window, a window in the past with events. `rereadings` reads that window
// again, in other pages and in parts. `basis` records how much data the verdict is based on.

check(
  'EVENT-SEARCH',
  'no search of this run is refused at first and accepted when it is repeated',
  afterAllChecks,
  async (context) => {
    const { run, expect, basis } = context
    await requireAccepted(context)
    const valid = run.searchLog.searches.filter(({ requested }) => requested !== undefined)
    basis({ searches: valid.length })
    const [refused] = refusedOnce(valid)
    showInFinding(context, refused)
    expect.that(
      refused === undefined,
      'a 2xx status with a JSON page for every search',
      `status ${refused?.status}${refused && refused.status < 300 ? ' without JSON' : ''}; the same search, repeated, was accepted`,
    )
  },
)

check(
  'EVENT-SEARCH',
  'no valid search of this run is refused, whichever check sent it',
  afterAllChecks,
  async (context) => {
    const { run, expect, basis } = context
    await requireAccepted(context)
    basis({ searches: run.searchLog.searches.filter(({ requested }) => requested !== undefined).length })
    // The checks that sent these searches were inconclusive, so the refusals have no finding yet.
    const [refused] = run.searchLog.refused
    if (refused) expect.describeRequest(refused.request)
    expect.that(refused === undefined, 'a 2xx status with a JSON page', refused?.actual ?? '')
  },
)

check(
  'EVENT-PAGE-SHAPE',
  'every page of this run has all members with their types',
  afterAllChecks,
  async (context) => {
    const { run, expect, basis } = context
    await requireAccepted(context)
    const searches = pagesToJudge(run.searchLog.searches)
    basis({ pages: searches.length })
    for (const search of searches) {
      if (search.problems.length > 0) showInFinding(context, search)
      expectNoProblem(expect, search.problems)
    }
  },
)

check(
  'EVENT-PAGE-NUMBER',
  '`page` of every response is the requested page',
  afterAllChecks,
  async (context) => {
    const { run, expect, basis } = context
    await readPages(context)
    // EVENT-PAGE-DEFAULT judges searches without page.
    const pages = pagesOf(run.searchLog.searches, 'page')
    requireData(pages.length, 1, 'page', shortageOfPages(run.searchLog.searches))
    basis({ pages: pages.length })
    const wrong = pages.find(({ page, requested }) => page !== requested.page)
    showInFinding(context, searchFor(run.searchLog.searches, wrong))
    expect.that(!wrong, `page ${wrong?.requested.page}`, `page ${wrong?.page}`)
  },
)

check(
  'EVENT-PAGE-SIZE-STATED',
  '`pageSize` of every response is the requested one or the maximum',
  afterAllChecks,
  async (context) => {
    const { run, expect, basis } = context
    await readPages(context)
    // EVENT-PAGE-SIZE-DEFAULT judges searches without pageSize.
    const pages = pagesOf(run.searchLog.searches, 'pageSize')
    requireData(pages.length, 1, 'page', shortageOfPages(run.searchLog.searches))
    basis({ pages: pages.length })
    if (pages.some(holdsTooMany))
      return inconclusive('a page has more events than pageSize', ['EVENT-PAGE-SIZE-MAXIMUM'])
    const [wrong] = misstatedSizes(pages)
    showInFinding(context, searchFor(run.searchLog.searches, wrong))
    expect.that(
      !wrong,
      `pageSize ${wrong?.requested.pageSize}, or a maximum of at least 10 that holds for every search`,
      `pageSize ${wrong?.pageSize}`,
    )
  },
)

check(
  'EVENT-PAGE-SIZE-MAXIMUM',
  'no page has more events than `pageSize` in the request or the response',
  afterAllChecks,
  async (context) => {
    const { run, rereadings, expect, basis } = context
    const { whole } = await rereadings.pageThrough()
    requireData(whole.events.length, 2, 'events', shortageIn(whole))
    const pages = pagesOf(run.searchLog.searches, 'pageSize')
    basis({ pages: pages.length })
    const wrong = pages.find(holdsTooMany)
    showInFinding(context, searchFor(run.searchLog.searches, wrong))
    expect.that(
      !wrong,
      `at most ${wrong && counted(usedPageSize(wrong), 'event')}`,
      `${wrong && counted(wrong.events.length, 'event')}`,
    )
  },
)

check(
  'EVENT-TOTAL',
  '`total` is the same on every page and for every `pageSize`',
  afterAllChecks,
  async (context) => {
    const { run, readings, expect, basis } = context
    const { read, failure } = await wholeReadings(context)
    const { to } = await readings.closedWindow()
    const closed = pagesToJudge(run.searchLog.searches).filter(
      ({ requested }) => requested && compareLocal(requested.to, to) <= 0,
    )
    // If the hub searched another window, its total may count the events of that window.
    const withOutsideEvents = closed.filter(
      ({ requested, events }) => requested && hasEventsOutside({ window: requested, events }),
    )
    basis({ pages: closed.length })
    let changed = false
    let wrong: readonly EventPage[] = []
    let readCount = ''
    for (const within of windowsOf(closed)) {
      const [first, ...others] = readings.pagesRead(within)
      const different = others.find(({ total }) => total !== first?.total)
      if (!first || !different) continue
      if (withOutsideEvents.some(({ requested }) => requested && isSameWindow(requested, within)))
        return inconclusive('a page has events outside its window', ['EVENT-WINDOW-RESPECTED'])
      // Adds a page with the current total to `pagesRead`. Late events only increase a total, so they do not explain
      // one that returns to an earlier value.
      await readings.totalOf(within)
      if (!returnsToEarlier(readings.pagesRead(within).map(({ total }) => total))) changed = true
      else [wrong, readCount] = [[first, different], countIn(read, within)]
    }
    if (changed && wrong.length === 0)
      return inconclusive('the total of a window in the past changed while its pages were read')
    if (failure && wrong.length === 0) throw failure
    expect.describeRequest('searches of one window')
    expect.that(
      wrong.length === 0,
      `the same total in every response${readCount}`,
      wrong.map(statedTotal).join('; '),
    )
  },
)

check(
  'EVENT-PAGINATION',
  'every first page of a window has min(`total`, `pageSize`) events',
  afterAllChecks,
  async (context) => {
    const { run, readings, expect, basis } = context
    await readPages(context)
    const known = [...run.searchLog.events.values()]
    // EVENT-TOTAL judges windows without known events or with several totals. Other checks judge later pages.
    const pages = pagesOf(run.searchLog.searches).filter((page) => {
      const { requested } = searchFor(run.searchLog.searches, page) ?? {}
      return (
        requested?.page === 0 &&
        new Set(readings.pagesRead(requested).map(({ total }) => total)).size === 1 &&
        timesOf(known).some((at) => positionIn(requested, at) === 'inside')
      )
    })
    if (pages.length === 0 && known.some(({ time }) => !time))
      return inconclusive('the times of events cannot be read', ['EVENT-TIMESTAMP'])
    requireData(pages.length, 1, 'page with events', shortageOfPages(run.searchLog.searches))
    basis({ pages: pages.length })
    const expectedCount = (page: EventPage) => Math.min(usedPageSize(page), page.total)
    // An event may be returned twice, and total may count it once.
    const exceedsTotal = ({ events, total }: EventPage) => new Set(events.map(identityOf)).size > total
    const wrong = pages.find((page) => page.events.length < expectedCount(page) || exceedsTotal(page))
    const search = searchFor(run.searchLog.searches, wrong)
    if (wrong && exceedsTotal(wrong) && search?.requested) {
      const total = await readings.totalOf(search.requested)
      if (total !== wrong.total)
        return inconclusive('total is not the same in every response', ['EVENT-TOTAL'])
      await requireTotalCountsAllEvents(context)
    }
    showInFinding(context, search)
    expect.that(
      !wrong,
      `${wrong && counted(expectedCount(wrong), 'event')}, as total states`,
      `${wrong && counted(wrong.events.length, 'event')}`,
    )
  },
)

/** Sends a valid search if the run has no accepted one. @throws {Inconclusive} if it is refused, too */
async function requireAccepted({ run, events }: Pick<CheckContext, 'run' | 'events'>): Promise<void> {
  if (pagesToJudge(run.searchLog.searches).length === 0) await events.control()
}

/** Requests pages, in case this check runs alone. A search that other checks have already sent is not repeated. */
async function readPages({ run, rereadings }: Pick<CheckContext, 'run' | 'rereadings'>): Promise<void> {
  for (const work of [
    () => rereadings.pageThrough(),
    () => rereadings.allEventsBackwards(),
    () => rereadings.emptySearch(),
  ])
    await work().catch(ignoreIfPagesWereRead(run))
}

/** The readable pages of searches, or only of the searches that have a certain parameter. */
function pagesOf(searches: readonly AnsweredSearch[], parameter?: 'page' | 'pageSize'): EventPage[] {
  return pagesToJudge(searches)
    .filter(({ query }) => parameter === undefined || typeof query[parameter] === 'number')
    .flatMap(({ page }) => page ?? [])
}

/** Why a run has too few pages: unreadable pages, or too few events. */
function shortageOfPages(searches: readonly AnsweredSearch[]): InconclusiveOptions {
  const isReadable = pagesToJudge(searches).every(({ page }) => page !== undefined)
  return isReadable ? tooFewEvents : ['EVENT-PAGE-SHAPE']
}

function holdsTooMany(page: EventPage): boolean {
  return page.events.length > usedPageSize(page)
}

/** The windows of searches, without repetitions. */
function windowsOf(searches: readonly AnsweredSearch[]) {
  const windows = searches.flatMap(({ requested }) => requested ?? [])
  return windows.filter(
    (window, index) => windows.findIndex((other) => isSameWindow(other, window)) === index,
  )
}

/** The search that returned a page. */
function searchFor(
  searches: readonly AnsweredSearch[],
  wrong: EventPage | undefined,
): AnsweredSearch | undefined {
  return wrong && searches.find(({ page }) => page === wrong)
}

/** Text for a finding: the number of events on all pages of a window. Empty if only single pages were read. */
function countIn(read: readonly WindowReading[], within: EventWindow): string {
  const counts = read
    .filter(({ window }) => isSameWindow(window, within))
    .map(({ events }) => new Set(events.map(identityOf)).size)
  return counts.length > 0 ? `; the pages of the window have ${counted(Math.max(...counts), 'event')}` : ''
}

function statedTotal({ total, requested: { page, pageSize } }: EventPage): string {
  return `total ${total} for page=${page} and pageSize=${pageSize}`
}

/**
 * All readings of the closed window and of the part of it that is read in small pages. If a reading ended early,
 * `read` is empty, and `failure` is the reason. A wrong total is no failure: the caller compares the totals of single
 * pages.
 */
async function wholeReadings({ readings, rereadings }: Pick<CheckContext, 'readings' | 'rereadings'>) {
  try {
    const { window, whole, paged } = await rereadings.pageThrough()
    const all = [await readings.allEvents(), await rereadings.allEventsBackwards()]
    return { read: [...all, { ...whole, window }, { ...paged, window }], failure: undefined }
  } catch (error) {
    if (!(error instanceof Inconclusive)) throw error
    return { read: [], failure: error.dependsOn.includes('EVENT-TOTAL') ? undefined : error }
  }
}
