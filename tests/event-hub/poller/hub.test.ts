import { describe, expect, onTestFinished, test } from 'vitest'
import { startProvider } from '../../../provider/index.ts'
import { passedTime } from '../../../src/event-hub/clock-changes.ts'
import { formatLocal } from '../../../src/event-hub/local-time.ts'
import { memoryDisk } from '../../../src/event-hub/poller/disk.ts'
import { PollerMemory } from '../../../src/event-hub/poller/memory.ts'
import { Poller } from '../../../src/event-hub/poller/poller.ts'
import { eventFile } from '../../../src/event-hub/poller/sink.ts'
import { searchPages } from '../../../src/event-hub/poller/source.ts'
import { EventHub } from '../../../src/event-hub/search.ts'
import { Recorder } from '../../../src/evidence/recorder.ts'
import { Budget } from '../../../src/http/budget.ts'
import { Http } from '../../../src/http/http.ts'
import { targetFrom } from '../../../src/target/config.ts'
import { partnerApiOf } from '../../../src/target/parts.ts'
import { SetupError } from '../../../src/target/problem.ts'
import { type Fault, faultyFront, retryAfter } from './front.ts'

const zone = 'Europe/Helsinki'
const hour = 3_600_000

/** A poller that reads the last hours of an embedded hub; its waits take no time and are recorded. */
async function pollerOf(
  variants: string[],
  pageSize: number,
  faultOf: (number: number) => Fault | Promise<Fault>,
  signal?: AbortSignal,
) {
  const provider = await startProvider({ variants })
  const front = await faultyFront(provider, faultOf)
  const target = targetFrom('embedded', { ...provider.variables, PARTNER_API_URL: front.partnerApiUrl })
  const http = new Http(
    new Budget({ ...target, requestBudget: 2000, throttleLimit: Number.POSITIVE_INFINITY }),
    new Recorder(),
    undefined,
    { timeoutMs: 1000 },
  )
  onTestFinished(async () => {
    await http.close()
    await provider.close()
  })
  const disk = memoryDisk()
  const { url, credentials } = partnerApiOf(target)
  const feed = { hub: url, client: credentials.id, zone }
  const start = passedTime(zone, Date.now() - 60 * hour)
  const remembered = await PollerMemory.open(disk, 'checkpoint', feed, () => start)
  const waits: number[] = []
  const advances: { to: string; searches: number }[] = []
  const poller = await Poller.resume({
    source: searchPages(new EventHub(http, target), pageSize),
    memory: remembered,
    sink: eventFile(disk, 'events'),
    until: () => passedTime(zone, Date.now() - 1000),
    clock: {
      sleep: async (milliseconds) => {
        waits.push(milliseconds)
      },
    },
    ...(signal && { signal }),
    onProgress: (news) => {
      if (news.kind === 'advanced')
        advances.push({ to: formatLocal(news.to), searches: front.searches.length })
    },
  })
  const delivered = async () =>
    ((await disk.read('events')) ?? '')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { id: string; timestamp: string })
  return { provider, front, poller, remembered, waits, advances, delivered, start }
}

/** Every event of a hub over more than two days, without any poller. */
async function allEvents(provider: Awaited<ReturnType<typeof startProvider>>, from: string, to: string) {
  const seen: string[] = []
  const query = (page: number, begin: string, end: string) =>
    provider.hub.handle(
      {
        at: Date.now(),
        method: 'GET',
        path: '',
        query: new URLSearchParams({ from: begin, to: end, page: `${page}`, pageSize: '1000' }),
        headers: {
          'x-client-id': provider.variables.PARTNER_CLIENT_ID,
          'x-client-secret': provider.variables.PARTNER_CLIENT_SECRET,
        },
        address: '',
      },
      '/events/search',
    )
  const step = 12 * hour
  for (let begin = Date.parse(`${from}Z`); begin < Date.parse(`${to}Z`); begin += step) {
    const end = Math.min(begin + step, Date.parse(`${to}Z`))
    const written = (time: number) => new Date(time).toISOString().slice(0, -1)
    for (let page = 0, more = true; more; page += 1) {
      const { items, total, pageSize } = query(page, written(begin), written(end)).body as {
        items: { id: string }[]
        total: number
        pageSize: number
      }
      seen.push(...items.map(({ id }) => id))
      more = (page + 1) * pageSize < total
    }
  }
  return new Set(seen)
}

/** Failures in the middle of the first and of the second batch. */
const faults: Readonly<Record<number, Fault>> = {
  1: '500',
  3: 'reset',
  4: 'cut',
  6: 'html',
  7: 'reset',
}

