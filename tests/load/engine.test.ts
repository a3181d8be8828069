import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Engine, type EngineOptions } from '../../load/engine/engine.ts'
import type { LoadGuard } from '../../load/engine/guard.ts'
import { paced } from '../../load/engine/pacer.ts'
import { latencyMs } from '../../load/engine/shot.ts'
import { get, guardWith, peakOf, repeated, type Site, slowConnections, startSite } from './site.ts'

const forever = new AbortController().signal
const open: { site?: Site; engine?: Engine } = {}
afterEach(async () => {
  vi.restoreAllMocks()
  await open.engine?.close()
  await open.site?.close()
})

function engineFor(caps: Partial<LoadGuard['caps']> = {}, options: Partial<EngineOptions> = {}) {
  const { guard, now } = guardWith(caps)
  open.engine = new Engine({ guard, now, signal: forever, timeoutMs: 2000, ...options })
  return open.engine
}

async function siteThat(answer?: Site['answer']): Promise<Site> {
  open.site = await startSite(answer)
  return open.site
}

describe('the guard', () => {
  test.each([
    ['answers', (_: unknown, response: { end(): void }) => response.end()],
    ['resets', (request: { destroy(): void }) => request.destroy()],
  ] as const)(
    'lets as many requests pass as LOAD_MAX_REQUESTS says, where the target %s',
    async (_, answer) => {
      const site = await siteThat(answer as Site['answer'])
      const engine = engineFor({ maxRequests: 37 })
      await paced(engine, { ratePerSecond: 200, count: 60 }, repeated(site), () => true, forever)
      expect(site.arrivals.length).toBeLessThanOrEqual(37)
      expect(site.connections).toBeLessThanOrEqual(37)
      expect(engine.guard.endReason).toBeDefined()
    },
  )

  test('every request that was lost with its connection costs the next one a reconnect', async () => {
    const site = await siteThat((_, response, index) =>
      index % 2 === 0 ? response.writeHead(200, { connection: 'close' }).end() : response.end(),
    )
    const engine = engineFor({ maxRequests: 20 })
    const one = { intendedAt: 0, patient: true }
    while (await engine.send(get(site), one)) {
      // Until the guard refuses.
    }
    expect(site.arrivals.length + site.connections - 1).toBe(engine.guard.spent)
    expect(engine.guard.spent).toBeGreaterThan(18)
  })

  test('requests are sent only after Retry-After has elapsed', async () => {
    const site = await siteThat((_, response, index) => {
      if (index === 2) response.writeHead(429, { 'retry-after': '1' })
      response.end()
    })
    const engine = engineFor()
    for (let index = 0; index < 4; index += 1) await engine.send(get(site), { intendedAt: 0, patient: true })
    const [, , throttled = 0, after = 0] = site.arrivals
    expect(after - throttled).toBeGreaterThanOrEqual(1000)
  })

  test.each([true, false])(
    'a connection opened during the Retry-After of another sends nothing (patient: %s)',
    async (patient) => {
      const site = await siteThat((_, response, index) => {
        if (index === 1) response.writeHead(429, { 'retry-after': '1' })
        response.end()
      })
      slowConnections(300)
      const engine = engineFor()
      const request = { ...get(site), url: new URL(`http://localhost:${site.url.port}/`) }
      const send = () => engine.send(request, { intendedAt: 0, patient })
      await send()
      const [throttled, late] = await Promise.all([send(), send()])
      expect(throttled?.shot.status).toBe(429)
      expect(late?.shot.status).toBe(patient ? 200 : undefined)
      const [, told = 0, ...after] = site.arrivals
      expect(after.length).toBe(patient ? 1 : 0)
      for (const at of after) expect(at - told).toBeGreaterThanOrEqual(1000)
      expect(engine.guard.spent).toBeGreaterThanOrEqual(Math.max(site.arrivals.length, site.connections))
    },
  )

  test.each(['86400', 'Fri, 01 Jan 2100 00:00:00 GMT'])(
    'a Retry-After of %s ends all probes',
    async (value) => {
      const site = await siteThat((_, response) => response.writeHead(429, { 'retry-after': value }).end())
      const engine = engineFor()
      await engine.send(get(site), { intendedAt: 0, patient: true })
      expect(await engine.send(get(site), { intendedAt: 0, patient: true })).toBeUndefined()
      expect(engine.guard.endReason).toContain('Retry-After is ')
      expect(site.arrivals).toHaveLength(1)
    },
  )

  test.each(['', '0', '-5', '1.5', 'soon', '1, 2', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    'a Retry-After of "%s" is followed by a wait all the same',
    async (value) => {
      const site = await siteThat((_, response, index) => {
        if (index === 0) response.writeHead(429, { 'retry-after': value })
        response.end()
      })
      const engine = engineFor()
      await engine.send(get(site), { intendedAt: 0, patient: true })
      await engine.send(get(site), { intendedAt: 0, patient: true })
      const [first = 0, second = 0] = site.arrivals
      expect(second - first).toBeGreaterThan(400)
    },
  )

  test('nothing leaves after the probe was stopped', async () => {
    const stop = new AbortController()
    const site = await siteThat((_, response) => setTimeout(() => response.end(), 20))
    const engine = engineFor({}, { signal: stop.signal })
    const running = paced(engine, { ratePerSecond: 100, count: 90 }, repeated(site), () => true, stop.signal)
    setTimeout(() => stop.abort(), 200)
    const { unsent } = await running
    // What was on the wire at that moment still arrives.
    await new Promise((resolve) => setTimeout(resolve, 50))
    const seen = site.arrivals.length
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(site.arrivals).toHaveLength(seen)
    expect(unsent).toBeGreaterThan(0)
    expect(engine.guard.endReason).toBe('the probe was interrupted')
  })

  test.each([
    [
      'server errors',
      (_: unknown, response: { writeHead(status: number): { end(): void } }) => response.writeHead(500).end(),
    ],
    ['no answers', (request: { destroy(): void }) => request.destroy()],
  ] as const)('%s end all probes', async (_, answer) => {
    const site = await siteThat(answer as unknown as Site['answer'])
    const engine = engineFor()
    await paced(engine, { ratePerSecond: 50, count: 60 }, repeated(site), () => true, forever)
    expect(engine.guard.endReason).toMatch(/server errors|no response/)
    expect(site.arrivals.length).toBeLessThan(30)
  })

  test('more than ten slow responses of 20 end all probes, and ten do not', async () => {
    const engine = engineFor()
    const site = await siteThat()
    const send = (latencyMs: number) =>
      engine.send(get(site), { intendedAt: engine.now() - latencyMs, patient: true })
    for (let each = 0; each < 10; each += 1) await send(0)
    for (let each = 0; each < 10; each += 1) await send(6000)
    expect(engine.guard.endReason).toBeUndefined()
    await send(6000)
    expect(engine.guard.endReason).toBe('11 of the last 20 requests took longer than 5 s')
  })
})

describe('pacing', () => {
  test.each([5, 50])(
    'at %i requests a second, no second has more than one request too many',
    async (rate) => {
      const site = await siteThat()
      const engine = engineFor()
      const { shots } = await paced(
        engine,
        { ratePerSecond: rate, count: rate * 2 },
        repeated(site),
        () => true,
        forever,
      )
      expect(shots).toHaveLength(rate * 2)
      // By our clock: how soon the server reads what has come is its own affair.
      expect(peakOf(shots.map(({ sentAt }) => sentAt).sort((a, b) => a - b))).toBeLessThanOrEqual(rate)
    },
  )

  // In real time: a busy machine can pause between the decision of the guard and the reading of the clock.
  test('at 1,000 requests/s, the requests of a few milliseconds leave together, and none before its time', {
    retry: 2,
  }, async () => {
    const site = await siteThat()
    const engine = engineFor({ maxRate: 1000, maxRequests: 2000 })
    const admit = vi.spyOn(engine.guard, 'admit')
    const { shots } = await paced(
      engine,
      { ratePerSecond: 1000, count: 1500 },
      repeated(site),
      () => true,
      forever,
    )
    expect(shots).toHaveLength(1500)
    expect(shots.every(({ sentAt, intendedAt }) => sentAt >= intendedAt)).toBe(true)
    // The guard lets 1,001 through; a machine that pauses before the clock is read can move a few of them.
    expect(peakOf(shots.map(({ sentAt }) => sentAt).sort((a, b) => a - b))).toBeLessThanOrEqual(1000)
    // A rejected request is retried only after a wait.
    expect(admit.mock.calls.length).toBeLessThan(2 * 1500)
  })

  test('requests that waited for a stalled target leave when they can, and none waits after that', async () => {
    // The target stalls from its request 50 on, until the request 90 of the schedule is due: no clock decides.
    const [stallsAt, resumesAt, count] = [50, 90, 450]
    const waiting: ServerResponse[] = []
    let hasResumed = false
    const site = await siteThat((_, response, index) => {
      if (index < stallsAt || hasResumed) response.end('{}')
      else waiting.push(response)
    })
    const engine = engineFor({ maxRate: 1000, maxRequests: 500 })
    let scheduled = 0
    let resumedAt = 0
    const source = {
      next: () => {
        if (scheduled === resumesAt) {
          hasResumed = true
          resumedAt = engine.now()
          for (const response of waiting) response.end('{}')
        }
        scheduled += 1
        return get(site)
      },
    }
    const { shots } = await paced(engine, { ratePerSecond: 100, count }, source, () => true, forever)
    expect(shots).toHaveLength(count)
    // Only requests before the stall ended before it was over; the others waited, counted from when they were due.
    expect(shots.filter(({ endedAt }) => endedAt < resumedAt).length).toBeLessThanOrEqual(stallsAt)
    expect(shots.filter(({ intendedAt }) => intendedAt <= resumedAt).length).toBeGreaterThan(resumesAt)
    const later = shots.toSorted((a, b) => a.intendedAt - b.intendedAt).slice(count / 2)
    expect(later.filter(({ sentAt, intendedAt }) => sentAt - intendedAt > 100)).toEqual([])
  })

  test('a delay of this machine is not latency of the target, and is reported', async () => {
    const site = await siteThat()
    const engine = engineFor()
    const request = get(site)
    let asked = 0
    const source = {
      next: () => {
        asked += 1
        const until = performance.now() + (asked === 20 ? 400 : 0)
        while (performance.now() < until);
        return request
      },
    }
    const pace = { ratePerSecond: 100, count: 60 }
    const { shots, delayMs, isRateMet } = await paced(engine, pace, source, () => true, forever)
    expect(delayMs).toBeGreaterThan(300)
    expect(isRateMet).toBe(false)
    // What was on its way at that moment is read late.
    expect(shots.filter((shot) => latencyMs(shot) > 100).length).toBeLessThanOrEqual(10)
    expect(peakOf(shots.map(({ sentAt }) => sentAt).sort((a, b) => a - b))).toBeLessThanOrEqual(100)
  })

  test('a response that arrived while this machine paused is not a time-out', async () => {
    const site = await siteThat((_, response) => {
      response.end('{}')
      const until = performance.now() + 1000
      while (performance.now() < until);
    })
    const engine = engineFor({}, { timeoutMs: 400 })
    const sent = await engine.send(get(site), { intendedAt: 0, patient: false })
    expect(sent?.shot.status).toBe(200)
  })

  test('scheduled requests during Retry-After are omitted', async () => {
    const site = await siteThat((_, response, index) => {
      if (index === 4) response.writeHead(429, { 'retry-after': '1' })
      response.end()
    })
    const engine = engineFor()
    const { unsent } = await paced(
      engine,
      { ratePerSecond: 20, count: 40 },
      repeated(site),
      () => true,
      forever,
    )
    expect(unsent).toBeGreaterThanOrEqual(15)
    const gaps = site.arrivals.slice(1).map((at, index) => at - (site.arrivals[index] as number))
    expect(Math.max(...gaps)).toBeGreaterThanOrEqual(1000)
  })
})
