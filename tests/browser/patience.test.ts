import { describe, expect, test } from 'vitest'
import { redirectUri, user } from './login-site.ts'
import { html, redirect } from './site.ts'
import { slowBrowsing } from './slow-browsing.ts'

// A page that loads, waits for an answer or is about to go on is waited for; one at rest is decided at once.

const browsing = slowBrowsing()

const common = { redirectUri, user }
const wrong = { ...user, password: 'wrong' }

/** The result of `work`, and its duration in seconds. */
async function timed<T>(work: Promise<T>): Promise<{ result: T; seconds: number }> {
  const began = performance.now()
  const result = await work
  return { result, seconds: (performance.now() - began) / 1000 }
}

describe.concurrent('a page that takes its time', () => {
  test.for([
    ['plain', 1000],
    ['plain', 3000],
    ['plain', 8000],
    ['fetched', 1000],
    ['fetched', 3500],
    ['fetched', 8000],
    ['timer', 600],
    ['timer', 2500],
    ['fading', 600],
    ['fading', 2500],
    ['animated', 2500],
    ['hidden', 2500],
  ] as const)(
    'signs in and is cancelled: %s after %i ms',
    { timeout: 60_000 },
    async ([page, ms], { expect }) => {
      const follow = async (act: 'sign-in' | 'cancel') => {
        await using window = await browsing.browser.agent([browsing.slow.host], { timeoutMs: 15_000 })
        const state = `${page}-${ms}-${act}`
        const landing = await window.agent.authorize(browsing.slow.authorize(page, state, { answer: ms }), {
          ...common,
          act,
        })
        const member = act === 'cancel' ? 'error' : 'code'
        expect(landing).toMatchObject({ kind: 'redirect', location: browsing.slow.landing(state, member) })
        expect(window.budget.logins).toBe(act === 'cancel' ? 0 : 1)
      }
      await Promise.all([follow('sign-in'), follow('cancel')])
    },
  )

  test('each response has the full time-out, however many there are', { timeout: 60_000, retry: 2 }, async ({
    expect,
  }) => {
    await using window = await browsing.browser.agent([browsing.slow.host], { timeoutMs: 4000 })
    const url = browsing.slow.authorize('plain', 'turns', { page: 2500, answer: 2500 })
    expect(await window.agent.authorize(url, { ...common, act: 'sign-in' })).toMatchObject({
      location: browsing.slow.landing('turns'),
    })
  })
})

test.for([
  ['plain', 1.9],
  ['timer', 5],
  ['fetched', 5],
] as const)('a wrong password is noticed soon on the page %s', { retry: 2 }, async ([page, within]) => {
  await using window = await browsing.browser.agent([browsing.slow.host], { timeoutMs: 15_000 })
  const { result, seconds } = await timed(
    window.agent.authorize(browsing.slow.authorize(page, 'wrong'), {
      redirectUri,
      user: wrong,
      act: 'sign-in',
    }),
  )
  expect(result).toMatchObject({
    kind: 'failed',
    cause: 'configuration',
    variables: ['TEST_USER', 'TEST_PASSWORD', 'LOGIN_RECIPE'],
  })
  expect(seconds).toBeLessThan(within)
})

test('a page that never responds leads to advice on LOGIN_TIMEOUT_SECONDS, not on the password', async () => {
  await using window = await browsing.browser.agent([browsing.slow.host], { timeoutMs: 1500 })
  const url = browsing.slow.authorize('fetched', 'never', { answer: 30_000 })
  expect(await window.agent.authorize(url, { ...common, act: 'sign-in' })).toEqual({
    kind: 'failed',
    cause: 'environment',
    reason: 'the authorization request made no progress for 1.5 s',
    variables: ['LOGIN_TIMEOUT_SECONDS'],
    advice: expect.stringContaining('LOGIN_TIMEOUT_SECONDS'),
  })
})

test('a page that goes in circles by itself ends in time', async () => {
  browsing.answer = ({ url }) =>
    html(
      `<p>Still waiting</p><script>setTimeout(() => { location = '/${Number(url.pathname.slice(1)) + 1}' }, 200)</script>`,
    )
  await using window = await browsing.browser.agent([browsing.site.host], {
    timeoutMs: 800,
    budget: { requestBudget: 1000 },
  })
  const { result, seconds } = await timed(
    window.agent.authorize(new URL(`http://${browsing.site.host}/1`), { ...common, act: 'sign-in' }),
  )
  expect(result).toMatchObject({ cause: 'environment', reason: expect.stringContaining('4.8 s') })
  expect(seconds).toBeLessThan(8)
})

test('a heartbeat does not show that a page will continue', async () => {
  browsing.answer = () =>
    html('<p>Sorry</p><script>const beat = () => setTimeout(beat, 300); beat()</script>')
  await using window = await browsing.browser.agent([browsing.site.host])
  const { result, seconds } = await timed(
    window.agent.authorize(new URL(`http://${browsing.site.host}/`), { ...common, act: 'sign-in' }),
  )
  expect(result).toMatchObject({ kind: 'page', status: 200 })
  expect(seconds).toBeLessThan(6)
})

test('a page in between that shows the login form again and then continues is not a refusal', async () => {
  const form = `<form method="post" action="/login"><input name="user"><input type="password" name="password">
    <button>Sign in</button></form>`
  const landing = `${redirectUri}?code=c`
  browsing.answer = ({ method, url }) => {
    if (url.pathname === '/session') return { body: landing }
    if (method === 'GET') return html(form)
    // The application is loaded anew, shows its form, and finds its session by a request.
    return html(
      `${form}<script>fetch('/session').then((found) => found.text()).then((next) => setTimeout(() => { location = next }, 900))</script>`,
    )
  }
  await using window = await browsing.browser.agent([browsing.site.host])
  expect(
    await window.agent.authorize(new URL(`http://${browsing.site.host}/`), { ...common, act: 'sign-in' }),
  ).toMatchObject({ kind: 'redirect', location: landing })
  expect(window.budget.logins).toBe(1)
})

test('the browser waits for a page that continues by a Refresh header', async () => {
  const landing = `${redirectUri}?code=c`
  browsing.answer = ({ url }) =>
    url.pathname === '/go'
      ? redirect(landing)
      : { ...html('<p>Wait</p>'), headers: { refresh: '1; url=/go' } }
  await using window = await browsing.browser.agent([browsing.site.host])
  expect(
    await window.agent.authorize(new URL(`http://${browsing.site.host}/`), { ...common, act: 'stop' }),
  ).toMatchObject({ kind: 'redirect', location: landing })
})

test('scripts cannot detect that their timers are watched', async () => {
  let seen = ''
  browsing.answer = ({ url }) => {
    seen = url.searchParams.get('seen') ?? seen
    return html(`<p>x</p><script>
      const native = [setTimeout, clearTimeout, clearInterval].map((each) => Function.prototype.toString.call(each) + each.name + each.length)
      const id = setTimeout(() => {}, 1)
      clearTimeout(id)
      const found = [typeof id, Object.keys(document).length, Reflect.ownKeys(window).filter((each) => typeof each === 'symbol').length, ...native]
      if (location.pathname === '/') location = '/done?seen=' + encodeURIComponent(found.join('|'))
    </script>`)
  }
  await using window = await browsing.browser.agent([browsing.site.host])
  await window.agent.authorize(new URL(`http://${browsing.site.host}/`), { ...common, act: 'stop' })
  expect(seen).toMatch(/^number\|\d+\|0\|function \w*\(\) \{ \[native code\] \}setTimeout1/)
})
