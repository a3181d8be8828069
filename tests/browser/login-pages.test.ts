import { describe, expect, test } from 'vitest'
import { code, decision, denied, EverydaySite, given, isNo, login, show, signedIn } from './everyday-site.ts'
import { html, type Received, redirect } from './site.ts'

const site = new EverydaySite()

describe('login pages, as real providers show them', () => {
  test.for<[string, string]>([
    ['a button', '<form method="post" action="/go"><button>Continue as Alice</button></form>'],
    ['a link', '<a href="/go">Continue as alice@example.com</a>'],
    ['in German', '<form method="post" action="/go"><button>Als Alice fortfahren</button></form>'],
    ['in French', '<form method="post" action="/go"><button>Continuer en tant que Alice</button></form>'],
    [
      'a list of accounts',
      '<h1>Choose an account</h1><a href="/go" role="button">Alice<br>alice@example.com</a>',
    ],
  ])('the session of the user is continued: %s', async ([, control]) => {
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

  test.for<[string, string]>([
    ['a link', '<a href="/login">Sign in</a>'],
    ['a link, among others', '<a href="/help">Help</a> <a href="/login">» Log in</a>'],
    ['a button in German', '<form action="/login"><button>Anmelden</button></form>'],
  ])('a welcome page leads to the login page: %s', async ([, control]) => {
    const landing = await site.land({
      '/authorize': show(`<h1>Welcome</h1>${control}`),
      '/login': ({ method }: Received) => (method === 'GET' ? html(login) : redirect(code)),
    })
    expect(landing).toMatchObject({ kind: 'redirect', location: code })
  })

  test('a welcome page leads on again', async () => {
    const landing = await site.land({
      '/authorize': show('<h1>Welcome</h1><a href="/more">Sign in</a>'),
      '/more': show('<h1>Welcome</h1><a href="/go">Sign in</a>'),
      '/go': () => redirect(code),
    })
    expect(landing).toMatchObject({ kind: 'redirect', location: code })
  })

  test('after a cancelled login, a page with a link to the login page is the end', async () => {
    const landing = await site.land(
      {
        '/authorize': show('<h1>Sign in</h1><input type="password"><a href="/no">Cancel</a>'),
        '/no': show('<h1>Cancelled</h1><a href="/authorize">Sign in</a>'),
      },
      { act: 'cancel' },
    )
    expect(landing).toMatchObject({ kind: 'page', hasLinks: true })
  })

  test('an error page with a link to the login page is the end', async () => {
    const landing = await site.land({
      '/authorize': () => ({ ...html('<h1>Error</h1><a href="/login">Sign in</a>'), status: 400 }),
    })
    expect(landing).toMatchObject({ kind: 'page', status: 400 })
  })

  const withLink = (field: string, more: string) =>
    `<form method="post" action="/login"><label>E-mail <input name="u" type="email"></label>${field}${more}</form>`

  test.for<[string, string]>([
    [
      'next to a password',
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
      '/login': (request) =>
        request.form.has('a') ? html('<p>Check your mail</p>') : signedIn(code)(request),
    })
    expect(landing).toMatchObject({ kind: 'redirect', location: code })
    expect(site.posted).toHaveLength(1)
  })

  test.for<[string, string]>([
    [
      'next to the password',
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
      'an offer of a passkey',
      '<h1>Sign in faster next time</h1><p>Create a passkey</p>',
      decision('Continue', 'Maybe later'),
    ],
    [
      'a passkey to create',
      '<h1>Create a passkey?</h1>',
      decision('Create a passkey', 'Continue without a passkey'),
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
      'has the question and Cancel next to the fields',
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

  test('the test user never continues as a guest', async () => {
    const landing = await site.land({
      '/authorize': show('<h1>Welcome</h1><a href="/guest" role="button">Proceed as guest</a>'),
    })
    expect(landing).toMatchObject({ kind: 'page', hasUnknownButtons: true })
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
})
