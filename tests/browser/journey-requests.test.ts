import { describe, expect, test } from 'vitest'
import { act, common, JourneySites } from './journey-sites.ts'
import { html } from './site.ts'

const sites = new JourneySites()

describe('the requests of a journey', () => {
  test('go to no other host, whatever a page tries', async () => {
    sites.answer = () =>
      html(`<img src="${sites.other.origin}/image"><script src="${sites.other.origin}/script"></script><iframe src="${sites.other.origin}/frame"></iframe>
        <link rel="icon" href="${sites.other.origin}/icon"><script>
          fetch('${sites.other.origin}/fetch').catch(() => {})
          navigator.sendBeacon('${sites.other.origin}/beacon')
          new WebSocket('${sites.other.origin.replace('http', 'ws')}/socket')
          open('${sites.other.origin}/window')
        </script><form><input name="user"><input type="password" name="password"><button>Sign in</button></form>`)
    sites.other.log.length = 0
    sites.custom.log.length = 0
    await using window = await sites.browser.agent([sites.custom.host])
    expect(await window.agent.authorize(new URL(sites.custom.origin), { ...common, act: 'stop' })).toEqual({
      kind: 'login-page',
    })
    expect(sites.other.log).toEqual([])
    expect(window.budget.requests).toBe(sites.custom.log.length)
  })

  test('include styles and frames of the target, counted exactly; a style is requested once, icons never', async () => {
    sites.answer = ({ url }) => {
      if (url.pathname === '/style')
        return { headers: { 'content-type': 'text/css', 'cache-control': 'max-age=600' }, body: 'p{}' }
      if (url.pathname === '/frame') return html('<p>frame</p>')
      return html(`<link rel="stylesheet" href="/style"><link rel="icon" href="/icon"><iframe src="/frame"></iframe>
        <form><input name="user"><input type="password" name="password"><button>Sign in</button></form>`)
    }
    sites.custom.log.length = 0
    await using window = await sites.browser.agent([sites.custom.host])
    for (const path of ['/a', '/b']) {
      expect(
        await window.agent.authorize(new URL(path, sites.custom.origin), { ...common, act: 'stop' }),
      ).toEqual({
        kind: 'login-page',
      })
      await expect.poll(() => sites.custom.log.length).toBe(path === '/a' ? 3 : 5)
    }
    expect([...sites.custom.log].sort()).toEqual([
      'GET /a',
      'GET /b',
      'GET /frame',
      'GET /frame',
      'GET /style',
    ])
    expect(window.budget.requests).toBe(5)
  })

  test('end exactly when the budget is spent', async () => {
    await using window = await sites.browser.agent([sites.login.host], { budget: { requestBudget: 3 } })
    sites.login.log.length = 0
    const landing = await window.agent.authorize(sites.login.authorize('two-step'), { ...common, act })
    expect(landing).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
      variables: expect.arrayContaining(['REQUEST_BUDGET']),
      advice: expect.stringContaining('REQUEST_BUDGET'),
    })
    expect(sites.login.log).toHaveLength(3)
  })

  test('contain no login beyond the budget, which is not typed', async () => {
    await using window = await sites.browser.agent([sites.login.host], { budget: { loginBudget: 0 } })
    sites.login.log.length = 0
    const landing = await window.agent.authorize(sites.login.authorize('plain'), { ...common, act })
    expect(landing).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
      variables: expect.arrayContaining(['LOGIN_BUDGET']),
      advice: expect.stringContaining('LOGIN_BUDGET'),
    })
    expect(sites.login.log.filter((line) => line.startsWith('POST'))).toEqual([])
  })
})
