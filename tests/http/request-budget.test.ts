import { describe, test } from 'vitest'
import { answer, failureOf, inTurn, siteWithClient } from './site.ts'

describe.concurrent('the request budget', () => {
  test('counts as many requests as the server, through throttling and retries, until it is spent', async ({
    expect,
  }) => {
    const { url, log, http, budget } = await siteWithClient(
      inTurn(answer(200), answer(429, { 'Retry-After': '1' }), answer(500), answer(200)),
      {
        requestBudget: 6,
      },
    )
    budget.admitAtOnce()
    const request = { method: 'GET', url: url(), retry: 'safe' } as const
    await http.send(request)
    expect((await failureOf(http.send(request))).kind).toBe('unavailable')
    await http.send(request)
    await http.send(request)
    expect(await failureOf(http.send(request))).toMatchObject({
      kind: 'budget-spent',
      variables: ['REQUEST_BUDGET'],
      advice: expect.stringContaining('REQUEST_BUDGET'),
    })
    expect(log).toHaveLength(5)
    expect(budget.requests).toBe(6)
    expect(budget.throttled).toBe(1)
  })

  test('is exact when many requests compete for the rest of it', async ({ expect }) => {
    const { log, budget, get } = await siteWithClient(undefined, { requestBudget: 7 })
    const all = await Promise.allSettled(Array.from({ length: 30 }, () => get()))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(7)
    expect(log).toHaveLength(7)
    expect(budget.requests).toBe(7)
  })

  test('spaces requests evenly', async ({ expect }) => {
    const { log, get } = await siteWithClient(undefined, { requestsPerSecond: 20 })
    const started = Date.now()
    await Promise.all(Array.from({ length: 6 }, () => get()))
    expect((log.at(-1)?.at ?? 0) - started).toBeGreaterThanOrEqual(240)
  })
})
