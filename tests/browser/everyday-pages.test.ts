import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { UserAgent } from '../../src/browser/index.ts'
import { type Answer, html, type Received, redirect, type Site, startSite } from './site.ts'
import { TestBrowser } from './test-browser.ts'

// Pages that real providers show on the way to a code, each as a small site.

const redirectUri = 'https://app.invalid/callback'
const code = `${redirectUri}?code=canary&state=1`
const denied = `${redirectUri}?error=access_denied&state=1`
const user = { name: 'alice@example.com', password: 'canary-password-4417' }
const scope = 'openid email profile'

let pages: Readonly<Record<string, (request: Received) => Answer>>
let posted: string[]
let site: Site
let browser: TestBrowser
beforeAll(async () => {
  site = await startSite((request) => {
    const { pathname } = request.url
    if (request.method === 'POST')
      posted.push(`${pathname} ${[...request.form].map((pair) => pair.join('='))}`)
    return pages[pathname]?.(request)
  })
  browser = await TestBrowser.start([site.host])
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})
beforeEach(() => {
  posted = []
})

async function land(
  of: Readonly<Record<string, (request: Received) => Answer>>,
  options: Partial<Parameters<UserAgent['authorize']>[1]> = {},
) {
  pages = of
  await using window = await browser.agent([site.host])
  const url = new URL(`/authorize?${new URLSearchParams({ scope })}`, site.origin)
  return await window.agent.authorize(url, { redirectUri, user, act: 'sign-in', ...options })
}

const show = (body: string) => () => html(body)
const login = `<form method="post" action="/login"><label>E-mail <input name="u" autocomplete="username"></label>
  <label>Password <input name="p" type="password"></label>
  <label><input type="checkbox" name="remember"> Remember me</label><button>Sign in</button></form>`
/** The test user goes on at a page, any other user at none. */
const signedIn =
  (next: string) =>
  ({ form }: Received): Answer =>
    form.get('u') === user.name && form.get('p') === user.password
      ? redirect(next)
      : { status: 401, body: 'no' }
/** Goes on where a form is as expected. */
const given =
  (isRight: (form: URLSearchParams) => boolean, next: string, otherwise = denied) =>
  ({ form }: Received): Answer =>
    redirect(isRight(form) ? next : otherwise)

const decision = (yes: string, no: string) =>
  `<button name="a" value="no">${no}</button> <button name="a" value="yes">${yes}</button>`
const isYes = (form: URLSearchParams) => form.get('a') === 'yes'
const isNo = (form: URLSearchParams) => form.get('a') === 'no'

test('consent with scopes to tick, and a confirmation after it', async () => {
  const box = (name: string, value: string, label: string, more = '') =>
    `<label><input type="checkbox" name="${name}" value="${value}" ${more}> ${label}</label>`
  const landing = await land({
    '/authorize': show(login),
    '/login': signedIn('/consent'),
    '/consent': ({ method, form }) =>
      method === 'GET'
        ? html(`<h1>Example Shop asks for access</h1><form method="post">
            ${box('grant', 'openid', 'Your identity', 'checked disabled')}
            ${box('grant', 'email', 'Your e-mail address')} ${box('grant', 'profile', 'Your name')}
            ${box('news', 'on', 'Send me the newsletter')}
            ${decision('Allow', 'Deny')}</form>`)
        : redirect(isYes(form) ? '/confirm' : denied),
    '/confirm': ({ method, form }) =>
      method === 'GET'
        ? html(`<h1>Check what you share</h1><form method="post">${decision('Confirm', 'Back')}</form>`)
        : redirect(isYes(form) ? code : denied),
  })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
  expect(posted.slice(1)).toEqual(['/consent grant=email,grant=profile,a=yes', '/confirm a=yes'])
  expect(posted[0]).not.toContain('remember')
})

test('consent whose boxes say nothing is ticked once it has come again without them', async () => {
  const landing = await land({
    '/authorize': ({ method, form }) =>
      method === 'POST' && isYes(form) && form.get('first') === 'on'
        ? redirect(code)
        : html(`<h1>Access</h1><form method="post">
            <label><input type="checkbox" name="first"> Where you live</label>
            <label><input type="checkbox" name="ads"> Tell me about offers</label>
            ${decision('Allow', 'Deny')}</form>`),
  })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
  expect(posted).toEqual(['/authorize a=yes', '/authorize first=on,a=yes'])
})

test.for<[string, string]>([
  ['a button', '<form method="post" action="/go"><button>Continue as Alice</button></form>'],
  ['a link', '<a href="/go">Continue as alice@example.com</a>'],
  ['in German', '<form method="post" action="/go"><button>Als Alice fortfahren</button></form>'],
  ['in French', '<form method="post" action="/go"><button>Continuer en tant que Alice</button></form>'],
  [
    'a list of accounts',
    '<h1>Choose an account</h1><a href="/go" role="button">Alice<br>alice@example.com</a>',
  ],
])('goes on with the session of the user: %s', async ([, control]) => {
  const landing = await land({
    '/authorize': show(`<h1>Welcome back</h1>${control}<p><a href="/other">Use another account</a></p>`),
    '/go': () => redirect(code),
  })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
})

