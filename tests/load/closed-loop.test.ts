import { describe, type TestContext, test } from 'vitest'
import { closedLoop } from '../../load/engine/closed-loop.ts'
import { Engine } from '../../load/engine/engine.ts'
import { LoadGuard } from '../../load/engine/guard.ts'
import { countsOf } from '../../load/output/outcome.ts'
import { type Site, startSite } from './site.ts'

/** What a server saw of the closed loop, and what the loop says of itself. */
async function run(
  { onTestFinished }: TestContext,
  answer: Site['answer'],
  { maxRequests = 100, maxSeconds = 30, timeoutMs = 2000, stop = new AbortController() } = {},
) {
  const site = await startSite(answer)
  const began = performance.now()
  const now = () => performance.now() - began
  const guard = new LoadGuard({ maxRequests, maxSeconds, maxRate: 5 }, now)
  const throttled: string[] = []
  const engine = new Engine({
    guard,
    now,
    signal: stop.signal,
    timeoutMs,
    onThrottled: (_, { headers, text }) => throttled.push(`${headers['retry-after']} ${text}`),
  })
  onTestFinished(async () => {
    await engine.close()
    await site.close()
  })
  const request = { method: 'GET' as const, url: site.url, headers: ['Accept', 'application/json'] }
  await closedLoop(engine, request, { timeoutMs, signal: stop.signal })
  return { site, engine, guard, throttled, counts: countsOf(engine.shots, guard.spent) }
}

const tooMany = (response: Parameters<Site['answer']>[1], more: Record<string, string> = {}) =>
  response.writeHead(429, { 'Retry-After': '3', ...more }).end('{"error":"temporarily_unavailable"}')

// They wait far more than they compute.
describe.concurrent('the closed loop', () => {
  test('sends as many requests as are left, and knows of each', async (context) => {
    const { site, counts } = await run(context, (_, response) => response.end('{}'))
    context
      .expect(counts)
      .toMatchObject({ sent: 100, accepted: 100, throttled: 0, unanswered: 0, reconnects: 0 })
    context.expect(site.arrivals).toHaveLength(100)
    context.expect(site.connections).toBe(10)
  })

  test('counts 429s and keeps what they say', async (context) => {
    const { counts, throttled, engine } = await run(context, (_, response, index) =>
      // A field that comes twice has no one meaning, and breaks nothing.
      index < 30 ? response.setHeader('Retry-After', ['1', '2']).end('{}') : tooMany(response),
    )
    context.expect(counts).toMatchObject({ sent: 100, accepted: 30, throttled: 70 })
    context.expect(throttled[0]).toBe('3 {"error":"temporarily_unavailable"}')
    context.expect(engine.shots.filter(({ retryAfterMs }) => retryAfterMs === 3000)).toHaveLength(70)
  })

  // How long is left is measured right after the loop.
  test('who comes next stays away as long as was asked', { concurrent: false }, async (context) => {
    const { engine, guard } = await run(context, (_, response) => tooMany(response))
    await engine.close()
    context.expect(guard.pauseMs).toBeGreaterThan(2000)
  })

  test('counts connections that close after an answer, loses nothing with them, and keeps to the budget', async (context) => {
    const { site, counts, guard } = await run(context, (_, response) =>
      tooMany(response, { Connection: 'close' }),
    )
    context.expect(guard.spent).toBeLessThanOrEqual(100)
    context.expect(counts).toMatchObject({
      sent: site.arrivals.length,
      throttled: site.arrivals.length,
      unanswered: 0,
    })
    // The first ten cost nothing.
    context.expect(counts.reconnects).toBe(site.connections - 10)
    context.expect(site.arrivals.length).toBeGreaterThan(50)
  })

  test('ends where nothing is answered any more, with what it has', async (context) => {
    const { site, counts, engine } = await run(context, (request, response, index) =>
      index < 20 ? response.end('{}') : request.socket.resetAndDestroy(),
    )
    context.expect(engine.ended).toMatch(/requests in a row were not answered/)
    context.expect(counts.accepted).toBe(20)
    context.expect(counts.unanswered).toBeGreaterThanOrEqual(3)
    context.expect(site.arrivals.length).toBeLessThanOrEqual(50)
  })

  test('tells requests that timed out', async (context) => {
    const { counts, engine } = await run(context, (_, response, index) => index < 20 && response.end('{}'), {
      timeoutMs: 1000,
    })
    context.expect(counts.timedOut).toBeGreaterThanOrEqual(3)
    context.expect(engine.ended).toMatch(/not answered \(the last: timed-out\)/)
  })

  test('keeps to LOAD_MAX_SECONDS', async (context) => {
    const { engine, counts } = await run(
      context,
      (_, response) => setTimeout(() => response.end('{}'), 100),
      {
        maxSeconds: 1,
        maxRequests: 5000,
      },
    )
    context.expect(engine.ended).toBe('the 1 s of LOAD_MAX_SECONDS are over')
    context.expect(counts.sent).toBeLessThanOrEqual(110)
  })

  test('sends nothing after the probe was stopped', async (context) => {
    const stop = new AbortController()
    const { site, engine } = await run(
      context,
      (_, response, index) => {
        if (index === 50) stop.abort()
        setTimeout(() => response.end('{}'), 10)
      },
      { maxRequests: 5000, stop },
    )
    // Those on the wire at that moment.
    context.expect(site.arrivals.length).toBeLessThanOrEqual(50 + 10)
    context.expect(engine.ended).toBe('the probe was stopped')
  })

  test('sends nothing where the probe was stopped before it began, and ends', async (context) => {
    const stop = new AbortController()
    stop.abort()
    const { site, engine } = await run(context, (_, response) => response.end('{}'), { stop })
    context.expect(site.arrivals).toHaveLength(0)
    context.expect(engine.ended).toBe('the probe was stopped')
  })
})
