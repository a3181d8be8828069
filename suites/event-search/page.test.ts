import { type Expect, kindOf } from '../../src/check/expect.ts'
import { type Problem, pageProblems } from '../../src/event-hub/schemas.ts'
import { check } from './requirements.ts'

check('EVENT-PAGE-SHAPE', 'a page has all members with their types', async ({ events, expect, basis }) => {
  noProblem(expect, pageProblems((await events.control()).json))
  // The control may have found nothing; this page holds events.
  const { page } = await events.firstPage()
  basis({ events: page.events.length })
  noProblem(expect, page.problems)
  expect.that(page.page === 0, 'page 0, as asked for', `it was ${page.page}`)
})

function noProblem(expect: Expect, [problem]: readonly Problem[]): void {
  const where = problem?.path || 'the page'
  expect.that(!problem, `${where} as documented (${problem?.rule})`, `it was ${kindOf(problem?.value)}`)
}
