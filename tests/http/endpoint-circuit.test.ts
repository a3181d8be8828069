import { describe, expect, test, vi } from 'vitest'
import type { HttpRequest } from '../../src/http/request.ts'
import { type Answer, answer, failureOf, siteWithClient } from './site.ts'

/** A site of which one path keeps failing. */
const refusing =
  (refuse: Answer): Answer =>
  (response, seen, number) =>
    seen.url === '/broken' ? refuse(response, seen, number) : response.end('{}')

describe('an endpoint that keeps failing', () => {
  test.each([
    ['429', answer(429, { 'Retry-After': '1' }), 'throttled', /throttled requests 8 times in a row/],
    ['503', answer(503, { 'Retry-After': '1' }), 'unavailable', /returned 502, 503 or 504 8 times in a row/],
  ] as const)(
    'with %s receives eight requests, and does not slow the others',
    async (_, refuse, kind, message) => {
      const { url, log, http, budget, get } = await siteWithClient(refusing(refuse), {
        requestsPerSecond: 50,
      })
      const broken: HttpRequest = { method: 'GET', url: url('/broken'), retry: 'safe' }
      for (let each = 0; each < 4; each += 1) {
        expect(await failureOf(http.send(broken))).toMatchObject({ kind })
      }
      expect(await failureOf(http.send(broken))).toMatchObject({
        kind,
        message: expect.stringMatching(message),
      })
      expect(log.filter(({ url }) => url === '/broken')).toHaveLength(8)
      expect(budget.used.pace).toBeUndefined()
      expect((await get('/sound')).status).toBe(200)
    },
    60_000,
  )

  test('may be sent requests by a caller that retries by itself', async () => {
    const { url, log, http } = await siteWithClient(answer(429, { 'Retry-After': '1' }), {
      throttleLimit: Number.POSITIVE_INFINITY,
    })
    const request: HttpRequest = { method: 'GET', url: url(), retry: 'never' }
    for (let each = 0; each < 2; each += 1) await failureOf(http.send(request))
    expect(log).toHaveLength(2)
  })
})

describe('a 5xx other than 503', () => {
  test.each([
    [502, 8],
    [504, 8],
    [500, 10],
  ])('counts for its endpoint if a gateway reports it: %i', async (status, requests) => {
    const { log, get, budget } = await siteWithClient(answer(status))
    vi.spyOn(budget, 'pauseFor').mockReturnValue(undefined)
    for (let each = 0; each < 5; each += 1) await failureOf(get())
    expect(log).toHaveLength(requests)
  })

  test.each([500, 502, 504])('is a failure of the service, whatever its error: %i', async (status) => {
    const { log, budget, get } = await siteWithClient(
      answer(status, {}, '{"error":"temporarily_unavailable"}'),
    )
    const failure = await failureOf(get())
    expect(failure).toMatchObject({ kind: 'unavailable' })
    expect([log.length, budget.throttled, budget.used.pace]).toEqual([2, 0, undefined])
  })
})
