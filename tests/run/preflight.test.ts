import { expect, test } from 'vitest'
import { Budget } from '../../src/http/budget.ts'
import { preflight } from '../../src/run/preflight.ts'
import { targetFrom } from '../../src/target/config.ts'
import { answer, site } from '../http/site.ts'

const targetAt = (origin: string) =>
  targetFrom('embedded', {
    IDP_BASE_URL: origin,
    CLIENT_ID: 'application',
    CLIENT_SECRET: 'canary-secret',
    REDIRECT_URI: 'https://partner.invalid/callback',
  })

test('after one broken connection, the preflight retries', async () => {
  const { url, log } = await site((response, seen, number) => {
    if (number === 1) response.socket?.destroy()
    else answer(200)(response, seen, number)
  })
  const target = targetAt(url().origin)
  const unreached = await preflight(target, new Set(['identity-provider'] as const), new Budget(target))
  expect(unreached).toEqual({})
  expect(log).toHaveLength(2)
}, 30_000)

test('a host whose discovery does not respond is reachable if its root responds', async () => {
  const { url, log } = await site((response, seen, number) => {
    if (seen.url === '/') answer(404)(response, seen, number)
    else response.socket?.destroy()
  })
  const target = targetAt(url().origin)
  const unreached = await preflight(target, new Set(['identity-provider'] as const), new Budget(target))
  expect(unreached).toEqual({})
  expect(log).toHaveLength(3)
}, 30_000)
