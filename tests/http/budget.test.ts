import { describe, expect, test } from 'vitest'
import { HttpResponse } from '../../src/http/response.ts'
import { budgetWith, waits } from './budgets.ts'

const url = new URL('https://idp.example/token')

/** Milliseconds that something takes. */
async function timed(action: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await action()
  return performance.now() - started
}

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
    budget.admitAtOnce()
    expect([budget.requests, budget.remaining]).toEqual([2, 1])
    await budget.admit(url)
    const spent = {
      kind: 'budget-spent',
      message: 'the budget of 3 requests is spent',
      variables: ['REQUEST_BUDGET'],
      advice: 'raise REQUEST_BUDGET',
    }
    await expect(budget.admit(url)).rejects.toMatchObject(spent)
    expect(() => budget.admitAtOnce()).toThrow(expect.objectContaining(spent))
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
    budget.admitAtOnce()
    expect(budget.remaining).toBe(0)
    expect(() => budget.admitAtOnce()).toThrow(expect.objectContaining({ kind: 'budget-spent' }))
    budget.release()
    budget.admitAtOnce()
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
    const began = performance.now()
    expect(await waits(budget.admit(url, [], 3))).toBe(false)
    await budget.admit(url)
    expect(performance.now() - began).toBeGreaterThan(140)
  })

  test('keeps requests apart that wait at the same time', async () => {
    const budget = budgetWith({ requestsPerSecond: 20 })
    const all = () => Promise.all([1, 2, 3].map(() => budget.admit(url)))
    expect(await timed(all)).toBeGreaterThanOrEqual(95)
  })

  test('does not delay the first request, nor those that a browser sends by itself', async () => {
    const budget = budgetWith({ requestsPerSecond: 0.01 })
    budget.admitAtOnce()
    expect(await waits(budget.admit(url))).toBe(false)
  })

  test('rises again after requests without a 429', async () => {
    const budget = budgetWith({}, { pace: { intervalMs: 110, intervalAt429Ms: 60 } })
    for (let sent = 0; sent < 4; sent += 1) await budget.admit(url)
    expect(budget.used.pace).toBe(9.09)
    await budget.admit(url)
    expect(budget.used.pace).toBe(9.92)
    budget.recover()
    expect(budget.used).not.toHaveProperty('pace')
  })

  test('is rounded to hundredths', () => {
    expect(budgetWith({}, { pace: { intervalMs: 300, intervalAt429Ms: 150 } }).used.pace).toBe(3.33)
  })
})

test('a budget continues where another process left it', async () => {
  const budget = budgetWith({ requestsPerSecond: 5 })
  await budget.admit(url)
  budget.login()
  budget.reserve()
  budget.throttle(2000, { endpoint: 'GET /a', response: new HttpResponse(429, { a: 'b' }, '{"c":1}') })
  const { state } = budget
  const next = budgetWith(
    { requestsPerSecond: 5 },
    JSON.parse(JSON.stringify({ ...state, throttledWaitMs: 7 })),
  )
  expect(next.state).toEqual({ ...state, throttledWaitMs: 7 })
  expect(next.throttledResponses[0]).toBeInstanceOf(HttpResponse)
  expect(next.remaining).toBe(budget.remaining)
  expect(next.pauseMs).toBeGreaterThan(500)
})
