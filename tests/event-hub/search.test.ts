import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { queryString } from '../../src/event-hub/search.ts'
import { hubFor } from '../check/events/hub.ts'

const empty = { status: 200, body: { page: 0, pageSize: 10, total: 0, items: [] } }

describe('the request of a search', () => {
  test('goes to {partner_api_url}/events/search with the partner headers and nothing of the application', async () => {
    const { events, arrived } = await hubFor(() => empty)
    const from = Temporal.PlainDateTime.from('2026-03-02T10:00')
    await events.hub.search({ from, to: from.add({ hours: 1 }), page: 0, pageSize: 10 })
    expect(arrived).toHaveLength(1)
    expect(arrived[0]?.rawUrl).toBe(
      '/partner/events/search?from=2026-03-02T10%3A00%3A00.000&to=2026-03-02T11%3A00%3A00.000&page=0&pageSize=10',
    )
    expect(arrived[0]?.headers).toMatchObject({
      'x-client-id': 'partner',
      'x-client-secret': 'partner-secret',
    })
    expect(arrived[0]?.headers).not.toHaveProperty('authorization')
  })

  test('the plus sign of an offset arrives as a plus sign', async () => {
    const { events, arrived } = await hubFor(() => empty)
    await events.hub.search({ from: '2026-03-02T10:00:00.000+02:00', to: '2026-03-02T11:00:00.000-02:00' })
    expect(arrived[0]?.rawUrl).toContain('from=2026-03-02T10%3A00%3A00.000%2B02%3A00&')
    expect(arrived[0]?.query.get('from')).toBe('2026-03-02T10:00:00.000+02:00')
    expect(arrived[0]?.query.get('to')).toBe('2026-03-02T11:00:00.000-02:00')
  })

  test('a raw value arrives unchanged, an omitted parameter does not arrive', async () => {
    const { events, arrived } = await hubFor(() => empty)
    await events.hub.search({ from: { raw: '10:00+02:00&from=again' }, to: null, page: 1 })
    expect(arrived[0]?.rawUrl.split('?')[1]).toBe('from=10:00+02:00&from=again&page=1')
  })

  test('other credentials replace the partner headers', async () => {
    const { events, arrived } = await hubFor(() => empty)
    await events.hub.search({}, { headers: [['Authorization', 'Bearer abc']] })
    await events.hub.search({}, { headers: [] })
    expect(arrived[0]?.headers).toHaveProperty('authorization', 'Bearer abc')
    for (const { headers } of arrived) {
      expect(headers).not.toHaveProperty('x-client-id')
      expect(headers).not.toHaveProperty('x-client-secret')
    }
  })

  test('no value can break out of its parameter', () => {
    expect(queryString({ page: '1&pageSize=2#x', pageSize: '%' })).toBe(
      'page=1%26pageSize%3D2%23x&pageSize=%25',
    )
  })
})
