import { type Expect, kindOf } from '../../src/check/expect.ts'
import { namesAmong } from '../../src/event-hub/event.ts'
import { type Problem, pageProblems } from '../../src/event-hub/schemas.ts'
import { check } from './requirements.ts'

check(
  'EVENT-PAGE-SHAPE',
  'a page has all members with their types',
  async ({ readings, events, expect, basis }) => {
    noProblem(expect, pageProblems((await events.control()).json))
    // The control may have found nothing; this page holds events.
    const { page } = await readings.firstPage()
    basis({ events: page.events.length })
    noProblem(expect, page.problems)
  },
)

check('EVENT-PAGE-NUMBER', 'every page says its number', async ({ rereadings, expect, basis }) => {
  const { pages } = (await rereadings.pageThrough()).paged
  basis({ pages: pages.length })
  for (const { asked, page } of pages) {
    expect.sending(`a search with page=${asked.page}`)
    expect.that(page === asked.page, `page ${asked.page}`, `it was page ${page}`)
  }
})

check(
  'EVENT-TOTAL',
  'total is the same on every page and for every page size',
  async ({ rereadings, readings, expect, basis, inconclusive }) => {
    const { whole, paged, window } = await rereadings.pageThrough()
    const all = await readings.allEvents()
    const other = await rereadings.allEventsOtherwise()
    basis({ pages: [whole, paged, all, other].flatMap(({ pages }) => pages).length })
    for (const within of [all.window, window]) {
      const first = readings.pagesAskedFor(within)[0]?.total ?? 0
      const different = readings.pagesAskedFor(within).find(({ total }) => total !== first)
      // What comes in late changes a total once and for all: one that is seen again afterwards was not changed by that.
      if (different) await readings.totalOf(within)
      if (different && !returns(readings.pagesAskedFor(within).map(({ total }) => total))) {
        return inconclusive('the total of a window in the past changed while its pages were read')
      }
      if (different) {
        const { page, pageSize } = different.asked
        expect.sending(`a search with page=${page} and pageSize=${pageSize}`)
      }
      expect.that(!different, `total ${first}, as on the first page`, `it was ${different?.total}`)
    }
  },
)

check(
  'EVENT-REFUSAL-BODY',
  'the body of a search that is rejected',
  async ({ events, observe, inconclusive }) => {
    const answer = await events.answerWithoutFrom()
    if (answer.status < 400)
      return inconclusive('the search is not rejected', { dependsOn: ['EVENT-FROM-REQUIRED'] })
    observe('events.refusal.media-type', namesAmong([answer.mediaType.replace('/', ' ')]))
    observe('events.refusal.members', namesAmong(Object.keys(answer.object ?? {})))
  },
)

function noProblem(expect: Expect, [problem]: readonly Problem[]): void {
  const where = problem?.path || 'the page'
  expect.that(!problem, `${where} as documented (${problem?.rule})`, `it was ${kindOf(problem?.value)}`)
}

/** Whether a number comes up again after another one. */
function returns(totals: readonly number[]): boolean {
  const runs = totals.filter((total, index) => index === 0 || total !== totals[index - 1])
  return new Set(runs).size < runs.length
}
