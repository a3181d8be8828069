import { describe, expect, test } from 'vitest'
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
    ['https://IDP.example:443/token', true],
    ['https://idp.example./', false],
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
  test('every request has the time at which it was admitted', async () => {
    const budget = budgetWith()
    const began = performance.timeOrigin + performance.now()
    await budget.admit(url, [], 2)
    budget.admitAtOnce()
    const ended = performance.timeOrigin + performance.now()
    expect(budget.admittedAt).toHaveLength(budget.requests)
    for (const at of budget.admittedAt) {
      expect(at).toBeGreaterThanOrEqual(began)
      expect(at).toBeLessThanOrEqual(ended)
    }
  })

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
    budget.countLogin()
    expect(() => budget.countLogin()).toThrow(
      expect.objectContaining({
        kind: 'budget-spent',
        message: 'the budget of 1 login is spent',
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
    const budget = budgetWith({ requestsPerSecond: 1000 / 60 })
    budget.recordThrottled(0)
    for (let sent = 0; sent < 4; sent += 1) await budget.admit(url)
    expect(budget.used.pace).toBe(8.33)
    await budget.admit(url)
    expect(budget.used.pace).toBe(9.17)
    budget.recover()
    expect(budget.used).not.toHaveProperty('pace')
  })

  test('is rounded to hundredths', () => {
    const budget = budgetWith({ requestsPerSecond: 1000 / 150 })
    budget.recordThrottled(0)
    expect(budget.used.pace).toBe(3.33)
  })
})
