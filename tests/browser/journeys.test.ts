import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Landing, Redirect } from '../../src/browser/index.ts'
import { newUser, redirectUri, startLoginSite, user } from './login-site.ts'
import { html, type Received, redirect, type Site, startSite } from './site.ts'
import { TestBrowser } from './test-browser.ts'

let site: Awaited<ReturnType<typeof startLoginSite>>
let other: Site
let custom: Site
let answer: (request: Received) => ReturnType<Parameters<typeof startSite>[0]> = () => undefined
let browser: TestBrowser

beforeAll(async () => {
  site = await startLoginSite()
  other = await startSite(() => html('must never be seen'))
  custom = await startSite((request) => answer(request))
  browser = await TestBrowser.start([site.host, custom.host])
})

afterAll(async () => {
  await browser?.close()
  await Promise.all([site, other, custom].map((each) => each?.close()))
})

function redirected(landing: Landing): Redirect {
  expect(landing).toMatchObject({ kind: 'redirect' })
  return landing as Redirect
}

const act = 'sign-in'
const common = { redirectUri, user }

// Login pages

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
])('signs in on the page %s, then without it, and counts what the server saw', async (page) => {
  await using window = await browser.agent([site.host])
  site.log.length = 0
  const first = redirected(await window.agent.authorize(site.authorize(page), { ...common, act }))
  expect(first).toMatchObject({ status: 302, interactive: true })
  expect(first.query.get('code')).toMatch(/^[0-9a-f]{16}$/)
  expect(first.query.get('state')).toBe('canary-state-5512')
  expect(first.location.startsWith(`${redirectUri}?code=`)).toBe(true)
  const silent = redirected(await window.agent.authorize(site.authorize(page), { ...common, act }))
  expect(silent).toMatchObject({ status: 302, interactive: false })
  expect(silent.query.get('code')).not.toBe(first.query.get('code'))
  expect(window.budget.logins).toBe(1)
  expect(window.budget.requests).toBe(site.log.length)
  expect(window.exchanges).toHaveLength(site.log.length)
})

test.for(['plain', 'german', 'div-button'])('presses cancel on the page %s', async (page) => {
  await using window = await browser.agent([site.host])
  const landing = redirected(await window.agent.authorize(site.authorize(page), { ...common, act: 'cancel' }))
  expect(landing.query.get('error')).toBe('access_denied')
  expect(window.budget.logins).toBe(0)
})

test('cancels on the consent page if a user is signed in', async () => {
  await using window = await browser.agent([site.host])
  await window.agent.authorize(site.authorize('plain'), { ...common, act })
  const stopped = await window.agent.authorize(site.authorize('consent'), { ...common, act: 'stop' })
  expect(stopped).toEqual({ kind: 'consent-page' })
  const landing = redirected(
    await window.agent.authorize(site.authorize('consent'), { ...common, act: 'cancel' }),
  )
  expect(landing.query.get('error')).toBe('access_denied')
})

test('stops at the login page and sends nothing there', async () => {
  await using window = await browser.agent([site.host])
  expect(await window.agent.authorize(site.authorize('two-step'), { ...common, act: 'stop' })).toEqual({
    kind: 'login-page',
  })
  expect(window.budget.requests).toBe(2)
})

test('cookies of one agent are unknown to the next', async () => {
  await using first = await browser.agent([site.host])
  await first.agent.authorize(site.authorize('plain'), { ...common, act })
  await using second = await browser.agent([site.host])
  expect(await second.agent.authorize(site.authorize('plain'), { ...common, act: 'stop' })).toEqual({
    kind: 'login-page',
  })
})

test.for(['plain', 'scripted', 'two-step'])(
  'never tries a wrong password or user twice (%s)',
  async (page) => {
    await using window = await browser.agent([site.host])
    site.log.length = 0
    const wrong =
      page === 'two-step' ? { ...user, name: 'nobody@example.com' } : { ...user, password: 'wrong-password' }
    const landing = await window.agent.authorize(site.authorize(page), { redirectUri, act, user: wrong })
    expect(landing).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
      variables: expect.arrayContaining(['TEST_USER']),
      advice: expect.stringContaining('TEST_USER'),
    })
    expect(site.log.filter((line) => line.startsWith('POST'))).toHaveLength(1)
  },
)

