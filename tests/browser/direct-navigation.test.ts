import type { BrowserContext } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DirectRequests, type Landing } from '../../src/browser/index.ts'
import { Transport } from '../../src/http/transport.ts'
import { redirectUri } from './login-site.ts'
import { type Answer, html, type Received, redirect, type Site, startSite } from './site.ts'
import { TestBrowser } from './test-browser.ts'

const landing = `${redirectUri}?code=c&state=s`

/** The requests of the site in order, and how it answers the next ones. */
let received: Received[] = []
let answers: ((request: Received) => Answer | undefined)[] = []
let site: Site
let browser: TestBrowser

beforeAll(async () => {
  site = await startSite((request) => {
    received.push(request)
    return (answers.shift() ?? (() => redirect(landing)))(request)
  })
  browser = await TestBrowser.start([site.host])
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})

/** Counts the requests that are sent without a page. */
class CountingTransport extends Transport {
  sent = 0

  override send(request: Parameters<Transport['send']>[0]): ReturnType<Transport['send']> {
    this.sent += 1
    return super.send(request)
  }
}

/** An agent whose first journey has ended at the application, and the site's record from then on. */
async function signedIn(first: Answer = redirect(landing), options: { readonly timeoutMs?: number } = {}) {
  received = []
  answers = [() => first]
  const transport = new CountingTransport(8000, undefined)
  const directRequests = new DirectRequests(transport)
  const opened = await browser.agent([site.host], { directRequests, ...options })
  const { agent, budget, exchanges } = opened
  const authorize = (path = '/authorize?state=s', act: 'stop' | 'sign-in' = 'stop'): Promise<Landing> =>
    agent.authorize(new URL(path, site.origin), { redirectUri, act })
  const [context] = browser.browser.contexts().slice(-1)
  expect(await authorize()).toMatchObject({ kind: 'redirect', status: 302 })
  expect(transport.sent).toBe(0)
  return {
    agent,
    context: context as BrowserContext,
    authorize,
    budget,
    exchanges,
    transport,
    directRequests,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      await transport.close()
    },
  }
}

describe('after a journey that ended at the application', () => {
  test('a redirect to the application takes no page', async () => {
    const date = 'Wed, 25 Nov 2026 12:00:00 GMT'
    const headers = { date, 'set-cookie': 'session=canary; HttpOnly; Path=/' }
    await using window = await signedIn(redirect(landing, headers))
    answers = [() => redirect(landing, { date })]
    expect(await window.authorize()).toMatchObject({
      kind: 'redirect',
      location: landing,
      status: 302,
      interactive: false,
    })
    expect(window.transport.sent).toBe(1)
    expect(received).toHaveLength(2)
    expect(window.budget.requests).toBe(2)
    const [page, direct] = received
    expect(direct?.cookies).toEqual({ session: 'canary' })
    expect(JSON.stringify(window.exchanges)).not.toContain('canary')
    const { cookie: _, ...sent } = direct?.headers ?? {}
    expect(sent).toEqual(page?.headers)
    const { durationMs: _first, sentAt: _at, number: _number, ...first } = window.exchanges[0] ?? {}
    expect(window.exchanges[1]).toMatchObject(first)
  })

  test('an error page without controls takes no page', async () => {
    await using window = await signedIn()
    await window.authorize()
    answers = [() => ({ ...html('<p>Invalid request</p>'), status: 400 })]
    expect(await window.authorize()).toMatchObject({ kind: 'page', status: 400, mediaType: 'text/html' })
    expect([window.transport.sent, received.length]).toEqual([2, 3])
  })

  test('the page shows any other response, without another request', async () => {
    await using window = await signedIn()
    await window.authorize()
    const form =
      '<form method="post"><input name="user"><input type="password" name="p"><button>Sign in</button></form>'
    answers = [() => html(form)]
    expect(await window.authorize()).toMatchObject({ kind: 'login-page' })
    expect([window.transport.sent, received.length, window.budget.requests]).toEqual([2, 3, 3])
    answers = [() => redirect('/login'), () => html(form)]
    expect(await window.authorize()).toMatchObject({ kind: 'login-page' })
    expect(received.slice(3).map(({ url }) => url.pathname)).toEqual(['/authorize', '/login'])
    expect(window.exchanges).toHaveLength(5)
    expect(window.exchanges.every(({ by, response }) => by === 'browser' && response !== undefined)).toBe(
      true,
    )
  })

  test.each([
    ['another value', 'session=2; Path=/', { session: '2' }],
    ['another cookie', 'other=1; Path=/', { session: '1', other: '1' }],
    ['a lifetime that has ended', 'session=1; Path=/; Max-Age=0', { '': undefined }],
    ['an expiry in the past', 'session=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT', { '': undefined }],
  ])('the browser stores a cookie with %s', async (_, cookie, sent) => {
    await using window = await signedIn(redirect(landing, { 'set-cookie': 'session=1; Path=/' }))
    answers = [() => redirect(landing, { 'set-cookie': cookie })]
    expect(await window.authorize()).toMatchObject({ kind: 'redirect' })
    await window.authorize()
    expect(received.map(({ cookies }) => cookies).at(-1)).toEqual(sent)
    expect(received).toHaveLength(3)
  })
})

