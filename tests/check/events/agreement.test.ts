import { describe, expect, test } from 'vitest'
import { changedIds, fitsTotal, misstatedSizes } from '../../../src/check/events/agreement.ts'
import type { EventPage } from '../../../src/event-hub/page.ts'
import { event } from '../../event-hub/events.ts'

const [a, b] = [event({ id: 'a' }), event({ id: 'b' })]

test.each([
  [1, false],
  [2, true],
  [3, true],
  [4, false],
])('a total of %i for two events, one of them returned twice: %s', (total, fits) => {
  expect(fitsTotal([a, b, b], total)).toBe(fits)
})

describe('changed ids', () => {
  const at = (id: string, second: string) => event({ id, timestamp: `2026-03-02T10:15:${second}` })

  test.each([
    ['the same event', [a], [a], 0],
    ['another id for the same content', [a], [b], 1],
    ['two events of the same content in another order', [a, b], [b, a], 0],
    [
      'two events of the same content, each in another spelling',
      [at('a', '01.1'), at('b', '01.100')],
      [at('a', '01.100'), at('b', '01.1')],
      0,
    ],
    ['a new event of the same content', [a], [a, b], 0],
    ['one event returned twice', [a], [a, a], 0],
    ['another id at one time in another spelling', [at('a', '01.100')], [at('b', '01.1')], 1],
    ['events at other times', [at('a', '01.000')], [at('b', '02.000')], 0],
    [
      'a malformed id in one of them',
      [a],
      [event({ id: 7 }), event({ id: '' }), event({ id: undefined })],
      0,
    ],
  ] as const)('%s', (_, first, second, changed) => {
    expect(changedIds(first, second)).toBe(changed)
  })
})

describe('a pageSize in a response', () => {
  const page = (requested: number, pageSize: number): EventPage => ({
    requested: { page: 0, pageSize: requested },
    page: 0,
    pageSize,
    total: 0,
    events: [],
    problems: [],
  })

  test.each([
    ['as requested', [page(10, 10), page(1000, 1000)], 0],
    ['capped to one maximum', [page(10, 10), page(1000, 100), page(500, 100)], 0],
    ['below the default', [page(10, 3)], 1],
    ['below another one', [page(1000, 1000), page(30, 27)], 1],
    ['above the requested one', [page(5, 10), page(10, 10)], 1],
  ] as const)('%s', (_, pages, wrong) => {
    expect(misstatedSizes(pages)).toHaveLength(wrong)
  })
})
