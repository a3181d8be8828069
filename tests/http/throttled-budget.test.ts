import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { throttleLimit } from '../../src/http/budget.ts'
import { HttpResponse, type ResponseHeaders } from '../../src/http/response.ts'
import { budgetWith, now, waits } from './budgets.ts'

const url = new URL('https://idp.example/token')

describe('a pause', () => {
  test('delays requests until its end, which is reported', async () => {
    const onPause = vi.fn()
    const budget = budgetWith({ onPause })
    const earliest = now() + 100
    budget.pauseFor(100)
    const latest = now() + 100
    budget.pauseFor(1)
    expect(budget.pauseMs).toBeLessThanOrEqual(100)
    await budget.admit(url)
    const [until] = onPause.mock.calls.at(-1) ?? []
    expect(until).toBeGreaterThanOrEqual(earliest)
    expect(until).toBeLessThanOrEqual(latest)
    expect(now()).toBeGreaterThanOrEqual(until)
    expect(budget.pauseMs).toBe(0)
  })

  test('is not reported where the pace is the reason to wait', async () => {
    const onPause = vi.fn()
    const budget = budgetWith({ requestsPerSecond: 50, onPause })
    await budget.admit(url)
    await budget.admit(url)
    expect(onPause).not.toHaveBeenCalled()
  })

  test.each([
    [59_900, true],
    [90_000, false],
  ])('of %d ms: a request waits for it: %s', async (ms, isAwaited) => {
    const controller = new AbortController()
    const budget = budgetWith({ signal: controller.signal })
    onTestFinished(() => controller.abort())
    budget.pauseFor(ms, 'throttled')
    const request = budget.admit(url)
    expect(await waits(request.catch(() => undefined))).toBe(isAwaited)
    if (isAwaited) return
    await expect(request).rejects.toMatchObject({
      kind: 'throttled',
      message: 'the target requested a longer wait than a run allows',
    })
  })

  test('ends when the run is cancelled, and no request is sent afterwards', async () => {
    const controller = new AbortController()
    const budget = budgetWith({ signal: controller.signal })
    budget.pauseFor(5000)
    const request = budget.admit(url)
    expect(await waits(request)).toBe(true)
    controller.abort()
    expect(
      await waits(
        request.catch(() => undefined),
        2000,
      ),
    ).toBe(false)
    await expect(request).rejects.toMatchObject({ name: 'AbortError' })
    await expect(budgetWith({ signal: controller.signal }).admit(url)).rejects.toMatchObject({
      name: 'AbortError',
    })
    expect(() => budget.admitAtOnce()).toThrow(expect.objectContaining({ name: 'AbortError' }))
    expect(budget.requests).toBe(0)
  })
})

test('a cancelled run can still undo its changes if it ignores the signal from then on', async () => {
  const controller = new AbortController()
  const budget = budgetWith({ signal: controller.signal })
  controller.abort()
  budget.ignoreSignal()
  await budget.admit(url)
  budget.admitAtOnce()
  expect(budget.requests).toBe(2)
})

test.for<[string, number, ResponseHeaders, number]>([
  ['a 429', 429, { 'retry-after': '30' }, 30],
  ['a 503', 503, { 'retry-after': '30' }, 30],
  [
    'a target with another clock',
    429,
    { 'retry-after': 'Sat, 21 Nov 2020 01:02:33 GMT', date: 'Sat, 21 Nov 2020 01:02:03 GMT' },
    30,
  ],
  ['a response that does not refuse the request', 200, { 'retry-after': '30' }, 0],
  ['a 429 without a valid value', 429, { 'retry-after': 'soon' }, 0],
])('the Retry-After of %s counts before its body has arrived', ([, status, headers, seconds]) => {
  const budget = budgetWith()
  budget.heedHeaders(status, headers)
  expect(Math.ceil(budget.pauseMs / 1000)).toBe(seconds)
  expect(budget.used).toEqual({ requests: 0, logins: 0, throttled: 0 })
})