describe('a target that may refuse clients without a browser', () => {
  test('whose first document is a login page receives no second request', async () => {
    await using window = await signedIn()
    answers = [
      () => html('<form><input name="user"><input type="password" name="p"><button>Sign in</button></form>'),
    ]
    expect(await window.authorize()).toMatchObject({ kind: 'login-page' })
    expect([window.transport.sent, received.length, window.directRequests.state]).toEqual([1, 2, 'untried'])
  })

  test('and refuses one later: the page repeats it, and pages send later ones', async () => {
    await using window = await signedIn()
    await window.authorize()
    answers = [() => ({ ...html('Access denied'), status: 403 })]
    expect(await window.authorize()).toMatchObject({ kind: 'redirect' })
    expect([window.transport.sent, received.length, window.directRequests.state]).toEqual([2, 4, 'off'])
  })

  test('receives the request from the page as well, and later requests from pages only', async () => {
    await using window = await signedIn()
    answers = [() => ({ ...html('Access denied'), status: 403 })]
    expect(await window.authorize()).toMatchObject({ kind: 'redirect' })
    expect(await window.authorize()).toMatchObject({ kind: 'redirect' })
    expect([window.transport.sent, received.length, window.budget.requests]).toEqual([1, 4, 4])
    expect(window.exchanges.map(({ response }) => response?.status)).toEqual([302, 403, 302, 302])
  })

  test('is not one that redirects to its own pages', async () => {
    await using window = await signedIn()
    answers = [() => redirect('/consent'), () => redirect(landing)]
    expect(await window.authorize()).toMatchObject({ kind: 'redirect' })
    expect(window.directRequests.state).toBe('untried')
    await window.authorize()
    expect([window.directRequests.state, received.length]).toEqual(['works', 4])
  })
})

