import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseLocalTime, wallClock } from '../../provider/hub/local-time.ts'
import { seededEvents } from '../../provider/hub/seeded-events.ts'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { TestClient } from './client.ts'

const NOW = Date.UTC(2026, 5, 10, 9, 0, 0)
/** Helsinki is three hours ahead of UTC in June. */
const DAY = { from: '2026-06-09T12:00:00.000', to: '2026-06-10T12:00:00.000' }

interface Page {
  page: number
  pageSize: number
  total: number
  items: { id: string; timestamp: string }[]
}

let running: RunningProvider
let client: TestClient
beforeAll(async () => {
  running = await startProvider({ now: () => NOW })
  client = new TestClient(running)
})
afterAll(() => running.close())

async function page(query: Record<string, string>): Promise<Page> {
  const response = await client.search(query)
  expect(response.status).toBe(200)
  return (await response.json()) as Page
}

describe('event search', () => {
  test('pages of the default size hold every event of a day once, in ascending order', async () => {
    const first = await page(DAY)
    expect(first).toMatchObject({ page: 0, pageSize: 10 })
    const items = []
    for (let number = 0; number * first.pageSize < first.total; number++) {
      items.push(...(await page({ ...DAY, page: String(number) })).items)
    }
    expect(items).toHaveLength(first.total)
    expect(new Set(items.map(({ id }) => id)).size).toBe(first.total)
    expect(items.map(({ timestamp }) => timestamp)).toEqual(items.map(({ timestamp }) => timestamp).sort())
  })

  test('from is inclusive and to exclusive, to the millisecond', async () => {
    const { items } = await page({ ...DAY, pageSize: '1000' })
    const at = items[20]?.timestamp ?? ''
    const later = new Date(Date.parse(`${at}Z`) + 1).toISOString().slice(0, -1)
    const ids = async (from: string, to: string) =>
      (await page({ from, to })).items.map(({ timestamp }) => timestamp)
    expect(await ids(at, later)).toContain(at)
    expect(await ids(DAY.from, at)).not.toContain(at)
    expect(await ids(later, DAY.to)).not.toContain(at)
  })

  test.each([
    { to: DAY.to },
    { from: DAY.from },
    { from: `${DAY.from}Z`, to: DAY.to },
    { from: DAY.from, to: `${DAY.to}+03:00` },
    { from: DAY.from, to: `${DAY.to}-03:00` },
    { from: 'yesterday', to: DAY.to },
    { from: '2026-06-31T00:00:00', to: '2026-06-31T01:00:00' },
    { from: '2026-06-09T11:59:00.000', to: DAY.to },
    { from: DAY.to, to: DAY.from },
    { ...DAY, page: '-1' },
    { ...DAY, page: 'x' },
    { ...DAY, pageSize: '0' },
    { ...DAY, pageSize: '1.5' },
  ])('%o is rejected with 400', async (query) => {
    expect((await client.search(query as Record<string, string>)).status).toBe(400)
  })

  test('only entitled partners with their own secret can search', async () => {
    const { UNENTITLED_CLIENT_ID = '', UNENTITLED_CLIENT_SECRET = '' } = running.variables
    const unentitled = { 'x-client-id': UNENTITLED_CLIENT_ID, 'x-client-secret': UNENTITLED_CLIENT_SECRET }
    expect((await client.search(DAY, {})).status).toBe(401)
    expect((await client.search(DAY, { ...client.partner(), 'x-client-secret': 'wrong' })).status).toBe(401)
    const refused = await client.search(DAY, unentitled)
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ type: 'FEATURE_DISABLED', message: expect.any(String) })
    const { access_token } = await client.login()
    expect((await client.search(DAY, { authorization: `Bearer ${access_token}` })).status).toBe(401)
    const elsewhere = await client.request(`${running.partnerApiUrl}/events`, { headers: client.partner() })
    expect(elsewhere.status).toBe(404)
  })
})

