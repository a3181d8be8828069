import { describe, expect, test } from 'vitest'
import { client, failureOf, site } from './site.ts'

describe.concurrent('a host that is not configured', () => {
  test.each([
    ['another port is allowed', '127.0.0.1:1'],
    ['no host is allowed', ''],
  ])('receives no request: %s', async (_, allowed) => {
    const { url, log } = await site()
    const { http, budget } = client([allowed])
    const failure = await failureOf(http.send({ method: 'GET', url: url(), retry: 'safe' }))
    expect(failure).toMatchObject({ name: 'HttpFailure', kind: 'host-refused' })
    expect(log).toEqual([])
    expect(budget.requests).toBe(0)
  })
})