test('a wrong one-time password is the fault of TEST_TOTP_SECRET', async () => {
  await using window = await browser.agent([site.host])
  const wrong = { ...user, totpSecret: 'KRSXG5CTMVRXEZLU' }
  expect(
    await window.agent.authorize(site.authorize('totp'), { redirectUri, act, user: wrong }),
  ).toMatchObject({
    kind: 'failed',
    cause: 'configuration',
    variables: expect.arrayContaining(['TEST_TOTP_SECRET']),
    advice: expect.stringContaining('TEST_TOTP_SECRET'),
  })
})

test('says which variable is missing', async () => {
  await using window = await browser.agent([site.host])
  expect(await window.agent.authorize(site.authorize('plain'), { redirectUri, act })).toMatchObject({
    cause: 'configuration',
    variables: expect.arrayContaining(['TEST_USER']),
    advice: expect.stringContaining('TEST_USER'),
  })
  const { totpSecret: _, ...withoutSecret } = user
  expect(
    await window.agent.authorize(site.authorize('totp'), { redirectUri, act, user: withoutSecret }),
  ).toMatchObject({
    cause: 'configuration',
    variables: ['TEST_TOTP_SECRET'],
    advice: 'set TEST_TOTP_SECRET',
  })
})

test.for(['riddle', 'framed'])('asks for a recipe where the page is a riddle (%s)', async (page) => {
  await using window = await browser.agent([site.host])
  expect(await window.agent.authorize(site.authorize(page), { ...common, act })).toMatchObject({
    kind: 'failed',
    cause: 'configuration',
    variables: expect.arrayContaining(['LOGIN_RECIPE']),
    advice: expect.stringContaining('LOGIN_RECIPE'),
  })
})

// Landings

test('an error without a session comes in the query', async () => {
  await using window = await browser.agent([site.host])
  const landing = redirected(
    await window.agent.authorize(site.authorize('plain', { prompt: 'none' }), { ...common, act: 'stop' }),
  )
  expect(landing).toMatchObject({ status: 302, interactive: false })
  expect(landing.query.get('error')).toBe('login_required')
})

test.for([
  ['fragment', 302],
  ['script', 200],
  ['refresh', 200],
  ['form_post', 200],
] as const)('a response by %s is a landing too', async ([by, status]) => {
  await using window = await browser.agent([site.host])
  const landing = redirected(
    await window.agent.authorize(site.authorize('plain', { prompt: 'none', by }), { ...common, act: 'stop' }),
  )
  expect(landing.status).toBe(status)
  const members = by === 'fragment' ? landing.fragment : by === 'form_post' ? landing.form : landing.query
  expect(members?.get('error')).toBe('login_required')
  if (by === 'script') expect(landing.location.endsWith('#end')).toBe(true)
  expect(window.budget.requests).toBe(1)
})

test.for([
  'https://evil.invalid/callback',
  'com.example.app:/callback',
  'myapp://callback',
  'http://127.0.0.1:9/callback',
])('a redirect to %s is seen and not followed', async (uri) => {
  await using window = await browser.agent([site.host])
  for (const by of ['query', 'script']) {
    const url = site.authorize('plain', { prompt: 'none', redirect_uri: uri, by })
    const landing = redirected(await window.agent.authorize(url, { redirectUri: uri, act: 'stop' }))
    expect(landing.location.startsWith(uri)).toBe(true)
    expect(landing.query.get('error')).toBe('login_required')
  }
  expect(window.budget.requests).toBe(2)
})

test('a redirect URI on the target itself is not loaded either', async () => {
  await using window = await browser.agent([site.host])
  site.log.length = 0
  const uri = `${site.origin}/callback`
  const landing = redirected(
    await window.agent.authorize(site.authorize('plain', { prompt: 'none', redirect_uri: uri }), {
      redirectUri: uri,
      act: 'stop',
    }),
  )
  expect(landing.query.get('error')).toBe('login_required')
  expect(site.log).toEqual(['GET /authorize'])
})