describe('seeded events', () => {
  const events = seededEvents('seed', NOW, 'app', ['subject-1'])

  test('the same seed and time give the same events; another seed gives others', () => {
    expect(seededEvents('seed', NOW, 'app', ['subject-1'])).toEqual(events)
    expect(seededEvents('other', NOW, 'app', ['subject-1'])).not.toEqual(events)
  })

  test('every lawful form of an event occurs in the last 72 hours', () => {
    expect(events.length).toBeGreaterThanOrEqual(500)
    const toLocal = wallClock('Europe/Helsinki')
    expect(events[0]?.local).toBeGreaterThanOrEqual(toLocal(NOW - 73 * 3_600_000))
    expect(events.at(-1)?.local).toBeLessThan(toLocal(NOW))
    expect(new Set(events.map(({ version }) => version))).toEqual(new Set(['1', '1.0']))
    expect(events.some(({ payload }) => 'claims' in payload)).toBe(true)
    expect(events.some(({ payload }) => 'changedClaims' in payload)).toBe(true)
    expect(new Set(events.map(({ local }) => local)).size).toBeLessThan(events.length - 20)
    expect(events.some(({ local }) => local % 1000 === 0)).toBe(true)
    for (const name of ['sphere', 'subscriber', 'application', 'subscription'] as const) {
      expect(events.some((event) => event[name] === undefined)).toBe(true)
      expect(events.some((event) => event[name] !== undefined)).toBe(true)
    }
  })

  test('local times follow a clock change', () => {
    const toLocal = wallClock('Europe/Helsinki')
    const before = Date.UTC(2026, 9, 25, 0, 59)
    const after = Date.UTC(2026, 9, 25, 1, 1)
    expect(new Date(toLocal(before)).toISOString()).toBe('2026-10-25T03:59:00.000Z')
    expect(new Date(toLocal(after)).toISOString()).toBe('2026-10-25T03:01:00.000Z')
  })
})

test.each([
  ['2026-06-10T12:00', Date.UTC(2026, 5, 10, 12)],
  ['2026-06-10T12:00:01.5', Date.UTC(2026, 5, 10, 12, 0, 1, 500)],
  ['2024-02-29T00:00:00', Date.UTC(2024, 1, 29)],
  ['2026-02-29T00:00:00', undefined],
  ['2026-06-10', undefined],
  ['2026-06-10 12:00:00', undefined],
  ['2026-06-10T24:00:00', undefined],
  ['2026-06-10T12:00:60', undefined],
  ['2026-06-10T12:00:00[Europe/Helsinki]', undefined],
])('the local time %s reads as %s', (text, time) => {
  expect(parseLocalTime(text)).toBe(time)
})

test('a published event appears in the next search, in the order of time', async () => {
  const live = await startProvider({ now: () => NOW })
  const liveClient = new TestClient(live)
  const seen: string[] = []
  live.hub.onPublished(({ id }) => seen.push(id))
  const local = Date.parse('2026-06-10T11:30:00.250Z')
  live.hub.publish({ id: 'event-live', local, type: 'ClaimValuesChanged', version: '1', payload: {} })
  const response = await liveClient.search({ from: '2026-06-10T11:30:00.250', to: '2026-06-10T11:30:00.251' })
  expect(((await response.json()) as Page).items).toMatchObject([{ id: 'event-live' }])
  expect(seen).toEqual(['event-live'])
  await live.close()
})

test('invented claim changes occur at the configured interval, and searches return them', async () => {
  const busy = await startProvider({ eventsEvery: 0.02 })
  try {
    const three = Promise.withResolvers<unknown[]>()
    const events: { id: string; type: string }[] = []
    busy.hub.onPublished((event) => {
      events.push(event)
      if (events.length === 3) three.resolve(events)
    })
    await three.promise
    expect(new Set(events.map(({ id }) => id)).size).toBe(3)
    expect(events.every(({ type }) => type === 'ClaimValuesChanged')).toBe(true)
  } finally {
    await busy.close()
  }
})
