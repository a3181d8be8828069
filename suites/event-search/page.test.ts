import { pageOf } from '../../src/check/events/search-steps.ts'
import { type Expect, kindOf } from '../../src/check/expect.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import { misstatedSizes } from '../../src/event-hub/agreement.ts'
import { identityOf, namesAmong } from '../../src/event-hub/event.ts'
import type { EventPage } from '../../src/event-hub/page.ts'
import { pageProblems, type SchemaDeviation } from '../../src/event-hub/schemas.ts'
import { check } from './requirements.ts'

check(
  'EVENT-PAGE-SHAPE',
  'a page has all members with their types',
  async ({ readings, events, expect, basis }) => {
    noProblem(expect, pageProblems((await events.control()).json))
    // The page of the control may have no events; this page has some.
    const { page } = await readings.firstPage()
    basis({ events: page.events.length })
    noProblem(expect, page.problems)
  },
)

check(
  'EVENT-PAGE-SHAPE',
  'a page without events has all members with their types',
  async ({ rereadings, expect }) => {
    expect.sending('a search between two events')
    noProblem(expect, pageProblems((await rereadings.emptySearch()).json))
    for (const pages of ['partial', 'full'] as const) {
      const { requested, response } = await rereadings.pagePastEnd(pages)
      if (response.status >= 300) continue
      expect.sending(`a search with \`page=${requested.page}\`, past the last page`)
      noProblem(
        expect,
        pageProblems(response.json).filter(({ path, value }) => path === 'items' && value !== undefined),
      )
    }
  },
)

check(
  'EVENT-PAGE-NUMBER',
  '`page` of every response is the requested page',
  async ({ rereadings, expect, basis }) => {
    const empty = pageOf(await rereadings.emptySearch(), { page: 0, pageSize: 10 })
    const pages = [...(await rereadings.pageThrough()).paged.pages, empty]
    basis({ pages: pages.length })
    for (const { requested, page } of pages) {
      expect.sending(`a search with \`page=${requested.page}\``)
      expect.that(page === requested.page, `page ${requested.page}`, `page ${page}`)
    }
  },
)

check(
  'EVENT-PAGE-SIZE-STATED',
  '`pageSize` of every response is the requested one or the maximum',
  async ({ readings, rereadings, expect, basis, inconclusive }) => {
    await rereadings.pageThrough().catch(unlessTooFew)
    await rereadings.allEventsBackwards().catch(unlessTooFew)
    const empty = await rereadings.emptySearch().catch(unlessTooFew)
    const ofEmpty = empty ? [pageOf(empty, { page: 0, pageSize: 10 })] : []
    const pages = [...(await readings.pages()), ...ofEmpty]
    basis({ pages: pages.length })
    if (
      pages.some(({ requested, pageSize, events }) => events.length > Math.min(requested.pageSize, pageSize))
    )
      return inconclusive('a page has more events than pageSize', { dependsOn: ['EVENT-PAGE-SIZE-MAXIMUM'] })
    const [wrong] = misstatedSizes(pages)
    if (wrong)
      expect.sending(
        `a search with \`page=${wrong.requested.page}\` and \`pageSize=${wrong.requested.pageSize}\``,
      )
    expect.that(
      !wrong,
      `pageSize ${wrong?.requested.pageSize}, or a maximum of at least 10 that holds for every search`,
      `pageSize ${wrong?.pageSize}`,
    )
  },
)

check(
  'EVENT-TOTAL',
  '`total` of a window without events is 0',
  async ({ readings, rereadings, expect, inconclusive }) => {
    const all = await readings.allEvents()
    const [first] = all.pages
    if (first && first.total > all.events.length)
      return inconclusive('the total of a whole window is greater than the number of its events', {
        dependsOn: ['EVENT-PAGINATION'],
      })
    expect.sending('a search between two events')
    const { total, events } = pageOf(await rereadings.emptySearch(), { page: 0, pageSize: 10 })
    if (events.length > 0)
      return inconclusive('a search between two events returned events', {
        dependsOn: ['EVENT-WINDOW-RESPECTED'],
      })
    expect.that(total === 0, 'total 0', `total ${total}`)
  },
)

check(
  'EVENT-TOTAL',
  '`total` is the same on every page and for every `pageSize`',
  async ({ rereadings, readings, expect, basis, inconclusive }) => {
    const { whole, paged, window } = await rereadings.pageThrough()
    const all = await readings.allEvents()
    const other = await rereadings.allEventsBackwards()
    basis({ pages: [whole, paged, all, other].flatMap(({ pages }) => pages).length })
    for (const { within, read } of [
      { within: all.window, read: [all, other] },
      { within: window, read: [whole, paged] },
    ]) {
      const [first] = readings.pagesAskedFor(within)
      const different = readings.pagesAskedFor(within).find(({ total }) => total !== first?.total)
      // A late event changes a total once: a total that returns to an earlier value has another cause.
      if (different) await readings.totalOf(within)
      if (different && !returns(readings.pagesAskedFor(within).map(({ total }) => total))) {
        return inconclusive('the total of a window in the past changed while its pages were read')
      }
      const events = Math.max(...read.map(({ events }) => new Set(events.map(identityOf)).size))
      expect.sending('searches of one window')
      expect.that(
        !different,
        `the same total in every response; the pages of the window have ${events} events`,
        [first, different].map((page) => page && statedTotal(page)).join('; '),
      )
    }
  },
)

check(
  'EVENT-REFUSAL-BODY',
  'the body of a rejected search is recorded',
  async ({ events, observe, inconclusive }) => {
    const response = await events.responseWithout('from')
    if (response.status < 400)
      return inconclusive('the search is not rejected', { dependsOn: ['EVENT-FROM-REQUIRED'] })
    observe('events.refusal.media-type', namesAmong([response.mediaType.replace('/', ' ')]))
    observe('events.refusal.members', namesAmong(Object.keys(response.object ?? {})))
  },
)

function noProblem(expect: Expect, [problem]: readonly SchemaDeviation[]): void {
  const where = problem?.path || 'the page'
  expect.that(!problem, `${where} as documented (${problem?.rule})`, kindOf(problem?.value))
}

/** With too few events for a reading, judge the pages read so far. */
function unlessTooFew(error: unknown): void {
  if (!(error instanceof Inconclusive)) throw error
}

function statedTotal({ total, requested: { page, pageSize } }: EventPage): string {
  return `total ${total} for page=${page} and pageSize=${pageSize}`
}

/** Whether a number occurs again after another number. */
function returns(totals: readonly number[]): boolean {
  const runs = totals.filter((total, index) => index === 0 || total !== totals[index - 1])
  return new Set(runs).size < runs.length
}
