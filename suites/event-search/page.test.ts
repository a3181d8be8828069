import { kindOf } from '../../src/check/expect.ts'
import { pageProblems } from '../../src/event-hub/schemas.ts'
import { check } from './requirements.ts'

check('EVENT-PAGE-SHAPE', 'a page has all members with their types', async ({ events, expect, basis }) => {
  const { json } = await events.control()
  const [problem] = pageProblems(json)
  expect.that(!problem, `${problem?.path || 'the page'} ${problem?.rule}`, `it was ${kindOf(problem?.value)}`)
  // The control may have found nothing; this page holds events.
  const { page } = await events.firstPage()
  const [other] = page.problems
  expect.that(!other, `${other?.path} ${other?.rule}`, `it was ${kindOf(other?.value)}`)
  expect.that(page.page === 0, 'page 0, as asked for', `it was ${page.page}`)
  basis({ events: page.events.length })
})
