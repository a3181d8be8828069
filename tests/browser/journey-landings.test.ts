import { describe, expect, test } from 'vitest'
import { act, common, JourneySites, redirected } from './journey-sites.ts'
import { user } from './login-site.ts'
import { html, redirect, startSite } from './site.ts'

const sites = new JourneySites()

const page = (status: number, mediaType: string) => ({
  kind: 'page',
  status,
  mediaType,
  redirects: [],
  hasUnknownButtons: false,
  hasLinks: false,
  dynamic: false,
})

describe('the landing of a journey', () => {
  test('has an error in the query if there is no session', async () => {
    await using window = await sites.browser.agent([sites.login.host])
    const landing = redirected(
      await window.agent.authorize(sites.login.authorize('plain', { prompt: 'none' }), {
        ...common,
        act: 'stop',
      }),
    )
    expect(landing).toMatchObject({ status: 302, interactive: false })
    expect(landing.query.get('error')).toBe('login_required')
  })

  test.for([
    ['fragment', 302],
    ['script', 200],
    ['refresh', 200],
    ['form_post', 200],
  ] as const)('may be a response by %s', async ([by, status]) => {
    await using window = await sites.browser.agent([sites.login.host])
    const landing = redirected(
      await window.agent.authorize(sites.login.authorize('plain', { prompt: 'none', by }), {
        ...common,
        act: 'stop',
      }),
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
  ])('is a redirect to %s, which is not followed', async (uri) => {
    await using window = await sites.browser.agent([sites.login.host])
    for (const by of ['query', 'script']) {
      const url = sites.login.authorize('plain', { prompt: 'none', redirect_uri: uri, by })
      const landing = redirected(await window.agent.authorize(url, { redirectUri: uri, act: 'stop' }))
      expect(landing.location.startsWith(uri)).toBe(true)
      expect(landing.query.get('error')).toBe('login_required')
    }
    expect(window.budget.requests).toBe(2)
  })

  test('ends the search in the page that stays open', async () => {
    await using window = await sites.browser.agent([sites.login.host])
    redirected(
      await window.agent.authorize(sites.login.authorize('plain'), { ...common, user, act: 'sign-in' }),
    )
    const open = sites.browser.browser.contexts().flatMap((context) => context.pages())
    const page = open.find((candidate) => candidate.url().startsWith(sites.login.origin))
    const looks = await page?.evaluate(async () => {
      let count = 0
      const { querySelector } = document
      document.querySelector = (selector: string) => {
        count += 1
        return querySelector.call(document, selector)
      }
      await new Promise((resolve) => setTimeout(resolve, 200))
      return count
    })
    expect(looks).toBe(0)
  })

  test('is a redirect URI on the target itself, which is not loaded either', async () => {
    await using window = await sites.browser.agent([sites.login.host])
    sites.login.log.length = 0
    const uri = `${sites.login.origin}/callback`
    const landing = redirected(
      await window.agent.authorize(sites.login.authorize('plain', { prompt: 'none', redirect_uri: uri }), {
        redirectUri: uri,
        act: 'stop',
      }),
    )
    expect(landing.query.get('error')).toBe('login_required')
    expect(sites.login.log).toEqual(['GET /authorize'])
  })

  test.for([
    ['/status?code=400', page(400, 'text/html')],
    ['/status?code=200', page(200, 'text/html')],
    ['/status?code=404', page(404, 'text/html')],
    ['/empty', page(400, 'text/html')],
    ['/json', page(400, 'application/json')],
    ['/status?code=500', { kind: 'failed', cause: 'environment', reason: expect.stringContaining('500') }],
  ] as const)('is the page %s, unless that is a failure of the target', async ([path, expected]) => {
    await using window = await sites.browser.agent([sites.login.host])
    expect(await window.agent.authorize(new URL(path, sites.login.origin), { ...common, act })).toEqual(
      expected,
    )
  })

  test('has the statuses of the redirects before it, without retries of a throttled request', async () => {
    const steps: Readonly<Record<string, string>> = { '/start': '/gate', '/gate': '/page', '/leave': '/away' }
    let throttled = 1
    sites.answer = ({ url: { pathname, searchParams } }) => {
      if (pathname === '/gate' && throttled-- > 0) return { status: 429, headers: { 'retry-after': '0' } }
      const to = pathname === '/away' ? `${common.redirectUri}?error=access_denied` : steps[pathname]
      const status = Number(pathname === '/gate' ? 303 : (searchParams.get('status') ?? 302))
      return to === undefined ? { ...html('<p>Refused</p>'), status: 404 } : { ...redirect(to), status }
    }
    await using window = await sites.browser.agent([sites.custom.host])
    const land = (path: string) =>
      window.agent.authorize(new URL(path, sites.custom.origin), { ...common, act: 'stop' })
    expect(await land('/start?status=307')).toMatchObject({
      kind: 'page',
      status: 404,
      redirects: [307, 303],
    })
    expect(await land('/leave?status=303')).toMatchObject({ kind: 'redirect', status: 302, redirects: [303] })
    expect(await land('/away')).toMatchObject({ kind: 'redirect', status: 302, redirects: [] })
  })

  test('is the refusal of a page with scripts, also immediately after a submitted page', async () => {
    const script = '<script>document.title = "ready"</script>'
    sites.answer = ({ method }) =>
      method === 'POST'
        ? { ...html(`<h1>The account is locked</h1>${script}`), status: 403 }
        : html(
            `<form method="post" onsubmit="setTimeout(() => {}, 50)"><input name="username"><input type="password" name="password"><button>Sign in</button></form>${script}`,
          )
    await using window = await sites.browser.agent([sites.custom.host], { timeoutMs: 4000 })
    const options = { ...common, act, mustReturn: true } as const
    expect(await window.agent.authorize(new URL(sites.custom.origin), options)).toMatchObject({
      kind: 'page',
      status: 403,
    })
  })

  test('names another host that the page needs', async () => {
    sites.answer = () => html(`<input name="riddle"><script src="${sites.other.origin}/app.js"></script>`)
    await using window = await sites.browser.agent([sites.custom.host])
    const landing = await window.agent.authorize(new URL(sites.custom.origin), { ...common, act })
    expect(landing).toMatchObject({ kind: 'failed', reason: expect.stringContaining(sites.other.host) })
  })

  test('is a failure of the environment if the target is unreachable or redirects in a loop', async () => {
    const gone = await startSite(() => undefined)
    await gone.close()
    sites.answer = ({ url }) => (url.pathname === '/circle' ? redirect('/circle') : undefined)
    await using window = await sites.browser.agent([sites.custom.host, gone.host])
    const authorize = (url: string) => window.agent.authorize(new URL(url), { ...common, act })
    expect(await authorize(`${sites.custom.origin}/circle`)).toMatchObject({
      cause: 'environment',
      reason: expect.stringContaining('loop'),
    })
    expect(await authorize(gone.origin)).toMatchObject({ kind: 'failed', cause: 'environment' })
  })

  test('is a failure of the environment if a page stays busy until the time limit', async () => {
    sites.answer = () => html('<script>setInterval(() => { document.title = Math.random() }, 50)</script>')
    await using window = await sites.browser.agent([sites.custom.host], { timeoutMs: 700 })
    expect(await window.agent.authorize(new URL(sites.custom.origin), { ...common, act })).toMatchObject({
      kind: 'failed',
      cause: 'environment',
      reason: expect.stringContaining('0.7 s'),
    })
  })
})