describe('a throttled request', () => {
  test('is counted with its response, halves the pace, and is followed by a pause', () => {
    const budget = budgetWith({ requestsPerSecond: 5 })
    const response = new HttpResponse(429, {}, '{}')
    budget.recordThrottled(1000, { endpoint: 'GET /a', response })
    expect(budget.throttledResponses).toEqual([response])
    expect(budget.used).toEqual({ requests: 0, logins: 0, throttled: 1, pace: 2.5 })
    expect(budget.pauseMs).toBeGreaterThan(500)
    expect(budget.circuit.failures('GET /a')).toBe(1)
  })

  test('slows the pace no further while the target asks to wait', async () => {
    const budget = budgetWith({ requestsPerSecond: 5 })
    for (let each = 0; each < 3; each += 1) budget.recordThrottled(200)
    expect(budget.used).toMatchObject({ throttled: 3, pace: 2.5 })
    expect(budget.throttledResponses).toEqual([])
    await budget.admit(url)
    budget.recordThrottled(0)
    budget.recordThrottled(0)
    expect(budget.used.pace).toBe(0.63)
  })

  test('of an endpoint that keeps failing leaves the pace as it was', () => {
    const budget = budgetWith({ requestsPerSecond: 5 })
    budget.recordThrottled(0, { endpoint: 'GET /other' })
    const { pace } = budget.used
    for (let each = 0; each < 4; each += 1) budget.recordThrottled(0, { endpoint: 'GET /a' })
    expect(budget.used.pace).toBeLessThan(pace ?? 0)
    for (let each = 0; each < 4; each += 1) budget.recordThrottled(0, { endpoint: 'GET /a' })
    expect(budget.used.pace).toBe(pace)
  })

  test('of an endpoint that keeps failing does not undo what another endpoint has slowed since', () => {
    const budget = budgetWith({ requestsPerSecond: 5 })
    for (let each = 0; each < 4; each += 1) budget.recordThrottled(0, { endpoint: 'GET /a' })
    budget.recordThrottled(0, { endpoint: 'GET /b' })
    const { pace = 0 } = budget.used
    for (let each = 0; each < 4; each += 1) budget.recordThrottled(0, { endpoint: 'GET /a' })
    expect(budget.used.pace).toBeLessThanOrEqual(pace)
  })

  test('of an endpoint that keeps failing does not count towards the limit of the run, but others do', () => {
    const budget = budgetWith()
    for (let each = 0; each < 8; each += 1) budget.recordThrottled(0, { endpoint: 'GET /a' })
    for (let each = 0; each < throttleLimit - 1; each += 1) budget.recordThrottled(0)
    expect(() => budget.admitAtOnce()).not.toThrow()
    budget.recordThrottled(0)
    expect(() => budget.admitAtOnce()).toThrow(expect.objectContaining({ kind: 'throttled' }))
  })

  test('of many ends the run, with the advice to send more slowly', async () => {
    const budget = budgetWith({ throttleLimit: 2 })
    budget.recordThrottled(0)
    expect(() => budget.admitAtOnce()).not.toThrow()
    budget.recordThrottled(0)
    const stopped = {
      kind: 'throttled',
      message: 'the target throttled 2 requests, so the run stopped sending requests',
      variables: ['REQUESTS_PER_SECOND'],
      advice: 'lower REQUESTS_PER_SECOND',
    }
    expect(() => budget.admitAtOnce()).toThrow(expect.objectContaining(stopped))
    await expect(budget.admit(url)).rejects.toMatchObject(stopped)
  })

  test('at the same moment counts once towards the limits of the run and of an endpoint', () => {
    const budget = budgetWith({ requestsPerSecond: 4 })
    for (let each = 0; each < 2 * throttleLimit; each += 1)
      budget.recordThrottled(1000, { endpoint: 'GET /a' })
    expect(() => budget.admitAtOnce()).not.toThrow()
    expect(budget.circuit.failures('GET /a')).toBe(1)
    expect(budget.used).toMatchObject({ throttled: 2 * throttleLimit, pace: 2 })
  })

  test('ends the run after the limit of every run, unless there is another', () => {
    const budget = budgetWith()
    for (let each = 1; each < throttleLimit; each += 1) budget.recordThrottled(0)
    expect(() => budget.admitAtOnce()).not.toThrow()
    budget.recordThrottled(0)
    expect(() => budget.admitAtOnce()).toThrow()
  })

  test('never ends a run without that limit, and the pace recovers', () => {
    const budget = budgetWith({ requestsPerSecond: 1000, throttleLimit: Number.POSITIVE_INFINITY })
    for (let each = 0; each < 50; each += 1) budget.recordThrottled(0)
    expect(() => budget.admitAtOnce()).not.toThrow()
    expect(budget.used.pace).toBe(0.25)
    budget.recover()
    expect(budget.used).not.toHaveProperty('pace')
  })
})

test('a 503 is followed by a pause and counts for its endpoint with its response, but not as throttling', () => {
  const budget = budgetWith({ requestsPerSecond: 5 })
  const response = new HttpResponse(503, {}, '{}')
  budget.recordUnavailable(1000, { endpoint: 'GET /a', response })
  budget.recordUnavailable(1)
  expect(budget.pauseMs).toBeGreaterThan(500)
  expect(budget.unavailableResponses).toEqual([response])
  expect(budget.circuit.failures('GET /a')).toBe(1)
  for (let each = 1; each < 8; each += 1) budget.recordUnavailable(0, { endpoint: 'GET /a' })
  expect(budget.circuit.isSuspended('GET /a')).toBe(true)
  expect(budget.circuit.throttledByWorstSuspended).toBe(0)
  expect(budget.used).toEqual({ requests: 0, logins: 0, throttled: 0 })
})
