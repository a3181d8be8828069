import { afterEach, describe, expect, test } from 'vitest'
import { closedLoop } from '../../load/engine/closed-loop.ts'
import { Engine } from '../../load/engine/engine.ts'
import { countsOf } from '../../load/output/outcome.ts'
import { guardWith, type Site, startSite } from './site.ts'

const open: { site?: Site; engine?: Engine } = {}
afterEach(async () => {
  await open.engine?.close()
  await open.site?.close()
})

/** What a server saw of the closed loop, and what the loop says of itself. */
async function run(
  answer: Site['answer'],
  { maxRequests = 100, maxSeconds = 30, timeoutMs = 2000, stop = new AbortController() } = {},
) {
  const site = await startSite(answer)
  open.site = site
  const { guard, now } = guardWith({ maxRequests, maxSeconds, maxRate: 5 })
  const throttled: string[] = []
  const engine = new Engine({
    guard,
    now,
    signal: stop.signal,
    timeoutMs,
    onThrottled: (_, { headers, text }) => throttled.push(`${headers['retry-after']} ${text}`),
  })
  open.engine = engine
  const request = {
    method: 'GET' as const,
    url: site.url,
    headers: [['Accept', 'application/json']] as const,
  }
  await closedLoop(engine, request, stop.signal)
  return { site, engine, guard, throttled, counts: countsOf(engine.shots, guard.spent) }
}

const tooMany = (response: Parameters<Site['answer']>[1], more: Record<string, string> = {}) =>
  response.writeHead(429, { 'Retry-After': '3', ...more }).end('{"error":"temporarily_unavailable"}')

describe('the closed loop', () => {
  test('sends as many requests as are left, and knows of each', async () => {
    const { site, counts } = await run((_, response) => response.end('{}'))
    expect(counts).toMatchObject({ sent: 100, accepted: 100, throttled: 0, unanswered: 0, reconnects: 0 })
    expect(site.arrivals).toHaveLength(100)
    expect(site.connections).toBe(10)
  })

  test('counts 429s and records their headers', async () => {
    const { counts, throttled, engine } = await run((_, response, index) =>
      // A field that comes twice has no one meaning, and breaks nothing.
      index < 30 ? response.setHeader('Retry-After', ['1', '2']).end('{}') : tooMany(response),
    )
    expect(counts).toMatchObject({ sent: 100, accepted: 30, throttled: 70 })
    expect(throttled[0]).toBe('3 {"error":"temporarily_unavailable"}')
    expect(engine.shots.filter(({ retryAfterMs }) => retryAfterMs === 3000)).toHaveLength(70)
  })

  test('the next caller waits until Retry-After has elapsed', async () => {
    const { engine, guard } = await run((_, response) => tooMany(response, { 'Retry-After': '10' }))
    await engine.close()
    expect(guard.pauseMs).toBeGreaterThan(2000)
  })

  test('counts connections that close after a response, loses no request with them, and stays within the budget', async () => {
    const { site, counts, guard } = await run((_, response) => tooMany(response, { Connection: 'close' }))
    expect(guard.spent).toBeLessThanOrEqual(100)
    expect(counts).toMatchObject({
      sent: site.arrivals.length,
      throttled: site.arrivals.length,
      unanswered: 0,
    })
    // The first ten cost nothing.
    expect(counts.reconnects).toBe(site.connections - 10)
    expect(site.arrivals.length).toBeGreaterThan(50)
  })

  test('ends with the data so far when the target no longer responds', async () => {
    const { site, counts, engine } = await run((request, response, index) =>
      index < 20 ? response.end('{}') : request.socket.resetAndDestroy(),
    )
    expect(engine.ended).toMatch(/consecutive requests had no response/)
    expect(counts.accepted).toBe(20)
    expect(counts.unanswered).toBeGreaterThanOrEqual(3)
    expect(site.arrivals.length).toBeLessThanOrEqual(50)
  })

  test('counts requests that timed out', async () => {
    const { counts, engine } = await run((_, response, index) => index < 20 && response.end('{}'), {
      timeoutMs: 1000,
    })
    expect(counts.timedOut).toBeGreaterThanOrEqual(3)
    expect(engine.ended).toMatch(/no response \(the last: timed-out\)/)
  })

  test('keeps to LOAD_MAX_SECONDS', async () => {
    const { engine, counts } = await run((_, response) => setTimeout(() => response.end('{}'), 100), {
      maxSeconds: 1,
      maxRequests: 5000,
    })
    expect(engine.ended).toBe('the 1 s of LOAD_MAX_SECONDS have elapsed')
    expect(counts.sent).toBeLessThanOrEqual(110)
  })

  test('sends nothing after the probe was stopped', async () => {
    const stop = new AbortController()
    const { site, engine } = await run(
      (_, response, index) => {
        if (index === 50) stop.abort()
        setTimeout(() => response.end('{}'), 10)
      },
      { maxRequests: 5000, stop },
    )
    // Those on the wire at that moment.
    expect(site.arrivals.length).toBeLessThanOrEqual(50 + 10)
    expect(engine.ended).toBe('the probe was interrupted')
  })

  test('sends nothing where the probe was stopped before it began, and ends', async () => {
    const stop = new AbortController()
    stop.abort()
    const { site, engine } = await run((_, response) => response.end('{}'), { stop })
    expect(site.arrivals).toHaveLength(0)
    expect(engine.ended).toBe('the probe was interrupted')
  })
})