test.for([
  [
    '/status?code=400',
    {
      kind: 'page',
      status: 400,
      mediaType: 'text/html',
      redirected: false,
      hasUnknownButtons: false,
      dynamic: false,
    },
  ],
  [
    '/status?code=200',
    {
      kind: 'page',
      status: 200,
      mediaType: 'text/html',
      redirected: false,
      hasUnknownButtons: false,
      dynamic: false,
    },
  ],
  [
    '/status?code=404',
    {
      kind: 'page',
      status: 404,
      mediaType: 'text/html',
      redirected: false,
      hasUnknownButtons: false,
      dynamic: false,
    },
  ],
  [
    '/empty',
    {
      kind: 'page',
      status: 400,
      mediaType: 'text/html',
      redirected: false,
      hasUnknownButtons: false,
      dynamic: false,
    },
  ],
  [
    '/json',
    {
      kind: 'page',
      status: 400,
      mediaType: 'application/json',
      redirected: false,
      hasUnknownButtons: false,
      dynamic: false,
    },
  ],
  ['/status?code=500', { kind: 'failed', cause: 'environment', reason: expect.stringContaining('500') }],
] as const)('ends at %s', async ([path, expected]) => {
  await using window = await browser.agent([site.host])
  expect(await window.agent.authorize(new URL(path, site.origin), { ...common, act })).toEqual(expected)
})

// Nothing but the target

test('nothing outside the hosts is requested, by whatever a page tries', async () => {
  answer = () =>
    html(`<img src="${other.origin}/image"><script src="${other.origin}/script"></script><iframe src="${other.origin}/frame"></iframe>
      <link rel="icon" href="${other.origin}/icon"><script>
        fetch('${other.origin}/fetch').catch(() => {})
        navigator.sendBeacon('${other.origin}/beacon')
        new WebSocket('${other.origin.replace('http', 'ws')}/socket')
        open('${other.origin}/window')
      </script><form><input name="user"><input type="password" name="password"><button>Sign in</button></form>`)
  other.log.length = 0
  custom.log.length = 0
  await using window = await browser.agent([custom.host])
  expect(await window.agent.authorize(new URL(custom.origin), { ...common, act: 'stop' })).toEqual({
    kind: 'login-page',
  })
  expect(other.log).toEqual([])
  expect(window.budget.requests).toBe(custom.log.length)
})

test('a page that needs another host says so', async () => {
  answer = () => html(`<input name="riddle"><script src="${other.origin}/app.js"></script>`)
  await using window = await browser.agent([custom.host])
  const landing = await window.agent.authorize(new URL(custom.origin), { ...common, act })
  expect(landing).toMatchObject({ kind: 'failed', reason: expect.stringContaining(other.host) })
})

test('styles and frames of the target are counted exactly; a style is requested once, icons never', async () => {
  answer = ({ url }) => {
    if (url.pathname === '/style')
      return { headers: { 'content-type': 'text/css', 'cache-control': 'max-age=600' }, body: 'p{}' }
    if (url.pathname === '/frame') return html('<p>frame</p>')
    return html(`<link rel="stylesheet" href="/style"><link rel="icon" href="/icon"><iframe src="/frame"></iframe>
      <form><input name="user"><input type="password" name="password"><button>Sign in</button></form>`)
  }
  custom.log.length = 0
  await using window = await browser.agent([custom.host])
  for (const path of ['/a', '/b']) {
    expect(await window.agent.authorize(new URL(path, custom.origin), { ...common, act: 'stop' })).toEqual({
      kind: 'login-page',
    })
    await expect.poll(() => custom.log.length).toBe(path === '/a' ? 3 : 5)
  }
  expect([...custom.log].sort()).toEqual(['GET /a', 'GET /b', 'GET /frame', 'GET /frame', 'GET /style'])
  expect(window.budget.requests).toBe(5)
})

// Budget, throttling, failures

test('when the budget is spent, not one request more is sent', async () => {
  await using window = await browser.agent([site.host], { budget: { requestBudget: 3 } })
  site.log.length = 0
  const landing = await window.agent.authorize(site.authorize('two-step'), { ...common, act })
  expect(landing).toMatchObject({
    kind: 'failed',
    cause: 'configuration',
    variables: expect.arrayContaining(['REQUEST_BUDGET']),
    advice: expect.stringContaining('REQUEST_BUDGET'),
  })
  expect(site.log).toHaveLength(3)
})

