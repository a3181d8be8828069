import { hasEventsOutside, type WindowReading } from '../../src/check/events/reading.ts'
import { pageOf } from '../../src/check/events/search-steps.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { namesAmong } from '../../src/event-hub/event.ts'
import { defaultPaging } from '../../src/event-hub/page.ts'
import { pageProblems } from '../../src/event-hub/schemas.ts'
import { shownMediaType } from '../../src/evidence/allow-list.ts'
import { expectNoProblem } from './judging.ts'
import { check } from './requirements.ts'

// `readings` reads all events of the closed window, a window in the past with events. `rereadings` reads that window
// again, in other pages and in parts. `basis` records how much data the verdict is based on.

check(
  'EVENT-PAGE-SHAPE',
  'a page has all members with their types',
  async ({ readings, events, expect, basis }) => {
    expectNoProblem(expect, pageProblems((await events.control()).json))
    // The page of the control may be without events, but the first page of the closed window has some.
    const { page } = await readings.firstPage()
    basis({ events: page.events.length })
    expectNoProblem(expect, page.problems)
  },
)

check(
  'EVENT-PAGE-SHAPE',
  'a page without events has all members with their types',
  async ({ rereadings, expect }) => {
    const { response: empty } = await rereadings.emptySearch()
    expect.describeRequest('a search of a window between two consecutive events', empty)
    expectNoProblem(expect, pageProblems(empty.json))
    for (const pages of ['partial', 'full'] as const) {
      const { requested, response } = await rereadings.pagePastEnd(pages)
      if (response.status >= 300) continue
      expect.describeRequest(`a search with \`page=${requested.page}\`, past the last page`, response)
      // On a page past the last one, the specification defines only `items`.
      expectNoProblem(
        expect,
        pageProblems(response.json).filter(({ path, value }) => path === 'items' && value !== undefined),
      )
    }
  },
)

check('EVENT-TOTAL', '`total` of a window without events is 0', async ({ readings, rereadings, expect }) => {
  const all = await readings.allEvents()
  const [first] = all.pages
  if (first && first.total > all.events.length)
    return inconclusive('the total of a whole window is greater than the number of its events', [
      'EVENT-PAGINATION',
    ])
  const { window, response } = await rereadings.emptySearch()
  expect.describeRequest('a search of a window between two consecutive events', response)
  const { total, events } = pageOf(response, defaultPaging)
  if (events.length > 0 && (await readings.totalOf(all.window)) !== first?.total)
    return inconclusive('the total of a window in the past changed between two searches')
  if (events.length > 0)
    return inconclusive('a search between two events returned events', [
      whyNotEmpty(all, { ...all, window, events }),
    ])
  expect.that(total === 0, 'total 0', `total ${total}`)
})

/** The requirement that judges why a search between two events of a reading returned events. */
function whyNotEmpty(all: WindowReading, between: WindowReading): RequirementId {
  if ([...all.events, ...between.events].some(({ time }) => !time)) return 'EVENT-TIMESTAMP'
  return hasEventsOutside(between) ? 'EVENT-WINDOW-RESPECTED' : 'EVENT-WINDOWS-ADJACENT'
}

check('EVENT-REFUSAL-BODY', 'the body of a refused search is recorded', async ({ events, observe }) => {
  const response = await events.responseWithout('from')
  if (response.status < 400) return inconclusive('the search is not refused', ['EVENT-FROM-REQUIRED'])
  observe('events.refusal.media-type', [shownMediaType(response.mediaType)])
  observe('events.refusal.members', namesAmong(Object.keys(response.object ?? {})))
})
