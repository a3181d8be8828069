import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { redirectUri, user } from './login-site.ts'
import { html, redirect } from './site.ts'
import { slowBrowsing } from './slow-browsing.ts'

// A late response of one journey is not the landing of the next one in the same window.

const browsing = slowBrowsing()

const common = { redirectUri, user }

test.for(['cancel', 'sign-in'] as const)(
  'a redirect that comes after the time of a journey (%s) is not the landing of the next one',
  async (act) => {
    await using window = await browsing.browser.agent([browsing.slow.host], { timeoutMs: 2500 })
    const { agent, exchanges } = window
    const first = await agent.authorize(browsing.slow.authorize('plain', 'first', { answer: 4000 }), {
      ...common,
      act,
    })
    expect(first).toMatchObject({ kind: 'failed', cause: 'environment' })
    // Longer than the rest of the first answer takes.
    const second = await agent.authorize(
      browsing.slow.authorize('plain', 'second', { page: 800, answer: 800 }),
      {
        ...common,
        act,
      },
    )
    const member = act === 'cancel' ? 'error' : 'code'
    expect(second).toMatchObject({ kind: 'redirect', location: browsing.slow.landing('second', member) })
    // What the first journey sent is evidence of it, answered or not.
    expect(exchanges.filter(({ failure }) => failure !== undefined)).toMatchObject([
      { failure: 'no response before its journey ended', request: { method: 'POST' } },
    ])
  },
)

test('a page that shows up late is not the page of the next journey', async () => {
  await using window = await browsing.browser.agent([browsing.slow.host], { timeoutMs: 3000 })
  const { agent } = window
  const late = browsing.slow.authorize('plain', 'first', { page: 3700 })
  expect(await agent.authorize(late, { ...common, act: 'stop' })).toMatchObject({ kind: 'failed' })
  const next = browsing.slow.authorize('fetched', 'second', { page: 1000 })
  expect(await agent.authorize(next, { ...common, act: 'sign-in' })).toMatchObject({
    kind: 'redirect',
    location: browsing.slow.landing('second'),
  })
})

test.for(['setTimeout', 'setInterval'])(
  'a navigation that a script makes late (%s) is none of the next journey',
  async (timer) => {
    const lateLanding = `${redirectUri}?error=access_denied&state=first`
    browsing.answer = ({ url }) =>
      url.searchParams.get('state') === 'first'
        ? html(
            `<p>Wait</p><script>${timer}(() => { location = ${JSON.stringify(lateLanding)} }, 1300)</script>`,
          )
        : redirect(`${redirectUri}?code=c&state=second`)
    await using window = await browsing.browser.agent([browsing.site.host], { timeoutMs: 1000 })
    const authorize = (state: string) =>
      window.agent.authorize(new URL(`http://${browsing.site.host}/?state=${state}`), {
        ...common,
        act: 'sign-in',
        mustReturn: true,
      })
    expect(await authorize('first')).toMatchObject({ kind: 'failed' })
    for (let turn = 0; turn < 5; turn += 1) {
      expect(await authorize('second')).toMatchObject({ location: `${redirectUri}?code=c&state=second` })
      await sleep(100)
    }
  },
)

test('a page that keeps sending requests is left when its journey ends', async () => {
  browsing.answer = ({ url }) =>
    url.pathname === '/poll'
      ? html('')
      : html(`<form><input name="user"><input type="password" name="password"><button>Sign in</button></form>
          <script>setInterval(() => fetch('/poll'), 50)</script>`)
  await using window = await browsing.browser.agent([browsing.site.host])
  const logged = browsing.site.log.length
  const landing = await window.agent.authorize(new URL(`http://${browsing.site.host}/`), {
    ...common,
    act: 'stop',
  })
  expect(landing).toEqual({ kind: 'login-page' })
  // A request that was admitted before the journey ended may reach the site later.
  const admitted = window.budget.requests
  await sleep(300)
  expect(window.budget.requests).toBe(admitted)
  expect(browsing.site.log.length - logged).toBeLessThanOrEqual(admitted)
})

test('a page that cannot be left is replaced, with its cookies', async () => {
  browsing.answer = ({ url, cookies }) => {
    if (url.pathname === '/hang')
      return {
        ...html('<script>setTimeout(() => { for (;;); }, 300)</script>'),
        headers: { 'set-cookie': 'session=1' },
      }
    return redirect(`${redirectUri}?code=${cookies.session}`)
  }
  await using window = await browsing.browser.agent([browsing.site.host], { timeoutMs: 3000 })
  const authorize = (path: string) =>
    window.agent.authorize(new URL(path, `http://${browsing.site.host}`), { ...common, act: 'sign-in' })
  expect(await authorize('/hang')).toMatchObject({ kind: 'failed', cause: 'environment' })
  expect(await authorize('/next')).toMatchObject({ location: `${redirectUri}?code=1` })
})

test('a step of a recipe whose journey is over is not carried out on the next page', async () => {
  const recipe = join(mkdtempSync(join(tmpdir(), 'plumbline-')), 'recipe.json')
  const signIn = [{ do: 'click', at: { text: 'Late' }, timeoutMs: 20_000 }]
  writeFileSync(recipe, JSON.stringify({ loginPage: { css: 'form' }, signIn }))
  browsing.answer = ({ url }) =>
    html(
      url.pathname === '/first'
        ? '<form>Nothing to press</form><script>0</script>'
        : '<form action="/pressed"><input name="user"><input type="password"><button>Late</button></form>',
    )
  await using window = await browsing.browser.agent([browsing.site.host], { recipe, timeoutMs: 3000 })
  const authorize = (path: string, act: 'sign-in' | 'stop') =>
    window.agent.authorize(new URL(path, `http://${browsing.site.host}`), { ...common, act })
  expect(await authorize('/first', 'sign-in')).toMatchObject({ kind: 'failed' })
  browsing.site.log.length = 0
  expect(await authorize('/second', 'stop')).toEqual({ kind: 'login-page' })
  await sleep(500)
  expect(browsing.site.log).toEqual(['GET /second'])
})