test('an account of another user is not chosen', async () => {
  const before = site.log.length
  const landing = await land({
    '/authorize': show(`<h1>Choose an account</h1><a href="/bob" role="button">Bob<br>bob@example.com</a>
      <a href="/login" role="button">Use another account</a>`),
  })
  expect(landing).toMatchObject({ kind: 'page', asks: true })
  expect(site.log.slice(before)).toEqual(['GET /authorize'])
})

const withLink = (field: string, more: string) =>
  `<form method="post" action="/login"><label>E-mail <input name="u" type="email"></label>${field}${more}</form>`

test.for<[string, string]>([
  [
    'beside a password',
    withLink(
      '<button name="a" value="mail">E-mail me a link</button><input name="p" type="password">',
      '<button>Log in</button>',
    ),
  ],
  [
    'first, with a link to the password',
    `${withLink('', '<button name="a" value="mail">Send me a sign-in link</button>')}<a href="/with-password">Sign in with a password instead</a>`,
  ],
  [
    'first, with a button to the password',
    withLink(
      '',
      `<button name="a" value="mail">Get a code by e-mail</button>
      <button type="button" onclick="location.href='/with-password'">Use password</button>`,
    ),
  ],
])('a login link by e-mail is not requested: %s', async ([, page]) => {
  const landing = await land({
    '/authorize': show(page),
    '/with-password': show(login),
    '/login': (request) => (request.form.has('a') ? html('<p>Check your mail</p>') : signedIn(code)(request)),
  })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
  expect(posted).toHaveLength(1)
})

test.for<[string, string]>([
  [
    'beside the password',
    login.replace('<label>Pass', '<button type="submit" name="key">Use a passkey</button><label>Pass'),
  ],
  [
    'as another way',
    '<h1>Use your passkey</h1><button>Continue with passkey</button><a href="/login">Use password instead</a>',
  ],
  [
    'before a list of ways',
    '<h1>Waiting for your security key…</h1><button disabled>Try again</button> <button onclick="location.href=\'/ways\'">Try another way</button>',
  ],
])('a passkey is not used: %s', async ([, page]) => {
  const landing = await land({
    '/authorize': show(page),
    '/ways': show(
      '<h1>Choose how to sign in</h1><a href="/mail">Get a link by e-mail</a><a href="/login">Enter your password</a>',
    ),
    '/login': (request) =>
      request.form.has('key')
        ? redirect(denied)
        : request.method === 'GET'
          ? html(login)
          : signedIn(code)(request),
  })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
})

test.for<[string, string, string]>([
  ['stay signed in', '<h1>Stay signed in?</h1>', decision('Yes', 'No')],
  ['stay signed in, in German', '<h1>Angemeldet bleiben?</h1>', decision('Ja', 'Nein')],
  ['trust this device', '<h1>Trust this device?</h1>', decision('Trust', 'Not now')],
  [
    'a passkey to make',
    '<h1>Sign in faster next time</h1><p>Create a passkey</p>',
    decision('Continue', 'Maybe later'),
  ],
  ['a telephone number to add', '<h1>Add a recovery phone</h1>', decision('Add', 'Skip')],
])('an offer that changes the account is declined: %s', async ([, heading, buttons]) => {
  const landing = await land({
    '/authorize': show(login),
    '/login': signedIn('/offer'),
    '/offer': ({ method, form }) =>
      method === 'GET'
        ? html(
            `${heading}<form method="post"><label><input type="checkbox" name="never"> Do not ask again</label>${buttons}</form>`,
          )
        : given(isNo, code)({ form } as Received),
  })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
  expect(posted[1]).toBe('/offer a=no')
})

const terms = (rest: string) =>
  `<h1>Our terms have changed</h1><form method="post"><label><input type="checkbox" name="ads"> Send me offers</label>${rest}</form>`

test.for<[string, string]>([
  ['buttons alone', terms(decision('I agree', 'I do not agree'))],
  [
    'a box that is required',
    terms(
      `<label><input type="checkbox" name="t" required> I accept the terms</label>${decision('Continue', 'Cancel')}`,
    ),
  ],
  [
    'a button that waits for a box',
    terms(`<label><input type="checkbox" name="t" onchange="b.disabled = !this.checked"> I have read the terms of use</label>
      <button id="b" name="a" value="yes" disabled>Next</button>`),
  ],
])('terms are accepted, and nothing else: %s', async ([, page]) => {
  const landing = await land({
    '/authorize': show(login),
    '/login': signedIn('/terms'),
    '/terms': ({ method, form }) =>
      method === 'GET' ? html(page) : given((of) => isYes(of) && !of.has('ads'), code)({ form } as Received),
  })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
})

