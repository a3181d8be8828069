import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../src/http/request.ts'
import { type Answer, answer, client, failureOf, inTurn, reset, site, siteWithClient } from './site.ts'

describe.concurrent('a request is retried', () => {
  const cases: readonly (readonly [HttpRequest['retry'], string, Answer, boolean])[] = [
    ['after-429-or-503', '429', answer(429, { 'Retry-After': '1' }), true],
    ['after-429-or-503', '503', answer(503, { 'Retry-After': '1' }), true],
    ['after-429-or-503', '500', answer(500), false],
    ['after-429-or-503', '502', answer(502), false],
    ['after-429-or-503', '408', answer(408), false],
    ['after-429-or-503', 'a reset', reset, false],
    ['safe', '429', answer(429, { 'Retry-After': '1' }), true],
    ['safe', '503', answer(503), true],
    ['safe', '500', answer(500), true],
    ['safe', '408', answer(408), true],
    ['safe', 'a reset', reset, true],
  ]
  test.each(cases)('%s after %s: %s', async (retry, _, first, isRetried) => {
    const { url, log, http, budget } = await siteWithClient(inTurn(first, answer(200)))
    const outcome = await http.send({ method: 'POST', url: url(), form: [], retry }).catch((error) => error)
    expect(log).toHaveLength(isRetried ? 2 : 1)
    expect(budget.requests).toBe(log.length)
    expect(outcome).toMatchObject(isRetried ? { status: 200 } : { name: 'HttpFailure' })
  })

  test.each([
    ['status 503', answer(503, { 'Retry-After': '1' }), /^status 503$/],
    ['a reset connection', reset, /ECONNRESET|closed|hang up/],
  ] as const)(
    'and its response states that an earlier attempt failed: %s',
    async (_, first, earlierFailure) => {
      const { get } = await siteWithClient(inTurn(first, answer(200)))
      const response = await get()
      expect(response.earlierFailure).toMatch(earlierFailure)
    },
  )

  test('and its response states no earlier failure after a throttled attempt, or none', async ({
    expect,
  }) => {
    const throttled = answer(429, { 'Retry-After': '1' })
    const { get } = await siteWithClient(inTurn(throttled, answer(400), answer(400)))
    for (let sent = 0; sent < 2; sent += 1) {
      const { earlierFailure, status } = await get()
      expect({ earlierFailure, status }).toEqual({ earlierFailure: undefined, status: 400 })
    }
  })

  test.each([
    ['500', answer(500), 'unavailable'],
    ['a reset', reset, 'unreachable'],
  ] as const)('only once after %s', async (_, always, kind) => {
    const { log, get } = await siteWithClient(always)
    expect((await failureOf(get())).kind).toBe(kind)
    expect(log).toHaveLength(2)
  })

  test.each([302, 400, 401, 403, 404])('but not after a redirect or refusal: %i', async (status) => {
    const { url, log, http } = await siteWithClient(answer(status))
    for (const retry of ['after-429-or-503', 'safe'] as const)
      expect(await http.send({ method: 'POST', url: url(), form: [], retry })).toMatchObject({ status })
    expect(log).toHaveLength(2)
  })

  test('at most four times', async ({ expect }) => {
    const { log, get } = await siteWithClient(answer(503, { 'Retry-After': '1' }))
    expect((await failureOf(get())).kind).toBe('unavailable')
    expect(log).toHaveLength(5)
  })

  test.each([429, 500, 503])(
    'but not for a caller that retries by itself: a %i reports how long to wait',
    async (status) => {
      const server = await site(answer(status, { 'Retry-After': '7' }))
      const { http } = client([server.host])
      const failure = await http
        .send({ method: 'GET', url: server.url(), retry: 'never' })
        .catch((error) => error)
      expect(failure).toMatchObject({
        kind: status === 429 ? 'throttled' : 'unavailable',
        retryAfterMs: 7000,
      })
      expect(server.log).toHaveLength(1)
    },
  )

  test('but not for a caller that retries by itself, if the connection breaks', async ({ expect }) => {
    const server = await site((response) => response.destroy())
    const { http } = client([server.host])
    const failure = await http
      .send({ method: 'GET', url: server.url(), retry: 'never' })
      .catch((error) => error)
    expect(failure).toMatchObject({ kind: 'unreachable', retryAfterMs: undefined })
    expect(server.log).toHaveLength(1)
  })
})
