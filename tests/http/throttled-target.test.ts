import { describe, expect, test } from 'vitest'
import { throttleLimit } from '../../src/http/budget.ts'
import { answer, failureOf, inTurn, siteWithClient } from './site.ts'

describe.concurrent('a throttled target', () => {
  test('receives no request before Retry-After (in seconds) has elapsed, and then not all at once', async ({
    expect,
  }) => {
    const { url, log, http, budget } = await siteWithClient(
      inTurn(answer(429, { 'Retry-After': '1' }), answer(200)),
      { requestsPerSecond: 25 },
    )
    const request = { method: 'GET', url: url(), retry: 'safe' } as const
    const first = http.send(request)
    while (budget.throttled === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await Promise.all([first, http.send(request), http.send(request)])
    const [refused, ...later] = log.map(({ at }) => at)
    expect(later).toHaveLength(3)
    expect(Math.min(...later) - (refused ?? 0)).toBeGreaterThanOrEqual(1000)
    expect(Math.max(...later) - Math.min(...later)).toBeGreaterThanOrEqual(60)
    expect(budget.throttledResponses).toHaveLength(1)
  })

  test('receives no request before Retry-After (an HTTP-date) has elapsed, whatever its clock shows', async ({
    expect,
  }) => {
    const date = 'Fri, 01 Jan 1999 00:00:00 GMT'
    const later = 'Fri, 01 Jan 1999 00:00:01 GMT'
    const { url, log, http } = await siteWithClient(
      inTurn(answer(429, { Date: date, 'Retry-After': later }), answer(200)),
    )
    await http.send({ method: 'POST', url: url(), form: [], retry: 'after-429-or-503' })
    expect((log[1]?.at ?? 0) - (log[0]?.at ?? 0)).toBeGreaterThanOrEqual(1000)
    expect((log[1]?.at ?? 0) - (log[0]?.at ?? 0)).toBeLessThan(3000)
  })

  test.each([429, 503])(
    'receives no request before Retry-After has elapsed, even if the body of the %d fails',
    async (status) => {
      const headers = { 'Retry-After': '3' }
      for (const broken of [
        answer(status, { ...headers, 'Content-Encoding': 'gzip' }, 'not gzip'),
        answer(status, { ...headers, 'Content-Length': '100' }, 'half'),
      ]) {
        const { log, get } = await siteWithClient(inTurn(broken, answer(200)), {}, { timeoutMs: 1000 })
        expect((await get()).status).toBe(200)
        expect((log[1]?.at ?? 0) - (log[0]?.at ?? 0)).toBeGreaterThanOrEqual(3000)
      }
    },
  )

  test.each(['0', 'Fri, 01 Jan 1999 00:00:00 GMT', 'soon', ''])(
    'receives no requests in a tight loop: Retry-After %j',
    async (value) => {
      const { log, get } = await siteWithClient(inTurn(answer(429, { 'Retry-After': value }), answer(200)))
      await get()
      expect((log[1]?.at ?? 0) - (log[0]?.at ?? 0)).toBeGreaterThanOrEqual(500)
    },
  )

  test.each(['3600', '99999999999999999999', 'Fri, 01 Jan 2999 00:00:00 GMT'])(
    'is not awaited for an absurdly long Retry-After: %s',
    async (value) => {
      const { url, log, http, budget } = await siteWithClient(answer(429, { 'Retry-After': value }))
      const started = Date.now()
      const request = { method: 'GET', url: url(), retry: 'safe' } as const
      expect((await failureOf(http.send(request))).kind).toBe('throttled')
      expect((await failureOf(http.send(request))).kind).toBe('throttled')
      expect(Date.now() - started).toBeLessThan(1000)
      expect(log).toHaveLength(1)
      expect(budget.requests).toBe(1)
    },
  )

  test('is not what later requests report after a 503 with a long Retry-After', async () => {
    const { log, get } = await siteWithClient(answer(503, { 'Retry-After': '3600' }))
    expect((await failureOf(get())).kind).toBe('unavailable')
    expect((await failureOf(get())).kind).toBe('unavailable')
    expect(log).toHaveLength(1)
  })

  test.each([503, 403])('is also recognised by the error of a %i', async (status) => {
    const throttled = answer(status, { 'Retry-After': '1' }, '{"error":"temporarily_unavailable"}')
    const { log, budget, get } = await siteWithClient(inTurn(throttled, answer(200)))
    const response = await get()
    expect(response.status).toBe(200)
    expect((log[1]?.at ?? 0) - (log[0]?.at ?? 0)).toBeGreaterThanOrEqual(1000)
    expect(budget.throttledResponses.map((one) => one.status)).toEqual([status])
  })

  test('that sends an absurdly long Retry-After fails the requests that are already waiting', async ({
    expect,
  }) => {
    const { log, budget, get } = await siteWithClient()
    budget.pauseFor(300)
    const waiting = failureOf(get())
    budget.recordThrottled(3_600_000)
    expect((await waiting).kind).toBe('throttled')
    expect(log).toEqual([])
  })

  test('receives no request after the last throttled response of the limit, not even a waiting one', async ({
    expect,
  }) => {
    const { log, budget, get } = await siteWithClient()
    budget.pauseFor(200)
    const waiting = failureOf(get())
    for (let count = 0; count < throttleLimit; count += 1) budget.recordThrottled(0)
    expect((await waiting).kind).toBe('throttled')
    expect((await failureOf(get())).kind).toBe('throttled')
    expect(() => budget.admitAtOnce()).toThrow(expect.objectContaining({ kind: 'throttled' }))
    expect(log).toEqual([])
    expect(budget.requests).toBe(0)
  })
})
