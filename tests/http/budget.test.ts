import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Budget, type BudgetOptions, longestThrottlingMs, throttleLimit } from '../../src/http/budget.ts'
import { HttpResponse } from '../../src/http/response.ts'

const url = new URL('https://idp.example/token')

function budgetWith(options: Partial<BudgetOptions> = {}, state: Partial<Budget['state']> = {}): Budget {
  const all = {
    hosts: ['idp.example', 'api.example:8443', '127.0.0.1:80'],
    requestsPerSecond: Number.POSITIVE_INFINITY,
    requestBudget: 100,
    loginBudget: 2,
    ...options,
  }
  return new Budget(all, { ...new Budget(all).state, ...state })
}

/** Milliseconds that something takes. */
async function timed(action: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await action()
  return performance.now() - started
}

/** Whether a promise is still pending after some milliseconds. */
async function waits(promise: Promise<unknown>, ms = 30): Promise<boolean> {
  promise.catch(() => undefined)
  return Promise.race([promise.then(() => false), sleep(ms).then(() => true)])
}

/** Now, in milliseconds since the epoch, on the clock of a budget. */
const now = () => performance.timeOrigin + performance.now()

describe('the hosts of a budget', () => {
  test.each([
    ['https://idp.example/token', true],
    ['https://idp.example:443/token', true],
    ['https://idp.example:8443/token', false],
    ['https://api.example:8443/', true],
    ['https://api.example/', false],
    ['https://login.idp.example/', false],
    ['http://idp.example:443/', false],
    ['http://idp.example/', false],
    ['ftp://idp.example/', false],
    ['https://more.example/', true],
    ['http://more.example/', false],
  ])('%s: %s', (address, allowed) => {
    expect(budgetWith().allowsHost(new URL(address), ['more.example'])).toBe(allowed)
  })

  test('plain HTTP is allowed on this machine only', () => {
    const budget = budgetWith({ hosts: ['127.0.0.1:8080', 'idp.example:8080'] })
    expect(budget.allowsHost(new URL('http://127.0.0.1:8080/'))).toBe(true)
    expect(budget.allowsHost(new URL('https://127.0.0.1:8080/'))).toBe(true)
    expect(budget.allowsHost(new URL('ftp://127.0.0.1:8080/'))).toBe(false)
    expect(budget.allowsHost(new URL('http://idp.example:8080/'))).toBe(false)
  })

  test('a request to another host is refused and not counted', async () => {
    const budget = budgetWith()
    await expect(budget.admit(new URL('https://other.example/a'))).rejects.toMatchObject({
      kind: 'host-refused',
      message: 'other.example is not a configured host, so nothing was sent to it',
    })
    expect(budget.requests).toBe(0)
    await budget.admit(new URL('https://other.example/a'), ['other.example'])
    expect(budget.requests).toBe(1)
  })
})

describe('the requests of a budget', () => {
  test('are counted until it is spent, those of a browser included', async () => {
    const budget = budgetWith({ requestBudget: 3 })
    await budget.admit(url)
    budget.count()
    expect([budget.requests, budget.remaining]).toEqual([2, 1])
    await budget.admit(url)
    const spent = {
      kind: 'budget-spent',
      message: 'the budget of 3 requests is spent',
      variables: ['REQUEST_BUDGET'],
      advice: 'raise REQUEST_BUDGET',
    }
    await expect(budget.admit(url)).rejects.toMatchObject(spent)
    expect(() => budget.count()).toThrow(expect.objectContaining(spent))
    expect(budget.used).toEqual({ requests: 3, logins: 0, throttled: 0 })
  })

  test('that leave together need a budget for all of them; a refusal does not affect the next request', async () => {
    const budget = budgetWith({ requestBudget: 3 })
    const refused = budget.admit(url, [], 4)
    const next = budget.admit(url, [], 3)
    await expect(refused).rejects.toMatchObject({ kind: 'budget-spent' })
    await next
    expect(budget.requests).toBe(3)
  })

  test('can be reserved for undoing something', () => {
    const budget = budgetWith({ requestBudget: 2 })
    budget.reserve()
    budget.count()
    expect(budget.remaining).toBe(0)
    expect(() => budget.count()).toThrow(expect.objectContaining({ kind: 'budget-spent' }))
    budget.release()
    budget.count()
    budget.release()
    expect(budget.remaining).toBe(0)
  })

  test('end with the logins that are allowed', () => {
    const budget = budgetWith({ loginBudget: 1 })
    budget.login()
    expect(() => budget.login()).toThrow(
      expect.objectContaining({
        kind: 'budget-spent',
        message: 'the budget of 1 logins is spent',
        variables: ['LOGIN_BUDGET'],
        advice: 'raise LOGIN_BUDGET',
      }),
    )
    expect(budget.used.logins).toBe(1)
  })
})

