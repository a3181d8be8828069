import { expect, test } from 'vitest'
import {
  code,
  decision,
  denied,
  EverydaySite,
  given,
  isNo,
  isYes,
  login,
  show,
  signedIn,
} from './everyday-site.ts'
import { html, type Received, redirect } from './site.ts'

// Pages that real providers show on the way to a code, each as a small site.

const site = new EverydaySite()

test('consent with scopes to tick, and a confirmation after it', async () => {
  const box = (name: string, value: string, label: string, more = '') =>
    `<label><input type="checkbox" name="${name}" value="${value}" ${more}> ${label}</label>`
  const landing = await site.land({
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
  expect(site.posted.slice(1)).toEqual(['/consent grant=email,grant=profile,a=yes', '/confirm a=yes'])
  expect(site.posted[0]).not.toContain('remember')
})

test('consent whose boxes say nothing is ticked once it has come again without them', async () => {
  const landing = await site.land({
    '/authorize': ({ method, form }) =>
      method === 'POST' && isYes(form) && form.get('first') === 'on'
        ? redirect(code)
        : html(`<h1>Access</h1><form method="post">
            <label><input type="checkbox" name="first"> Where you live</label>
            <label><input type="checkbox" name="ads"> Tell me about offers</label>
            ${decision('Allow', 'Deny')}</form>`),
  })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
  expect(site.posted).toEqual(['/authorize a=yes', '/authorize first=on,a=yes'])
})

const option = (value: string, label: string, more = '') =>
  `<tr><td><input type="radio" name="trust" value="${value}" id="${value}" ${more}></td><td>${label}</td></tr>`
/** A decision of radio buttons, on a page that can also search the help. */
const options = (...rows: string[]) =>
  show(`<h1>Consent</h1><form action="/help"><input name="q"><input type="submit" value="Search"></form>
    <form method="post" action="/go"><table>${rows.join('')}</table><input type="submit" value="Submit"></form>`)

test.for<[string, string[], string]>([
  [
    'with labels',
    [
      option('forever', '<label for="forever">Permit always</label>'),
      option('once', '<label for="once">Permit this time</label>'),
      option('never', '<label for="never">Deny</label>', 'checked'),
    ],
    'once',
  ],
  ['without labels', [option('Deny', 'I refuse'), option('Allow', 'I allow it')], 'Allow'],
])('a decision by radio button is accepted: %s', async ([, rows, chosen]) => {
  const landing = await site.land({ '/authorize': options(...rows), '/go': () => redirect(code) })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
  expect(site.posted).toEqual([`/go trust=${chosen}`])
})

test('a decision by radio button is refused', async () => {
  const rows = [option('Permit', 'Permit', 'checked'), option('Deny', 'Deny')]
  const pages = { '/authorize': options(...rows), '/go': () => redirect(denied) }
  expect(await site.land(pages, { act: 'cancel' })).toMatchObject({ kind: 'redirect', location: denied })
  expect(site.posted).toEqual(['/go trust=Deny'])
})

test.for(['<fieldset><legend>Newsletter</legend>', '<h2>Stay signed in?</h2><fieldset>'])(
  'radio buttons that a login does not need stay as they are: %s',
  async (start) => {
    const rows =
      option('yes', '<label for="yes">Yes</label>') + option('no', '<label for="no">No</label>', 'checked')
    const landing = await site.land({
      '/authorize': show(`<form method="post" action="/go">${start}<table>${rows}</table></fieldset>
      <button>Continue</button></form>`),
      '/go': () => redirect(code),
    })
    expect(landing).toMatchObject({ kind: 'redirect', location: code })
    expect(site.posted).toEqual(['/go trust=no'])
  },
)

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
  const landing = await site.land({
    '/authorize': show(`<h1>Welcome back</h1>${control}<p><a href="/other">Use another account</a></p>`),
    '/go': () => redirect(code),
  })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
})

test('an account of another user is not chosen', async () => {
  const before = site.log.length
  const landing = await site.land({
    '/authorize': show(`<h1>Choose an account</h1><a href="/bob" role="button">Bob<br>bob@example.com</a>
      <a href="/login" role="button">Use another account</a>`),
  })
  expect(landing).toMatchObject({ kind: 'page', hasUnknownButtons: true })
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
  const landing = await site.land({
    '/authorize': show(page),
    '/with-password': show(login),
    '/login': (request) => (request.form.has('a') ? html('<p>Check your mail</p>') : signedIn(code)(request)),
  })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
  expect(site.posted).toHaveLength(1)
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
  const landing = await site.land({
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
  const landing = await site.land({
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
  expect(site.posted[1]).toBe('/offer a=no')
})

test.for<[string, string]>([
  [
    'sends what is typed by another name',
    withLink('<input name="p" type="password">', '<button>Log in with e-mail</button>'),
  ],
  [
    'has the question and Cancel beside the fields',
    `<h1>Remember this device?</h1>${login}<button onclick="location.href='/no'">Cancel</button>`,
  ],
])('a login page is not mistaken for another one if it %s', async ([, page]) => {
  const landing = await site.land({
    '/authorize': show(page),
    '/login': signedIn(code),
    '/no': () => redirect(denied),
  })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
})

test('a consent button that names another party gives consent', async () => {
  const landing = await site.land({
    '/authorize': show(
      `<form method="post" action="/go">${decision('Zustimmen und mit Example fortfahren', 'Ablehnen')}</form>`,
    ),
    '/go': given(isYes, code),
  })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
})

test('the test user never continues as a guest', async () => {
  const landing = await site.land({
    '/authorize': show('<h1>Welcome</h1><a href="/guest" role="button">Proceed as guest</a>'),
  })
  expect(landing).toMatchObject({ kind: 'page', hasUnknownButtons: true })
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
  const landing = await site.land({
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
  const landing = await site.land({ '/authorize': show(login.replace('<button>', `${captcha}<button>`)) })
  expect(landing).toMatchObject({
    kind: 'failed',
    cause: 'configuration',
    reason: 'the login page has a captcha',
    variables: ['TEST_USER'],
    advice: expect.stringContaining('without a captcha'),
  })
  expect(site.posted).toEqual([])
})

test('an invisible captcha does not matter', async () => {
  const badge = '<div class="g-recaptcha" data-size="invisible" data-sitekey="k"></div>'
  const landing = await site.land({ '/authorize': show(login + badge), '/login': signedIn(code) })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
})
