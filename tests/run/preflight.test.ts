import { describe, expect, test } from 'vitest'
import { Budget } from '../../src/http/budget.ts'
import { preflight } from '../../src/run/preflight.ts'
import { targetFrom } from '../../src/target/config.ts'
import { answer, site } from '../http/site.ts'

const targetAt = (origin: string, more: Readonly<Record<string, string>> = {}) =>
  targetFrom('embedded', {
    IDP_BASE_URL: origin,
    CLIENT_ID: 'application',
    CLIENT_SECRET: 'canary-secret',
    REDIRECT_URI: 'https://partner.invalid/callback',
    ...more,
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

test('a host whose Retry-After exceeds the preflight is reachable', async () => {
  const { url, log } = await site(answer(429, { 'retry-after': '50' }))
  const target = targetAt(url().origin)
  const budget = new Budget(target)
  const unreached = await preflight(target, new Set(['identity-provider'] as const), budget)
  expect(unreached).toEqual({})
  expect(log).toHaveLength(1)
  expect(budget.pauseMs).toBeGreaterThan(20_000)
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

test('two hosts of one origin receive one request', async () => {
  const { url, log } = await site(answer(404))
  const { origin } = url()
  const partner = { PARTNER_CLIENT_ID: 'partner', PARTNER_CLIENT_SECRET: 'canary-partner-secret' }
  const target = targetAt(origin, { PARTNER_API_URL: `${origin}/partner`, ...partner })
  const hosts = new Set(['identity-provider', 'partner-api'] as const)
  expect(await preflight(target, hosts, new Budget(target))).toEqual({})
  expect(log).toHaveLength(1)
}, 30_000)

describe('a partner API whose root and base address reset connections', () => {
  const partnerAt = (origin: string) =>
    targetAt(origin, {
      PARTNER_API_URL: `${origin}/partner`,
      PARTNER_CLIENT_ID: 'partner',
      PARTNER_CLIENT_SECRET: 'canary-partner-secret',
    })

  test('is reachable if its event search responds', async () => {
    const { url, log } = await site((response, seen, number) => {
      if (seen.url?.startsWith('/partner/events/search?from=')) answer(400)(response, seen, number)
      else response.socket?.destroy()
    })
    const target = partnerAt(url().origin)
    const unreached = await preflight(target, new Set(['partner-api'] as const), new Budget(target))
    expect(unreached).toEqual({})
    expect(log).toHaveLength(4)
    expect(log[3]?.rawHeaders).toContain('canary-partner-secret')
  }, 30_000)

  test('is unreachable if its event search does so, too', async () => {
    const { url } = await site((response) => void response.socket?.destroy())
    const target = partnerAt(url().origin)
    const unreached = await preflight(target, new Set(['partner-api'] as const), new Budget(target))
    expect(unreached['partner-api']?.reason).toContain('PARTNER_API_URL points to')
  }, 30_000)
})
