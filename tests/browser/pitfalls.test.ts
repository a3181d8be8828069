import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserAgent } from '../../src/browser/index.ts'
import { type Answer, html, type Received, redirect, type Site, startSite } from './site.ts'
import { TestBrowser } from './test-browser.ts'

// Lawful pages on which a hasty user agent takes an unwanted action, and would blame the target.

const redirectUri = 'https://app.invalid/callback'
const code = `${redirectUri}?code=canary&state=1`
const denied = `${redirectUri}?error=access_denied&state=1`
const user = { name: 'alice@example.com', password: 'canary-password-8842' }

let answer: (request: Received) => Answer | undefined
let site: Site
let elsewhere: Site
let browser: TestBrowser
beforeAll(async () => {
  site = await startSite((request) => answer(request))
  elsewhere = await startSite(() => html('must never be seen'))
  browser = await TestBrowser.start([site.host])
})
afterAll(async () => {
  await browser?.close()
  await Promise.all([site, elsewhere].map((each) => each?.close()))
})

/** Where a request to the site ends that shows `page` first and then answers by `then`. */
async function land(
  page: Answer,
  then: (request: Received) => Answer | undefined,
  options: Partial<Parameters<UserAgent['authorize']>[1]> = {},
) {
  site.log.length = 0
  answer = (request) => (request.url.pathname === '/authorize' ? page : then(request))
  await using window = await browser.agent([site.host])
  return await window.agent.authorize(new URL('/authorize', site.origin), {
    redirectUri,
    user,
    act: 'sign-in',
    ...options,
  })
}

test('a login page on another host is a matter of the login recipe, and is not loaded', async () => {
  const landing = await land(redirect(`${elsewhere.origin}/portal/login`), () => undefined)
  expect(landing).toMatchObject({ kind: 'failed', cause: 'configuration' })
  expect(landing).toHaveProperty('reason', expect.stringContaining(elsewhere.host))
  expect(elsewhere.log).toEqual([])
})

test('a code at an unregistered address is still an authorization response', async () => {
  const landing = await land(redirect('https://stranger.invalid/?code=canary'), () => undefined)
  expect(landing).toMatchObject({ kind: 'redirect', location: 'https://stranger.invalid/?code=canary' })
})

test('a button that comes late is waited for; the return key would have pressed the cancel button', async () => {
  const landing = await land(
    html(`<form method="post" action="/login"><button name="cancel" value="1" formnovalidate>Abbrechen</button>
      <input name="user" autocomplete="username"><input name="password" type="password"></form>
      <script>setTimeout(() => document.forms[0].insertAdjacentHTML('beforeend', '<button>Anmelden</button>'), 600)</script>`),
    ({ form }) => redirect(form.has('cancel') ? denied : code),
  )
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
})

test('with nothing but a cancel button nothing is pressed', async () => {
  const landing = await land(
    html(`<form method="post" action="/login"><button name="cancel">Cancel</button>
      <input name="user" autocomplete="username"><input name="password" type="password"></form>`),
    () => redirect(denied),
  )
  expect(landing).toMatchObject({ kind: 'failed', cause: 'configuration' })
  expect(site.log).toEqual(['GET /authorize'])
})

test('going on without consent is not consent', async () => {
  const landing = await land(
    html(`<form method="post" action="/consent"><button name="give" value="no">Weiter ohne Freigabe</button>
      <button name="give" value="yes">Zustimmen und weiter</button></form>`),
    ({ form }) => redirect(form.get('give') === 'yes' ? code : denied),
  )
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
})

const registration = `<form method="post" action="/register"><h2>Konto anlegen</h2>
  <input name="user" type="email"><input name="password" type="password"><button>Registrieren</button></form>`

test.for([
  ['a registration form', registration],
  [
    'one for new passwords',
    registration.replace('type="password"', 'type="password" autocomplete="new-password"'),
  ],
])('next to %s, the password is typed into the login form', async ([, beside]) => {
  const landing = await land(
    html(`${beside}<form method="post" action="/login"><input name="user"><input name="password" type="password">
      <button>Anmelden</button></form>`),
    ({ url }) => (url.pathname === '/login' ? redirect(code) : undefined),
  )
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
  expect(site.log).toEqual(['GET /authorize', 'POST /login'])
})

test('between two indistinguishable forms, no password is typed', async () => {
  const form = (where: string) =>
    `<form method="post" action="${where}"><input name="user"><input name="password" type="password"><button>→</button></form>`
  const landing = await land(html(form('/a') + form('/b')), () => undefined)
  expect(landing).toMatchObject({ kind: 'failed', cause: 'configuration' })
  expect(site.log).toEqual(['GET /authorize'])
})

const leaving = (script: string) =>
  html(
    `<p>Einen Moment…</p><script>const go = () => { location = ${JSON.stringify(code)} }; ${script}</script>`,
  )

test('the browser waits for a page that continues by a timer', async () => {
  const landing = await land(leaving('setTimeout(go, 3000)'), () => undefined)
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
})

test('a page without a sign of continuing is waited for if the request has to return', async () => {
  const waiting = leaving('AbortSignal.timeout(3000).onabort = go')
  const mustReturn = { mustReturn: true } as const
  expect(await land(waiting, () => undefined, mustReturn)).toMatchObject({ kind: 'redirect', location: code })
  expect(await land(waiting, () => undefined)).toMatchObject({ kind: 'page', status: 200 })
})

test('one failed response is transient, two are an outage', async () => {
  const failing = (times: number) => {
    let count = 0
    return (): Answer => {
      count += 1
      return count <= times ? { status: 502, body: 'Bad gateway' } : redirect(code)
    }
  }
  expect(await land(redirect('/login'), failing(1))).toMatchObject({ kind: 'redirect', location: code })
  expect(await land(redirect('/login'), failing(2))).toMatchObject({ kind: 'failed', cause: 'environment' })
})
