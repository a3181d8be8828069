import { describe, expect, test } from 'vitest'
import { Budget, longestThrottlingMs, throttleLimit } from '../../src/http/budget.ts'
import type { HttpRequest } from '../../src/http/request.ts'
import { type Answer, answer, client, site } from './site.ts'

/** A request of which some fail. */
const failureOf = (promise: Promise<unknown>) => promise.then(() => undefined).catch((error) => error)

/** A site of which one path refuses for ever. */
const refusing =
  (refuse: Answer): Answer =>
  (response, seen, number) =>
    seen.url === '/broken' ? refuse(response, seen, number) : response.end('{}')

describe('an endpoint that refuses for ever', () => {
  test.each([
    ['429', answer(429, { 'Retry-After': '1' }), 'throttled', /throttled requests 8 times in a row/],
    ['503', answer(503, { 'Retry-After': '1' }), 'unavailable', /returned 503 8 times in a row/],
  ] as const)(
    'with %s receives eight requests, and does not slow the others',
    async (_, refuse, kind, message) => {
      const { url, host, log } = await site(refusing(refuse))
      const { http, budget } = client([host], { requestsPerSecond: 50 })
      const broken: HttpRequest = { method: 'GET', url: url('/broken'), repeat: 'reads' }
      for (let each = 0; each < 4; each += 1) {
        expect(await failureOf(http.send(broken))).toMatchObject({ kind })
      }
      expect(await failureOf(http.send(broken))).toMatchObject({
        kind,
        message: expect.stringMatching(message),
      })
      expect(log.filter(({ url }) => url === '/broken')).toHaveLength(8)
      expect(budget.used.pace).toBeUndefined()
      expect((await http.send({ method: 'GET', url: url('/sound'), repeat: 'reads' })).status).toBe(200)
    },
    60_000,
  )

  test('is forgotten with a response that can be judged, and known to the budget that takes over', async () => {
    const { budget } = client([])
    for (let each = 0; each < 7; each += 1) budget.circuit.count('GET /a', 'throttled')
    budget.circuit.count('GET /a', undefined)
    for (let each = 0; each < 8; each += 1) budget.circuit.count('GET /b', 'throttled')
    const options = { hosts: [], requestsPerSecond: 1, requestBudget: 1, loginBudget: 1 }
    const { circuit } = new Budget(options, budget.state)
    expect(['GET /a', 'GET /b'].map((endpoint) => circuit.isOpen(endpoint))).toEqual([false, true])
  })

  test('does not count towards the limit of the whole run, but every other throttled request does', () => {
    const { budget } = client([])
    for (let each = 0; each < 8; each += 1) budget.throttle(0, { endpoint: 'GET /a' })
    for (let each = 0; each < throttleLimit - 1; each += 1) budget.throttle(0, { endpoint: `GET /${each}` })
    expect(() => budget.count()).not.toThrow()
    budget.throttle(0)
    expect(() => budget.count()).toThrow(expect.objectContaining({ kind: 'throttled' }))
  })

  test('leaves the pace as it was, also if a worker has taken over meanwhile', () => {
    const options = { hosts: [], requestsPerSecond: 5, requestBudget: 100, loginBudget: 1 }
    const before = new Budget(options)
    before.throttle(0, { endpoint: 'GET /slow' })
    const { pace } = before.used
    for (let each = 0; each < 4; each += 1) before.throttle(0, { endpoint: 'GET /a' })
    const after = new Budget(options, before.state)
    for (let each = 0; each < 4; each += 1) after.throttle(0, { endpoint: 'GET /a' })
    expect(after.used.pace).toBe(pace)
  })

  test('may be sent requests by a caller that retries by itself', async () => {
    const { url, host, log } = await site(answer(429, { 'Retry-After': '1' }))
    const { http } = client([host], { throttleLimit: Number.POSITIVE_INFINITY })
    const request: HttpRequest = { method: 'GET', url: url(), repeat: 'never' }
    for (let each = 0; each < 2; each += 1) await failureOf(http.send(request))
    expect(log).toHaveLength(2)
  })
})

describe('a 5xx other than 503', () => {
  test.each([500, 502, 504])('is a failure of the service, whatever its error: %i', async (status) => {
    const { url, host, log } = await site(answer(status, {}, '{"error":"temporarily_unavailable"}'))
    const { http, budget } = client([host])
    const failure = await failureOf(http.send({ method: 'GET', url: url(), repeat: 'reads' }))
    expect(failure).toMatchObject({ kind: 'unavailable' })
    expect([log.length, budget.throttled, budget.used.pace]).toEqual([2, 0, undefined])
  })
})

test('a run that waited too long for a target that throttles sends nothing more', () => {
  const options = { hosts: [], requestsPerSecond: 1, requestBudget: 100, loginBudget: 1 }
  const { state } = new Budget(options)
  const late = { ...state, throttledMs: longestThrottlingMs + 1 }
  expect(() => new Budget(options, late).count()).toThrow(
    expect.objectContaining({ kind: 'throttled', message: expect.stringContaining('15 min') }),
  )
  const unending = { ...options, throttleLimit: Number.POSITIVE_INFINITY }
  expect(() => new Budget(unending, late).count()).not.toThrow()
})
