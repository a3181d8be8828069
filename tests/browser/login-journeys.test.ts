import { describe, expect, test } from 'vitest'
import { act, common, JourneySites, redirected } from './journey-sites.ts'
import { redirectUri, user } from './login-site.ts'

const sites = new JourneySites()

describe('a journey through a login page', () => {
  test.for([
    'plain',
    'two-step',
    'scripted',
    'banner',
    'german',
    'div-button',
    'enter',
    'totp',
    'consent',
    'self-submitting',
  ])(
    'signs in on the page %s, then without it, and counts the requests that the server received',
    async (page) => {
      await using window = await sites.browser.agent([sites.login.host])
      sites.login.log.length = 0
      const first = redirected(await window.agent.authorize(sites.login.authorize(page), { ...common, act }))
      expect(first).toMatchObject({ status: 302, interactive: true })
      expect(first.query.get('code')).toMatch(/^[0-9a-f]{16}$/)
      expect(first.query.get('state')).toBe('canary-state-5512')
      expect(first.location.startsWith(`${redirectUri}?code=`)).toBe(true)
      const silent = redirected(await window.agent.authorize(sites.login.authorize(page), { ...common, act }))
      expect(silent).toMatchObject({ status: 302, interactive: false })
      expect(silent.query.get('code')).not.toBe(first.query.get('code'))
      expect(window.budget.logins).toBe(1)
      expect(window.budget.requests).toBe(sites.login.log.length)
      expect(window.exchanges).toHaveLength(sites.login.log.length)
    },
  )

  test.for(['plain', 'german', 'div-button'])('presses cancel on the page %s', async (page) => {
    await using window = await sites.browser.agent([sites.login.host])
    const landing = redirected(
      await window.agent.authorize(sites.login.authorize(page), { ...common, act: 'cancel' }),
    )
    expect(landing.query.get('error')).toBe('access_denied')
    expect(window.budget.logins).toBe(0)
  })

  test('cancels on the consent page if a user is signed in', async () => {
    await using window = await sites.browser.agent([sites.login.host])
    await window.agent.authorize(sites.login.authorize('plain'), { ...common, act })
    const stopped = await window.agent.authorize(sites.login.authorize('consent'), { ...common, act: 'stop' })
    expect(stopped).toEqual({ kind: 'consent-page' })
    const landing = redirected(
      await window.agent.authorize(sites.login.authorize('consent'), { ...common, act: 'cancel' }),
    )
    expect(landing.query.get('error')).toBe('access_denied')
  })

  test('stops at the login page and submits nothing', async () => {
    await using window = await sites.browser.agent([sites.login.host])
    expect(
      await window.agent.authorize(sites.login.authorize('two-step'), { ...common, act: 'stop' }),
    ).toEqual({
      kind: 'login-page',
    })
    expect(window.budget.requests).toBe(2)
  })

  test('shares no cookies with the next user agent', async () => {
    await using first = await sites.browser.agent([sites.login.host])
    await first.agent.authorize(sites.login.authorize('plain'), { ...common, act })
    await using second = await sites.browser.agent([sites.login.host])
    expect(await second.agent.authorize(sites.login.authorize('plain'), { ...common, act: 'stop' })).toEqual({
      kind: 'login-page',
    })
  })

  test.for(['plain', 'scripted', 'two-step'])(
    'submits a wrong password or user only once (%s)',
    async (page) => {
      await using window = await sites.browser.agent([sites.login.host])
      sites.login.log.length = 0
      const wrong =
        page === 'two-step'
          ? { ...user, name: 'nobody@example.com' }
          : { ...user, password: 'wrong-password' }
      const landing = await window.agent.authorize(sites.login.authorize(page), {
        redirectUri,
        act,
        user: wrong,
      })
      expect(landing).toMatchObject({
        kind: 'failed',
        cause: 'configuration',
        variables: expect.arrayContaining(['TEST_USER']),
        advice: expect.stringContaining('TEST_USER'),
      })
      expect(sites.login.log.filter((line) => line.startsWith('POST'))).toHaveLength(1)
    },
  )

  test('reports TEST_TOTP_SECRET for a wrong one-time password', async () => {
    await using window = await sites.browser.agent([sites.login.host])
    const wrong = { ...user, totpSecret: 'KRSXG5CTMVRXEZLU' }
    expect(
      await window.agent.authorize(sites.login.authorize('totp'), { redirectUri, act, user: wrong }),
    ).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
      variables: expect.arrayContaining(['TEST_TOTP_SECRET']),
      advice: expect.stringContaining('TEST_TOTP_SECRET'),
    })
  })

  test('reports the variable that is missing', async () => {
    await using window = await sites.browser.agent([sites.login.host])
    expect(await window.agent.authorize(sites.login.authorize('plain'), { redirectUri, act })).toMatchObject({
      cause: 'configuration',
      variables: expect.arrayContaining(['TEST_USER']),
      advice: expect.stringContaining('TEST_USER'),
    })
    const { totpSecret: _, ...withoutSecret } = user
    expect(
      await window.agent.authorize(sites.login.authorize('totp'), { redirectUri, act, user: withoutSecret }),
    ).toMatchObject({
      cause: 'configuration',
      variables: ['TEST_TOTP_SECRET'],
      advice: 'set TEST_TOTP_SECRET',
    })
  })

  test.for(['riddle', 'framed'])('asks for a recipe if it does not recognise the page (%s)', async (page) => {
    await using window = await sites.browser.agent([sites.login.host])
    expect(await window.agent.authorize(sites.login.authorize(page), { ...common, act })).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
      variables: expect.arrayContaining(['LOGIN_RECIPE']),
      advice: expect.stringContaining('LOGIN_RECIPE'),
    })
  })
})
