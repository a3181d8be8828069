import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { redirectUri, user } from './login-site.ts'
import { type Answer, html, type Received, redirect, type Site, startSite } from './site.ts'
import { TestBrowser } from './test-browser.ts'

// A target that throttles a page of a login, or is unavailable for a moment: the page waits, and the login goes on.

const landing = `${redirectUri}?code=c`
const form =
  '<form method="post" action="/login"><input name="user"><input type="password" name="password"><button>Sign in</button></form>'
const scripted = `${form}<script>
  document.forms[0].onsubmit = async (event) => {
    event.preventDefault()
    const response = await fetch('/login', { method: 'POST', body: new URLSearchParams(new FormData(event.target)) })
    document.body.innerHTML = '<p>' + response.status + '</p>'
    if (response.ok) location = await response.text()
  }</script>`
const heavy = `${Array.from({ length: 15 }, (_, each) => `<script src="/heavy/${each}.js"></script>`).join('')}${form}`
const built = '<div id="app"></div><script src="/app.js"></script>'

let site: Site
let browser: TestBrowser
/** How often, with which status and on which path the site refuses. */
let refusal: { times: number; status: number; path: string; retryAfter?: string }
let page: string
/** Scripts of the page "heavy" that the site has throttled. */
let throttledScripts: Set<string>
/** When each request arrived, by method and path. */
let arrivals: { readonly what: string; readonly at: number }[]
let submitted: string[]

function answer({ method, url, form: members }: Received): Answer | undefined {
  const { pathname } = url
  arrivals.push({ what: `${method} ${pathname}`, at: Date.now() })
  if (pathname === '/login') submitted.push(members.get('password') ?? '')
  if (pathname === refusal.path && refusal.times > 0) {
    refusal.times -= 1
    const { status, retryAfter } = refusal
    return { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter }, body: 'Later' }
  }
  if (pathname === '/login') return page === scripted ? { body: landing } : redirect(landing)
  if (pathname.startsWith('/heavy/') && !throttledScripts.has(pathname)) {
    throttledScripts.add(pathname)
    return { status: 429, headers: { 'retry-after': '1' }, body: 'Later' }
  }
  if (pathname === '/app.js')
    return { headers: { 'content-type': 'text/javascript' }, body: `app.innerHTML = ${JSON.stringify(form)}` }
  return html(page)
}

beforeAll(async () => {
  site = await startSite(answer)
  browser = await TestBrowser.start([site.host])
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})
beforeEach(() => {
  arrivals = []
  site.log.length = 0
  submitted = []
  throttledScripts = new Set()
})

const pages = { form, scripted, built }

test.each([
  ['form', '/login', 429],
  ['form', '/login', 503],
  ['form', '/', 429],
  ['scripted', '/login', 429],
  ['scripted', '/login', 503],
  ['built', '/app.js', 429],
] as const)('the page "%s" waits if the response of %s is %i', async (name, path, status) => {
  page = pages[name]
  refusal = { times: 2, status, path, retryAfter: '1' }
  await using window = await browser.agent([site.host], { timeoutMs: 1800 })
  const landed = await window.agent.authorize(new URL(site.origin), { redirectUri, user, act: 'sign-in' })
  expect(landed).toMatchObject({ kind: 'redirect', location: landing })
  const times = arrivals.filter(({ what }) => what.endsWith(` ${path}`)).map(({ at }) => at)
  expect(times).toHaveLength(3)
  for (const [index, at] of times.slice(1).entries())
    expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(990)
  expect(submitted.every((password) => password === user.password)).toBe(true)
  expect(window.budget).toMatchObject({
    requests: site.log.length,
    logins: 1,
    throttled: status === 429 ? 2 : 0,
  })
  const statuses = window.exchanges.map(({ response }) => response?.status)
  expect(statuses.filter((each) => each === status)).toHaveLength(2)
  expect(statuses).not.toContain(307)
})

test.each([
  [429, '1', 4, 'throttled'],
  [503, '1', 4, 'environment'],
  [429, '3600', 1, 'throttled'],
  [502, '0', 1, 'environment'],
] as const)(
  'a login with the response %i and Retry-After %s is sent %i times',
  async (status, retryAfter, sent, cause) => {
    page = form
    refusal = { times: 100, status, path: '/login', retryAfter }
    await using window = await browser.agent([site.host])
    const landed = await window.agent.authorize(new URL(site.origin), { redirectUri, user, act: 'sign-in' })
    expect(landed).toMatchObject({ kind: 'failed', cause })
    expect(submitted).toHaveLength(sent)
  },
)

test('a page that was requested again is not redirected', async () => {
  page = '<p>Sorry</p>'
  refusal = { times: 1, status: 429, path: '/', retryAfter: '1' }
  await using window = await browser.agent([site.host])
  const landed = await window.agent.authorize(new URL(site.origin), { redirectUri, user, act: 'sign-in' })
  expect(landed).toMatchObject({ kind: 'page', status: 200, redirects: [] })
})

test('a page that is always throttled is requested four times', async () => {
  refusal = { times: 100, status: 429, path: '/', retryAfter: '0' }
  await using window = await browser.agent([site.host])
  const landed = await window.agent.authorize(new URL(site.origin), { redirectUri, user, act: 'sign-in' })
  expect(landed).toMatchObject({ kind: 'failed', cause: 'throttled' })
  expect(site.log).toHaveLength(4)
})

test('a page with many scripts that are all throttled waits once, and then loads one at a time', async () => {
  page = heavy
  refusal = { times: 0, status: 429, path: '' }
  await using window = await browser.agent([site.host])
  const landed = await window.agent.authorize(new URL(site.origin), { redirectUri, user, act: 'sign-in' })
  expect(landed).toMatchObject({ kind: 'redirect', location: landing })
  expect(window.budget).toMatchObject({ requests: site.log.length, logins: 1, throttled: 15 })
  const scripts = arrivals.filter(({ what }) => what.startsWith('GET /heavy/')).map(({ at }) => at)
  expect(scripts).toHaveLength(30)
  const retried = scripts.slice(15)
  expect((retried[0] ?? 0) - (scripts[0] ?? 0)).toBeGreaterThanOrEqual(990)
  expect((retried.at(-1) ?? 0) - (retried[0] ?? 0)).toBeGreaterThanOrEqual(700)
})