test.for<[string, string]>([
  ['reCAPTCHA', '<div class="g-recaptcha" data-sitekey="k"></div>'],
  ['hCaptcha', '<div class="h-captcha" data-sitekey="k"></div>'],
  ['Turnstile', '<div class="cf-turnstile" data-sitekey="k"></div>'],
  [
    'characters of a picture',
    '<img alt="Captcha" src="data:,"><label>Type the characters <input name="captcha"></label>',
  ],
])('a captcha ends the login before a password is typed: %s', async ([, captcha]) => {
  const landing = await land({ '/authorize': show(login.replace('<button>', `${captcha}<button>`)) })
  expect(landing).toMatchObject({
    kind: 'failed',
    cause: 'configuration',
    reason: 'the login page has a captcha',
    variables: ['TEST_USER'],
    advice: expect.stringContaining('without a captcha'),
  })
  expect(posted).toEqual([])
})

test('an invisible captcha does not matter', async () => {
  const badge = '<div class="g-recaptcha" data-size="invisible" data-sitekey="k"></div>'
  const landing = await land({ '/authorize': show(login + badge), '/login': signedIn(code) })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
})

test('a page that is not recognised is described, with steps that would probably do', async () => {
  const seen: string[] = []
  const landing = await land(
    {
      '/authorize':
        show(`<h1>Hello Alice</h1><p>secret text</p><form method="post"><label>Who? <input name="x1" value="canary"></label>
        <label>Proof? <input name="x2"></label><button>Open sesame</button></form><a href="/help">alice@example.com</a>`),
    },
    { onStuck: async (page) => void seen.push(page.url()) },
  )
  expect(landing).toMatchObject({
    kind: 'failed',
    reason:
      'no login form recognised on the page; the page shows headings "t", "Hello …"; fields "Who?", "Proof?"; button "Open sesame"; link "…"',
    advice: expect.stringMatching(
      /docs\/login-recipes\.md\), probably with \{"do":"fill","at":\{"label":"Who\?"\},"value":"username"\}, .*"Open sesame"\}\}$/,
    ),
  })
  expect(seen).toEqual([expect.stringContaining('/authorize')])
})

test('a page with buttons that nothing names is described where the request has to come back', async () => {
  const page = { '/authorize': show('<h1>Däl</h1><button>Dälön</button>') }
  expect(await land(page, { patient: true })).toMatchObject({
    kind: 'page',
    description: {
      shown: 'headings "t", "Däl"; button "Dälön"',
      steps: [{ do: 'click', at: { role: 'button', name: 'Dälön' } }],
    },
  })
  expect(await land(page)).not.toHaveProperty('description')
})

const names = [
  ...[
    'Cancel',
    'Abort',
    'Not now',
    'Deny',
    'Refuse',
    'No thanks',
    'Decline',
    'Back',
    'Go back',
    'Exit',
    'Leave',
  ],
  ...[
    'Zurück',
    'Zurueck',
    'Abbrechen',
    'Nicht jetzt',
    'Nein, danke',
    'Annuler',
    'Refuser',
    'Retour',
    'Rechazar',
  ],
  ...[
    'Volver',
    'Ahora no',
    'Annulla',
    'Indietro',
    'Cancelar',
    'Terug',
    'Tillbaka',
    'Takaisin',
    '× Close',
    'Return to Example Shop',
  ],
]
const forms: readonly ((name: string) => string)[] = [
  (name) => `<button name="no" formnovalidate>${name}</button>`,
  (name) => `<a href="/no">${name}</a>`,
  (name) => `<input type="submit" name="no" value="${name}" formnovalidate>`,
  (name) => `<a href="/no"><img src="data:," alt="${name}"></a>`,
  (name) =>
    `<button name="no" formnovalidate><img src="data:," alt="${name}" width="20" height="20"></button>`,
  (name) => `<input type="image" name="no" alt="${name}" formnovalidate>`,
  (name) => `<a href="/no" title="${name}"><svg width="20" height="20"></svg></a>`,
]

test.for(
  names.map((name, index) => [name, forms[index % forms.length] as (name: string) => string] as const),
)('cancels with %s', async ([name, form]) => {
  const landing = await land(
    {
      '/authorize': show(
        `<a href="/help">Nothing to cancel</a><form method="post" action="/login"><input name="u"><input name="p" type="password"><button>Sign in</button>${form(name)}</form><a href="/back-up">Backup codes</a>`,
      ),
      '/login': ({ form: of }) => redirect(of.has('no') || of.has('no.x') ? denied : code),
      '/no': () => redirect(denied),
    },
    { act: 'cancel' },
  )
  expect(landing).toMatchObject({ kind: 'redirect', location: denied })
})

test('cancel is preferred to back', async () => {
  const landing = await land(
    {
      '/authorize': show(
        '<a href="/back">Back</a><form method="post" action="/login"><input name="p" type="password"><button>Sign in</button><a href="/no">Cancel</a></form>',
      ),
      '/no': () => redirect(denied),
    },
    { act: 'cancel' },
  )
  expect(landing).toMatchObject({ kind: 'redirect', location: denied })
})
