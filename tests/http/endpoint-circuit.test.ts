import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../src/http/request.ts'
import { type Answer, answer, client, failureOf, site } from './site.ts'

/** A site of which one path keeps failing. */
const refusing =
  (refuse: Answer): Answer =>
  (response, seen, number) =>
    seen.url === '/broken' ? refuse(response, seen, number) : response.end('{}')

describe('an endpoint that keeps failing', () => {
  test.each([
    ['429', answer(429, { 'Retry-After': '1' }), 'throttled', /throttled requests 8 times in a row/],
    ['503', answer(503, { 'Retry-After': '1' }), 'unavailable', /returned 503 8 times in a row/],
  ] as const)(
    'with %s receives eight requests, and does not slow the others',
    async (_, refuse, kind, message) => {
      const { url, host, log } = await site(refusing(refuse))
      const { http, budget } = client([host], { requestsPerSecond: 50 })
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
      expect((await http.send({ method: 'GET', url: url('/sound'), retry: 'safe' })).status).toBe(200)
    },
    60_000,
  )

  test('may be sent requests by a caller that retries by itself', async () => {
    const { url, host, log } = await site(answer(429, { 'Retry-After': '1' }))
    const { http } = client([host], { throttleLimit: Number.POSITIVE_INFINITY })
    const request: HttpRequest = { method: 'GET', url: url(), retry: 'never' }
    for (let each = 0; each < 2; each += 1) await failureOf(http.send(request))
    expect(log).toHaveLength(2)
  })
})

describe('a 5xx other than 503', () => {
  test.each([500, 502, 504])('is a failure of the service, whatever its error: %i', async (status) => {
    const { url, host, log } = await site(answer(status, {}, '{"error":"temporarily_unavailable"}'))
    const { http, budget } = client([host])
    const failure = await failureOf(http.send({ method: 'GET', url: url(), retry: 'safe' }))
    expect(failure).toMatchObject({ kind: 'unavailable' })
    expect([log.length, budget.throttled, budget.used.pace]).toEqual([2, 0, undefined])
  })
})
