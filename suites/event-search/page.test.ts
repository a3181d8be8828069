import { kindOf } from '../../src/check/expect.ts'
import { pageProblems } from '../../src/event-hub/schemas.ts'
import { check } from './requirements.ts'

check('EVENT-PAGE-SHAPE', 'the first page of a search has all members', async ({ events, expect, basis }) => {
  const { json } = await events.control()
  const [problem] = pageProblems(json)
  const where = problem?.path === '' ? 'the page' : problem?.path
  expect.that(!problem, `${where} ${problem?.rule}`, `it was ${kindOf(problem?.value)}`)
  const { items, page } = json as { items: unknown[]; page: number }
  basis({ events: items.length })
  expect.that(page === 0, 'page 0, as asked for', `it was ${page}`)
})
