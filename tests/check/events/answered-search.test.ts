import { describe, expect, test } from 'vitest'
import { answeredSearch, pagesToJudge, refusedOnce } from '../../../src/check/events/answered-search.ts'
import { parseLocal } from '../../../src/event-hub/local-time.ts'
import type { SearchQuery } from '../../../src/event-hub/search.ts'
import type { Exchange } from '../../../src/evidence/exchange.ts'
import { HttpResponse } from '../../../src/http/response.ts'
import { item } from '../../event-hub/events.ts'

const at = (time: string) => parseLocal(`2026-03-02T${time}`)?.at ?? null
const query: SearchQuery = { from: at('10:00:00.000'), to: at('22:00:00.000'), page: 0, pageSize: 10 }
const body = { page: 0, pageSize: 10, total: 1, items: [item()] }

function answered(status: number, json: unknown, change: SearchQuery = {}, isPlain = true) {
  const response = new HttpResponse(status, {}, JSON.stringify(json) ?? '')
  response.exchange = { sentAt: 1000, durationMs: 20 } as Exchange
  return answeredSearch(response, { ...query, ...change }, isPlain)
}

describe('the response to a search', () => {
  test('has its page, its events and its times', () => {
    const search = answered(200, body)
    expect(search).toMatchObject({ from: 1000, until: 1020, accepted: true, problems: [] })
    expect(search.page?.total).toBe(1)
    expect(search.events).toHaveLength(1)
  })

  test('has its events and problems even without a total', () => {
    const { page, events, problems } = answered(200, { ...body, total: undefined })
    expect(page).toBeUndefined()
    expect(events).toHaveLength(1)
    expect(problems.map(({ path }) => path)).toEqual(['total'])
  })

  test('requests page 0 with ten events by default', () => {
    const { requested } = answered(200, body, { page: null, pageSize: null })
    expect(requested).toMatchObject({ page: 0, pageSize: 10 })
  })

  test.each([
    [199, false],
    [200, true],
    [299, true],
    [300, false],
  ])('with status %i is accepted: %o', (status, isAccepted) => {
    const { accepted, page, events, problems } = answered(status, { ...body, extra: 1, page: 'x' })
    expect(accepted).toBe(isAccepted)
    expect([page !== undefined, events.length > 0, problems.length > 0]).toEqual(
      Array.from({ length: 3 }, () => isAccepted),
    )
  })

  test('without JSON is not accepted', () => {
    const response = new HttpResponse(200, {}, 'no JSON')
    response.exchange = { sentAt: 1000, durationMs: 20 } as Exchange
    expect(answeredSearch(response, query, true).accepted).toBe(false)
  })

  test('to a search that is not valid has neither page nor problems', () => {
    const { page, problems } = answered(200, { ...body, page: 'x' }, { from: null })
    expect([page, problems]).toEqual([undefined, []])
  })

  test('contains no events for other credentials, at another address, and if it is refused', () => {
    expect(answered(200, body, {}, false).events).toEqual([])
    expect(answered(403, body).events).toEqual([])
  })
})

describe('a page is judged', () => {
  test.each<[string, SearchQuery, boolean]>([
    ['of a valid search', {}, true],
    ['of exactly 24 hours', { to: parseLocal('2026-03-03T10:00:00.000')?.at ?? null }, true],
    ['of more than 24 hours', { to: parseLocal('2026-03-03T10:00:00.001')?.at ?? null }, false],
    ['of an empty window', { to: at('10:00:00.000') }, false],
    ['without `from`', { from: null }, false],
    ['that begins after its end', { to: at('09:00:00.000') }, false],
    ['with a time as text', { to: '2026-03-02T22:00' }, true],
    ['with a time and a space as text', { to: '2026-03-02 22:00:00' }, false],
    ['with a time and a zone as text', { to: '2026-03-02T22:00:00z' }, false],
    ['of more than 24 hours as text', { to: '2026-03-03T10:01' }, false],
    ['with a negative page', { page: -1 }, false],
    ['with a `pageSize` of 0', { pageSize: 0 }, false],
    ['with a `pageSize` of 1.5', { pageSize: '1.5' }, false],
    ['with a `pageSize` as text', { pageSize: '10' }, false],
  ])('%s: %o', (_, change, isJudged) => {
    expect(pagesToJudge([answered(200, body, change)])).toHaveLength(isJudged ? 1 : 0)
  })

  test('of a time as text only if it is a page', () => {
    const change = { to: '2026-03-02T22:00' }
    expect(answered(200, { error: 'none' }, change).requested).toBeUndefined()
    expect(answered(400, body, change).requested).toBeUndefined()
    expect(answered(200, body, change, false).requested).toBeUndefined()
    expect(answered(400, body).requested).toBeDefined()
  })

  test('by its window alone if that ends where it begins, or before', () => {
    for (const to of [at('10:00:00.000'), at('09:00:00.000')]) {
      const search = answered(200, body, { to })
      expect(search.requested).toBeUndefined()
      expect(search.requestedEmptyWindow).toMatchObject({ from: query.from, to })
      expect(answered(400, body, { to }).requestedEmptyWindow).toBeUndefined()
      expect(answered(200, body, { to }, false).requestedEmptyWindow).toBeUndefined()
    }
    expect(answered(200, body).requestedEmptyWindow).toBeUndefined()
  })

  test('unless it is past the last one or refused', () => {
    const empty = { ...body, items: [] }
    expect(pagesToJudge([answered(200, empty, { page: 3 }), answered(400, body)])).toEqual([])
    expect(pagesToJudge([answered(200, empty)])).toHaveLength(1)
    expect(pagesToJudge([answered(200, body, { page: 1 })])).toHaveLength(1)
    expect(pagesToJudge([answered(200, { ...body, total: undefined }, { page: 1 })])).toHaveLength(1)
  })
})

describe('a valid search is refused once', () => {
  const accepted = answered(200, body)

  test.each([
    [400, true],
    [403, true],
    [300, true],
    [302, true],
    [204, false],
    [408, false],
    [425, false],
    [429, false],
    [500, false],
    [503, false],
  ])('with %i, and then accepted: %o', (status, isReported) => {
    expect(refusedOnce([answered(status, {}), accepted])).toHaveLength(isReported ? 1 : 0)
  })

  test('with a 2xx without JSON, and then accepted', () => {
    expect(refusedOnce([answered(200, undefined), accepted])).toHaveLength(1)
  })

  test('but not if it is refused again, or accepted only before', () => {
    const refused = answered(403, {})
    expect(refusedOnce([accepted, refused, refused])).toEqual([])
    expect(refusedOnce([refused, answered(200, body, { page: 1 })])).toEqual([])
  })

  test('but not if it is not valid', () => {
    const invalid = { from: null }
    expect(refusedOnce([answered(400, {}, invalid), answered(200, body, invalid)])).toEqual([])
  })
})
