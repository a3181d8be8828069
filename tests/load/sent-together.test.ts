import { afterEach, describe, expect, test } from 'vitest'
import { Engine } from '../../load/engine/engine.ts'
import { limiter } from '../../load/probes/limiter.ts'
import { ProbeContext } from '../../load/probes/probe.ts'
import { guardWith, peakOf, repeated, type Site, startSite } from './site.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

/** Runs the probe `limiter`, which sends few requests one at a time and then several together. */
async function probe(answer: Site['answer']) {
  const site = await startSite(answer)
  const { guard, now } = guardWith({ maxRequests: 24, maxSeconds: 10, maxRate: 20 })
  const { signal } = new AbortController()
  const engine = new Engine({ guard, now, signal, timeoutMs: 2000 })
  open.push(site, engine)
  return { site, engine, found: await limiter(new ProbeContext({ engine, source: repeated(site), signal })) }
}

// In real time: a busy machine can delay one request of a group.
describe('without a 429 to requests one at a time, several in flight show', { retry: 2 }, () => {
  test('a queue: responses leave one by one', async () => {
    let freeAt = 0
    const { found, site, engine } = await probe((_, response) => {
      freeAt = Math.max(freeAt, performance.now()) + 125
      setTimeout(() => response.end('{}'), Math.max(0, freeAt - performance.now()))
    })
    expect(found.finding).toMatch(/Queue: .* responses leave one by one, at about [78](\.\d)?\/s/)
    expect(found.observations).toMatchObject({ kind: 'not-throttled' })
    expect(found.observations['queue-per-second']).toBeGreaterThan(6.5)
    expect(found.observations['queue-per-second']).toBeLessThan(8.5)
    expect(site.arrivals.length).toBeLessThanOrEqual(24)
    expect(peakOf(engine.shots.map(({ sentAt }) => sentAt).sort((a, b) => a - b))).toBeLessThanOrEqual(20)
  }, 20_000)

  test('a limit by concurrency', async () => {
    let inFlight = 0
    const { found } = await probe((_, response) => {
      if (inFlight >= 3) return response.writeHead(429, { 'retry-after': '1' }).end('{}')
      inFlight += 1
      setTimeout(() => {
        inFlight -= 1
        response.end('{}')
      }, 250)
    })
    expect(found.finding).toContain('Of 6 requests in flight together, 3 were refused, in each of 2 rounds')
    expect(found.finding).toContain('a limit by concurrency (3 at a time)')
    expect(found.observations).toEqual({ kind: 'not-throttled', concurrent: 3 })
  }, 20_000)

  test('no note for a target that handles requests concurrently', async () => {
    const { found } = await probe((_, response) => setTimeout(() => response.end('{}'), 60))
    expect(found.finding).toMatch(
      /^No 429: all 12 requests sent one at a time in [\d.]+ s were admitted; so were 12 more, with up to 6 in flight together\.$/,
    )
    expect(found.observations).toEqual({ kind: 'not-throttled' })
  }, 20_000)
})