describe('against the embedded hub, with faults in the middle of a batch and live events', () => {
  test.each([
    [[], 60],
    [['descending-order'], 60],
    [['duplicates-with-same-content'], 60],
    [['page-size-capped-at-100'], 150],
  ])('%j: every event once', async (variants, pageSize) => {
    let published = 0
    const { provider, front, poller, remembered, waits, advances, delivered, start } = await pollerOf(
      variants,
      pageSize,
      (number) => {
        const from = front.searches[number]?.query.get('from') ?? ''
        // Two events of the same moment arrive late, while their batch is read.
        if (number === 2 || number === 8) {
          for (const twin of [1, 2]) {
            published += 1
            const local = Date.parse(`${from}Z`) + 5 * hour
            const payload = { changedClaims: ['email'] }
            const id = `live-${number}-${twin}`
            provider.hub.publish({ id, local, type: 'ClaimValuesChanged', version: '1', payload })
          }
        }
        return faults[number] ?? 'none'
      },
    )
    await poller.catchUp()
    const ids = (await delivered()).map(({ id }) => id)
    const wanted = await allEvents(provider, formatLocal(start), formatLocal(remembered.checkpoint))
    expect(ids.toSorted()).toEqual([...wanted].sort())
    expect(published).toBe(4)
    expect(ids.filter((id) => id.startsWith('live-'))).toHaveLength(4)

    // The checkpoint advanced from each sent `to` to the next, after the last page of its batch.
    const sent = front.searches.map(({ query }) => query.get('to'))
    let done = 0
    let from = formatLocal(start)
    for (const { to, searches } of advances) {
      const batch = front.searches.slice(done, searches)
      expect(new Set(batch.map(({ query }) => query.get('from')))).toEqual(new Set([from]))
      expect(new Set(sent.slice(done, searches))).toEqual(new Set([to]))
      done = searches
      from = to
    }
    expect(done).toBe(front.searches.length)

    expect(waits.length).toBeGreaterThanOrEqual(5)
    expect(waits.every((wait) => wait >= 500)).toBe(true)
  })

  test('after a 503 and a 429 in a batch, no request is early, and no event is lost', async () => {
    const troubles: Readonly<Record<number, Fault>> = { 1: '503', 4: '429' }
    const { poller, provider, front, remembered, waits, delivered, start } = await pollerOf(
      [],
      60,
      (number) => troubles[number] ?? 'none',
    )
    await poller.catchUp()
    const wanted = await allEvents(provider, formatLocal(start), formatLocal(remembered.checkpoint))
    expect((await delivered()).map(({ id }) => id).toSorted()).toEqual([...wanted].sort())
    expect(waits).toHaveLength(2)
    expect(waits[1]).toBe(retryAfter * 1000)
    // The request after the 429 was really sent that much later, although the poller's wait took no time.
    const [before, after] = [front.searches[4]?.at ?? 0, front.searches[5]?.at ?? 0]
    expect(after - before).toBeGreaterThanOrEqual(retryAfter * 1000)
  })

  test('requests to an unavailable hub slow down, and the checkpoint stays', async () => {
    const { poller, remembered, waits, front, delivered, start } = await pollerOf([], 100, (number) =>
      number < 9 ? 'html' : 'none',
    )
    await poller.catchUp()
    expect(waits).toHaveLength(9)
    for (const [index, wait] of waits.entries()) {
      const full = Math.min(30_000, 1000 * 2 ** index)
      expect(wait).toBeGreaterThanOrEqual(full / 2)
      expect(wait).toBeLessThanOrEqual(full)
    }
    const searched = front.searches.slice(0, 10).map(({ query }) => query.toString())
    expect(new Set(searched).size).toBe(1)
    expect(front.searches[0]?.query.get('from')).toBe(formatLocal(start))
    expect(remembered.checkpoint.equals(start)).toBe(false)
    expect((await delivered()).length).toBeGreaterThan(400)
  })

  test('after a response, the next failure starts with a short wait', async () => {
    const failing = [0, 1, 2, 4]
    const { poller, waits } = await pollerOf([], 1000, (number) =>
      failing.includes(number) ? 'html' : 'none',
    )
    await poller.catchUp()
    expect(waits.map((wait) => 2 ** Math.ceil(Math.log2(wait / 1000)))).toEqual([1, 2, 4, 1])
  })

  test('a signal ends it after the current page, and the checkpoint stays', async () => {
    const stop = new AbortController()
    const { poller, front, remembered, delivered, start } = await pollerOf(
      [],
      20,
      (number) => {
        if (number === 2) stop.abort()
        return 'none'
      },
      stop.signal,
    )
    expect(await poller.catchUp()).toBe(false)
    expect(front.searches).toHaveLength(3)
    expect(await delivered()).toHaveLength(60)
    expect(remembered.checkpoint.equals(start)).toBe(true)
  })

  test('a refusal that a retry cannot fix ends it with a set-up error', async () => {
    const { poller, provider, remembered, start } = await pollerOf([], 100, () => 'none')
    const { handle } = provider.hub
    provider.hub.handle = (received, path) => ({ ...handle(received, path), status: 403 })
    const failure = await poller.catchUp().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(SetupError)
    expect((failure as Error).message).toMatch(/PARTNER_CLIENT_SECRET/)
    expect(remembered.checkpoint.equals(start)).toBe(true)
  })
})