test('a login beyond the budget is not typed', async () => {
  await using window = await browser.agent([site.host], { budget: { loginBudget: 0 } })
  site.log.length = 0
  const landing = await window.agent.authorize(site.authorize('plain'), { ...common, act })
  expect(landing).toMatchObject({
    kind: 'failed',
    cause: 'configuration',
    variables: expect.arrayContaining(['LOGIN_BUDGET']),
    advice: expect.stringContaining('LOGIN_BUDGET'),
  })
  expect(site.log.filter((line) => line.startsWith('POST'))).toEqual([])
})

test('a throttled page is requested again, not before Retry-After', async () => {
  const times: number[] = []
  answer = () => {
    times.push(Date.now())
    return times.length === 1
      ? { status: 429, headers: { 'retry-after': '1' } }
      : redirect(`${redirectUri}?code=c`)
  }
  await using window = await browser.agent([custom.host])
  redirected(await window.agent.authorize(new URL(custom.origin), { ...common, act }))
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990)
  expect(window.budget).toMatchObject({ requests: 2, throttled: 1 })
})

test('a target that goes on throttling is left alone', async () => {
  answer = () => ({ status: 429, headers: { 'retry-after': '0' } })
  custom.log.length = 0
  await using window = await browser.agent([custom.host])
  expect(await window.agent.authorize(new URL(custom.origin), { ...common, act })).toMatchObject({
    kind: 'failed',
    cause: 'throttled',
  })
  expect(custom.log).toHaveLength(4)
})

test('an unreachable target, a circle and a page that never comes are the environment', async () => {
  const gone = await startSite(() => undefined)
  await gone.close()
  answer = ({ url }) => (url.pathname === '/circle' ? redirect('/circle') : undefined)
  await using window = await browser.agent([custom.host, gone.host])
  const authorize = (url: string) => window.agent.authorize(new URL(url), { ...common, act })
  expect(await authorize(`${custom.origin}/circle`)).toMatchObject({
    cause: 'environment',
    reason: expect.stringContaining('circle'),
  })
  expect(await authorize(gone.origin)).toMatchObject({ kind: 'failed', cause: 'environment' })
})

test('a page that stays busy is given up in time', async () => {
  answer = () => html('<script>setInterval(() => { document.title = Math.random() }, 50)</script>')
  await using window = await browser.agent([custom.host], { timeoutMs: 700 })
  expect(await window.agent.authorize(new URL(custom.origin), { ...common, act })).toMatchObject({
    kind: 'failed',
    cause: 'environment',
    reason: expect.stringContaining('0.7 s'),
  })
})

test('a refusal by a page with scripts is the landing, also right after a page that was answered', async () => {
  const script = '<script>document.title = "ready"</script>'
  answer = ({ method }) =>
    method === 'POST'
      ? { ...html(`<h1>The account is locked</h1>${script}`), status: 403 }
      : html(
          `<form method="post" onsubmit="setTimeout(() => {}, 50)"><input name="username"><input type="password" name="password"><button>Sign in</button></form>${script}`,
        )
  await using window = await browser.agent([custom.host], { timeoutMs: 4000 })
  const options = { ...common, act, patient: true } as const
  expect(await window.agent.authorize(new URL(custom.origin), options)).toMatchObject({
    kind: 'page',
    status: 403,
  })
})

// Evidence

test('nothing typed, no code, state or cookie is in what was recorded', async () => {
  await using window = await browser.agent([site.host])
  const pages = ['plain', 'two-step', 'scripted', 'totp']
  const codes: string[] = []
  for (const page of pages) {
    const user = newUser()
    await using fresh = await browser.agent([site.host])
    codes.push(
      redirected(await fresh.agent.authorize(site.authorize(page), { ...common, user, act })).query.get(
        'code',
      ) ?? '',
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
  await window.agent.authorize(site.authorize('plain'), { ...common, act })
  const [first, , third] = window.exchanges
  expect(first).toMatchObject({ by: 'browser', request: { method: 'GET' }, response: { status: 302 } })
  expect(first?.curl).toContain('$STATE')
  expect(third?.request).toMatchObject({ method: 'POST', body: ['user=…', 'password=…'] })
  expect(third?.response?.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/authorize\?/)
})
