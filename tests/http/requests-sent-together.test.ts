import { describe, test } from 'vitest'
import { failureOf, siteWithClient } from './site.ts'

describe.concurrent('requests sent together', () => {
  test('leave at once on separate connections, and the next request waits for the pace of both', async ({
    expect,
  }) => {
    const { url, log, http, budget } = await siteWithClient(
      (response) => setTimeout(() => response.end('{}'), 100),
      { requestsPerSecond: 4 },
    )
    const request = { method: 'POST', url: url(), form: [], retry: 'after-429-or-503' } as const
    const started = Date.now()
    const together = await http.sendTogether(request, 2)
    expect(together).toMatchObject([{ value: { status: 200 } }, { value: { status: 200 } }])
    await http.send(request)
    const [first, second, next] = log.map(({ at }) => at) as [number, number, number]
    expect(Math.abs(second - first)).toBeLessThan(200)
    expect(next - started).toBeGreaterThanOrEqual(490)
    expect(new Set(log.map(({ port }) => port)).size).toBe(3)
    expect(budget.requests).toBe(3)
  })

  test('keep the response of one when another fails', async ({ expect }) => {
    let requests = 0
    const { url, http } = await siteWithClient((response) => {
      requests += 1
      if (requests === 1) response.destroy()
      else setTimeout(() => response.end('{}'), 50)
    })
    const together = await http.sendTogether({ method: 'POST', url: url(), form: [], retry: 'never' }, 2)
    expect(together.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('are admitted by the budget only as a whole', async ({ expect }) => {
    const { url, log, http, budget } = await siteWithClient(undefined, { requestBudget: 3 })
    const request = { method: 'POST', url: url(), form: [], retry: 'after-429-or-503' } as const
    await http.sendTogether(request, 2)
    expect((await failureOf(http.sendTogether(request, 2))).kind).toBe('budget-spent')
    expect([log.length, budget.requests]).toEqual([2, 2])
    await http.send(request)
    expect(log).toHaveLength(3)
  })
})
