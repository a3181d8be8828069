import { describe, expect, test } from 'vitest'
import { act, common, JourneySites, redirected } from './journey-sites.ts'
import { newUser } from './login-site.ts'

const sites = new JourneySites()

describe('the evidence of a journey', () => {
  test('contains no typed value, code, state or cookie', async () => {
    await using window = await sites.browser.agent([sites.login.host])
    const pages = ['plain', 'two-step', 'scripted', 'totp']
    const codes: string[] = []
    for (const page of pages) {
      const user = newUser()
      await using fresh = await sites.browser.agent([sites.login.host])
      codes.push(
        redirected(
          await fresh.agent.authorize(sites.login.authorize(page), { ...common, user, act }),
        ).query.get('code') ?? '',
      )
      const text = JSON.stringify(fresh.exchanges)
      for (const secret of [
        user.name,
        user.password,
        encodeURIComponent(user.password),
        user.totpSecret,
        'canary',
        ...codes,
      ]) {
        expect(text).not.toContain(secret)
      }
    }
    await window.agent.authorize(sites.login.authorize('plain'), { ...common, act })
    const [first, , third] = window.exchanges
    expect(first).toMatchObject({ by: 'browser', request: { method: 'GET' }, response: { status: 302 } })
    expect(first?.curl).toContain('$STATE')
    expect(third?.request).toMatchObject({ method: 'POST', body: ['user=…', 'password=…'] })
    expect(third?.response?.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/authorize\?/)
  })
})