describe('a response without a page is read as the browser reads it', () => {
  test.each([
    ['after', 1],
    ['before', 0],
  ])('a throttled request is sent again after Retry-After, %s another landed', async (_, landed) => {
    await using window = await signedIn()
    for (let sent = 0; sent < landed; sent += 1) await window.authorize()
    const times: number[] = []
    const note = (answer: Answer) => () => {
      times.push(Date.now())
      return answer
    }
    answers = [note({ status: 429, headers: { 'retry-after': '1' }, body: 'Later' }), note(redirect(landing))]
    expect(await window.authorize()).toMatchObject({ kind: 'redirect' })
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1000)
    expect(window.budget).toMatchObject({ requests: 3 + landed, throttled: 1 })
  })

  test.each([400, 403, 503])('throttling with %i is retried', async (status) => {
    await using window = await signedIn()
    await window.authorize()
    const headers = { 'content-type': 'application/json', 'retry-after': '0' }
    answers = [() => ({ status, headers, body: '{"error":"temporarily_unavailable"}' })]
    expect(await window.authorize()).toMatchObject({ kind: 'redirect' })
    expect(received).toHaveLength(4)
    expect(window.budget.throttled).toBe(1)
  })

  test.each([
    ['soon expires', 'session=1; Path=/; Max-Age=100'],
    ['has another path', 'session=1; Path=/other'],
    ['has other flags', 'session=1; Path=/; HttpOnly; Max-Age=100000'],
  ])('a known cookie that %s is stored by the browser', async (_, cookie) => {
    await using window = await signedIn(
      redirect(landing, { 'set-cookie': 'session=1; Path=/; Max-Age=100000' }),
    )
    answers = [() => redirect(landing, { 'set-cookie': cookie })]
    await window.authorize()
    expect(JSON.stringify(await window.context.cookies())).toMatch(
      /soon/.test(_) ? /"expires":\d{10}/ : /other|"httpOnly":true/,
    )
    expect(received).toHaveLength(2)
  })

  test('Clear-Site-Data deletes the cookies', async () => {
    await using window = await signedIn(redirect(landing, { 'set-cookie': 'session=1; Path=/' }))
    answers = [() => redirect(landing, { 'clear-site-data': '"cookies"' })]
    await window.authorize()
    await window.authorize()
    expect(received.map(({ cookies }) => cookies.session)).toEqual([undefined, '1', undefined])
  })

  test('a redirect ends with its headers', async () => {
    await using window = await signedIn()
    answers = [
      () => ({ ...redirect(landing), headers: { location: landing, 'content-length': '99' }, body: 'open' }),
    ]
    expect(await window.authorize()).toMatchObject({ kind: 'redirect', location: landing })
    expect([window.transport.sent, received.length]).toEqual([1, 2])
  })

  test('a Location may contain UTF-8', async () => {
    await using window = await signedIn()
    const location = Buffer.from(`${landing}&hint=Jürgen`).toString('latin1')
    answers = [() => redirect(location)]
    const landed = await window.authorize()
    expect(landed.kind === 'redirect' && landed.query.get('hint')).toBe('Jürgen')
  })

  test('requests have the headers of the browser only', async () => {
    await using window = await signedIn()
    const action = '/authorize?state=s'
    answers = [
      () => html(`<form method="post" action="${action}"><button>Allow access</button></form>`),
      () => redirect(landing),
    ]
    await window.authorize(action, 'sign-in')
    await window.authorize(action)
    expect(received.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'GET'])
    for (const header of ['content-type', 'origin', 'referer'])
      expect(received.at(-1)?.headers).not.toHaveProperty(header)
  })

  test('an authorization URL that is a redirect URI receives no request', async () => {
    await using window = await signedIn()
    const url = new URL('/callback', site.origin)
    const agentOptions = { redirectUri: url.href, act: 'stop' } as const
    await window.agent.authorize(url, agentOptions)
    expect(received).toHaveLength(1)
  })

  test('a page that closes ends the request at once', async () => {
    await using window = await signedIn(redirect(landing), { timeoutMs: 8000 })
    answers = [() => ({ ...redirect(landing), delayMs: 5000 })]
    const began = Date.now()
    const [landed] = await Promise.all([
      window.authorize(),
      new Promise((resolve) => setTimeout(resolve, 300)).then(() => window.context.pages()[0]?.close()),
    ])
    expect(landed).toMatchObject({ kind: 'failed' })
    expect(Date.now() - began).toBeLessThan(4000)
  })
})

describe('a request without a page', () => {
  test('that is cut off is sent by the page, and both are counted', async () => {
    await using window = await signedIn()
    answers = [() => ({ headers: { 'content-length': '99', connection: 'close' }, body: 'short' })]
    expect(await window.authorize()).toMatchObject({ kind: 'redirect' })
    expect([window.transport.sent, received.length, window.budget.requests]).toEqual([1, 3, 3])
    expect(window.exchanges[1]?.failure).toContain('cut off')
  })

  test('that is throttled, and cut off, is sent by the page after Retry-After', async () => {
    await using window = await signedIn()
    const headers = { 'retry-after': '2', 'content-length': '99', connection: 'close' }
    answers = [() => ({ status: 429, headers, body: 'short' })]
    const began = Date.now()
    expect(await window.authorize()).toMatchObject({ kind: 'redirect' })
    expect(Date.now() - began).toBeGreaterThanOrEqual(2000)
    expect(received).toHaveLength(3)
  })

  test('that receives no response ends with the time limit of the journey, and is recorded', async () => {
    await using window = await signedIn(redirect(landing), { timeoutMs: 600 })
    answers = [() => ({ ...redirect(landing), delayMs: 1500 })]
    expect(await window.authorize()).toMatchObject({ kind: 'failed', variables: ['LOGIN_TIMEOUT_SECONDS'] })
    expect(await window.authorize('/authorize?state=later')).toMatchObject({ kind: 'redirect' })
    expect(window.exchanges[1]?.failure).toBe('no response before its journey ended')
  })
})