describe('the pace of a budget', () => {
  test('keeps requests apart, and waits for all that left together', async () => {
    const budget = budgetWith({ requestsPerSecond: 20 })
    expect(await waits(budget.admit(url, [], 3))).toBe(false)
    expect(await timed(() => budget.admit(url))).toBeGreaterThan(140)
  })

  test('keeps requests apart that wait at the same time', async () => {
    const budget = budgetWith({ requestsPerSecond: 20 })
    const all = () => Promise.all([1, 2, 3].map(() => budget.admit(url)))
    expect(await timed(all)).toBeGreaterThanOrEqual(95)
  })

  test('does not delay the first request, nor those that a browser sends by itself', async () => {
    const budget = budgetWith({ requestsPerSecond: 0.01 })
    budget.count()
    expect(await waits(budget.admit(url))).toBe(false)
  })

  test('rises again after requests without a 429', async () => {
    const budget = budgetWith({}, { pace: { intervalMs: 110, refusedMs: 60 } })
    for (let sent = 0; sent < 4; sent += 1) await budget.admit(url)
    expect(budget.used.pace).toBe(9.09)
    await budget.admit(url)
    expect(budget.used.pace).toBe(9.92)
    budget.recover()
    expect(budget.used).not.toHaveProperty('pace')
  })

  test('is rounded to hundredths', () => {
    expect(budgetWith({}, { pace: { intervalMs: 300, refusedMs: 150 } }).used.pace).toBe(3.33)
  })
})

