import { describe, expect, test } from 'vitest'
import { answeredSearch } from '../../../src/check/events/answered-search.ts'
import { parseLocal } from '../../../src/event-hub/local-time.ts'
import type { SearchQuery } from '../../../src/event-hub/search.ts'
import type { Exchange } from '../../../src/evidence/exchange.ts'
import { HttpResponse } from '../../../src/http/response.ts'
import { comparedWithEarlier, omittedEvents } from '../../../suites/event-search/omissions.ts'
import { eventsAt } from '../../event-hub/events.ts'

const known = eventsAt('10.000', '20.000', '30.000', '30.000', '40.000', '50.000')
const bound = (second: string) => parseLocal(`2026-03-02T10:15:${second}`)?.at ?? null

/** A page of the known events with these indices. */
function page(indices: readonly number[], query: SearchQuery = {}, total = known.length) {
  const items = indices.map((index) => known[index]?.members)
  const response = new HttpResponse(200, {}, JSON.stringify({ page: 0, pageSize: 10, total, items }))
  response.exchange = { sentAt: 1000, durationMs: 20 } as Exchange
  const window = { from: bound('00.000'), to: bound('59.000') }
  return answeredSearch(response, { ...window, page: 0, pageSize: 10, ...query }, true)
}

describe('events that a page omits', () => {
  test.for([
    ['none of a whole page', page([0, 1, 2, 3, 4, 5]), 0],
    ['none of a page that begins and ends between events of one time', page([0, 1, 2], { page: 1 }), 0],
    ['one between two others', page([0, 2, 3]), 1],
    ['one that another event replaces', page([0, 0, 2, 3]), 1],
    ['the first one of a first page', page([1, 2, 3]), 1],
    ['no earlier one of a later page', page([1, 2, 3], { page: 1 }), 0],
    ['no later one', page([0, 1]), 0],
    ['none of a page in no order', page([4, 0, 2]), 0],
    ['none of a window that counts fewer events than are known', page([0, 2], {}, 5), 0],
    ['none at the bounds of the window', page([1, 4], { from: bound('10.000'), to: bound('40.001') }, 5), 2],
    ['none of an empty page', page([]), 0],
  ] as const)('are %s', ([, search, count]) => {
    expect(omittedEvents(search, known, 'ascending')).toHaveLength(count)
  })

  test('on a first page in descending order are later ones', () => {
    expect(omittedEvents(page([4, 2]), known, 'descending')).toHaveLength(1)
  })

  test('on a first page in an unknown order are those between its events', () => {
    expect(omittedEvents(page([1, 4]), known, undefined)).toHaveLength(2)
  })
})

describe('a search that lacks events of an earlier one', () => {
  const whole = { pageSize: 100 }
  const settled = parseLocal('2026-03-02T10:15:45.000')?.at
  if (!settled) throw new Error('no time')
  const compared = (...pages: readonly ReturnType<typeof page>[]) => comparedWithEarlier(pages, settled)

  test('is found if its window contains them', () => {
    const [first, second] = [page([0, 1, 2], whole, 3), page([1], whole, 1)]
    const { events, loss } = compared(first, second)
    expect([events, loss?.events.length]).toEqual([3, 2])
    expect([loss?.earlier, loss?.search]).toEqual([first, second])
  })

  test.each([
    ['that has new events, too', page([0, 1, 2, 3, 4], whole, 5), 3],
    ['that is not a whole window', page([1], whole, 3), 0],
    ['that is full', page([1], { pageSize: 1 }, 1), 0],
    ['of a later page', page([1], { ...whole, page: 1 }, 1), 0],
    ['of a window in the past', page([1], { ...whole, to: bound('45.000') }, 1), 0],
    ['of a window without them', page([], { ...whole, from: bound('31.000') }, 0), 0],
  ])('is none %s', (_, later, count) => {
    expect(compared(page([0, 1, 2], whole, 3), later)).toEqual({ events: count, loss: undefined })
  })
})
