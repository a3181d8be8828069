import { expect, test } from 'vitest'
import { Budget } from '../../src/http/budget.ts'
import { preflight } from '../../src/run/preflight.ts'
import { targetFrom } from '../../src/target/config.ts'
import { answer, site } from '../http/site.ts'

test('after one broken connection, the preflight retries', async () => {
  const { url, log } = await site((response, seen, number) => {
    if (number === 1) response.socket?.destroy()
    else answer(200)(response, seen, number)
  })
  const target = targetFrom('embedded', {
    IDP_BASE_URL: url().origin,
    CLIENT_ID: 'application',
    CLIENT_SECRET: 'canary-secret',
    REDIRECT_URI: 'https://partner.invalid/callback',
  })
  const unreached = await preflight(target, new Set(['identity-provider'] as const), new Budget(target))
  expect(unreached).toEqual({})
  expect(log).toHaveLength(2)
}, 30_000)