describe('a pause', () => {
  test('delays requests until its end, which is reported', async () => {
    const onPause = vi.fn()
    const budget = budgetWith({ onPause })
    const earliest = now() + 100
    budget.pauseFor(100)
    const latest = now() + 100
    budget.pauseFor(1)
    const until = budget.state.pausedUntil
    expect(until).toBeGreaterThanOrEqual(earliest)
    expect(until).toBeLessThanOrEqual(latest)
    expect(budget.pauseMs).toBeLessThanOrEqual(100)
    await budget.admit(url)
    expect(now()).toBeGreaterThanOrEqual(until)
    expect(onPause).toHaveBeenCalledWith(until)
    expect(budget.pauseMs).toBe(0)
    expect(budget.state.throttledMs).toBe(0)
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
    budget.pauseFor(ms)
    const request = budget.admit(url)
    expect(await waits(request.catch(() => undefined))).toBe(isAwaited)
    if (isAwaited) return
    await expect(request).rejects.toMatchObject({
      kind: 'throttled',
      message: 'the target asked for a longer wait than a run can take',
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
    expect(() => budget.count()).toThrow(expect.objectContaining({ name: 'AbortError' }))
    expect(budget.requests).toBe(0)
  })
})

describe('a throttled request', () => {
  test('is counted with its response, halves the pace, and is followed by a pause', () => {
    const budget = budgetWith({ requestsPerSecond: 5 })
    const response = new HttpResponse(429, {}, '{}')
    budget.throttle(1000, { endpoint: 'GET /a', response })
    expect(budget.throttledAnswers).toEqual([response])
    expect(budget.used).toEqual({ requests: 0, logins: 0, throttled: 1, pace: 2.5 })
    expect(budget.pauseMs).toBeGreaterThan(500)
    expect(budget.circuit.refusals('GET /a')).toBe(1)
  })

  test('slows the pace no further while the target asks to wait', () => {
    const budget = budgetWith({ requestsPerSecond: 5 })
    for (let each = 0; each < 3; each += 1) budget.throttle(1000)
    expect(budget.used).toMatchObject({ throttled: 3, pace: 2.5 })
    expect(budget.throttledAnswers).toEqual([])
    const later = budgetWith({ requestsPerSecond: 5 }, { ...budget.state, throttledUntil: now() - 1 })
    later.throttle(0)
    later.throttle(0)
    expect(later.used.pace).toBe(0.63)
  })

  test('of an endpoint that refuses for ever leaves the pace as it was, also if a worker has taken over', () => {
    const budget = budgetWith({ requestsPerSecond: 5 })
    budget.throttle(0, { endpoint: 'GET /other' })
    const { pace } = budget.used
    for (let each = 0; each < 4; each += 1) budget.throttle(0, { endpoint: 'GET /a' })
    expect(budget.used.pace).toBeLessThan(pace ?? 0)
    const next = budgetWith({ requestsPerSecond: 5 }, budget.state)
    for (let each = 0; each < 4; each += 1) next.throttle(0, { endpoint: 'GET /a' })
    expect(next.used.pace).toBe(pace)
  })

  test('of an endpoint that refuses for ever does not count towards the limit of the run, but others do', () => {
    const budget = budgetWith()
    for (let each = 0; each < 8; each += 1) budget.throttle(0, { endpoint: 'GET /a' })
    for (let each = 0; each < throttleLimit - 1; each += 1) budget.throttle(0)
    expect(() => budget.count()).not.toThrow()
    budget.throttle(0)
    expect(() => budget.count()).toThrow(expect.objectContaining({ kind: 'throttled' }))
  })

  test('of many ends the run, with the advice to send more slowly', async () => {
    const budget = budgetWith({ throttleLimit: 2 })
    budget.throttle(0)
    expect(() => budget.count()).not.toThrow()
    budget.throttle(0)
    const stopped = {
      kind: 'throttled',
      message: 'the target throttled 2 requests, so the run stopped sending',
      variables: ['REQUESTS_PER_SECOND'],
      advice: 'lower REQUESTS_PER_SECOND',
    }
    expect(() => budget.count()).toThrow(expect.objectContaining(stopped))
    await expect(budget.admit(url)).rejects.toMatchObject(stopped)
  })

  test('ends the run after the limit of every run, unless there is another', () => {
    const counting = (throttled: number) => () => budgetWith({}, { throttled }).count()
    expect(counting(throttleLimit - 1)).not.toThrow()
    expect(counting(throttleLimit)).toThrow()
  })

  test.each([
    [longestThrottlingMs, throttleLimit, false],
    [longestThrottlingMs + 1, throttleLimit, true],
    [longestThrottlingMs + 1, Number.POSITIVE_INFINITY, false],
  ])('after %d ms of waits, with a limit of %d: the run stops: %s', (throttledMs, limit, stops) => {
    const count = () => budgetWith({ throttleLimit: limit }, { throttledMs }).count()
    if (!stops) expect(count).not.toThrow()
    else
      expect(count).toThrow(
        expect.objectContaining({
          kind: 'throttled',
          message: 'the run waited 15 min for a target that throttles, so it stopped sending',
        }),
      )
  })

  test('makes the waits of later requests count as throttling', async () => {
    const budget = budgetWith({ requestsPerSecond: 50 })
    await budget.admit(url)
    await budget.admit(url)
    expect(budget.state.throttledMs).toBe(0)
    budget.throttle(500)
    await budget.admit(url)
    expect(budget.state.throttledMs).toBeGreaterThan(250)
  })
})

test('a 503 is followed by a pause and counts for its endpoint, but not as throttling', () => {
  const budget = budgetWith({ requestsPerSecond: 5 })
  budget.unavailable(1000, 'GET /a')
  budget.unavailable(1)
  expect(budget.pauseMs).toBeGreaterThan(500)
  expect(budget.circuit.state).toEqual([['GET /a', { refusal: 'unavailable', times: 1 }]])
  expect(budget.used).toEqual({ requests: 0, logins: 0, throttled: 0 })
})

test('a budget continues where another process left it', async () => {
  const budget = budgetWith({ requestsPerSecond: 5 })
  await budget.admit(url)
  budget.login()
  budget.reserve()
  budget.throttle(2000, { endpoint: 'GET /a', response: new HttpResponse(429, { a: 'b' }, '{"c":1}') })
  const { state } = budget
  const next = budgetWith({ requestsPerSecond: 5 }, JSON.parse(JSON.stringify({ ...state, throttledMs: 7 })))
  expect(next.state).toEqual({ ...state, throttledMs: 7 })
  expect(next.throttledAnswers[0]).toBeInstanceOf(HttpResponse)
  expect(next.remaining).toBe(budget.remaining)
  expect(next.pauseMs).toBeGreaterThan(500)
})
