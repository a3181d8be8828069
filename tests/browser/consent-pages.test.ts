import { describe, expect, test } from 'vitest'
import { code, decision, denied, EverydaySite, given, isYes, login, show, signedIn } from './everyday-site.ts'
import { html, type Received, redirect } from './site.ts'

const site = new EverydaySite()

describe('consent and terms pages, as real providers show them', () => {
  test('scopes are ticked, and a confirmation after them is given', async () => {
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

  test('boxes that state nothing are ticked once the page appears again without them', async () => {
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
    'radio buttons that a login does not need remain unchanged: %s',
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

  test('a consent button that names another party gives consent', async () => {
    const landing = await site.land({
      '/authorize': show(
        `<form method="post" action="/go">${decision('Zustimmen und mit Example fortfahren', 'Ablehnen')}</form>`,
      ),
      '/go': given(isYes, code),
    })
    expect(landing).toMatchObject({ kind: 'redirect', location: code })
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
    [
      'a button that waits until they have been read',
      `<div id="t" style="height:60px;overflow:auto" onscroll="b.disabled = t.scrollTop + t.clientHeight < t.scrollHeight - 2">
        <div style="height:900px">A long text</div></div>${terms('<button id="b" name="a" value="yes" disabled>Accept</button>')}`,
    ],
  ])('terms are accepted, and nothing else: %s', async ([, page]) => {
    const landing = await site.land({
      '/authorize': show(login),
      '/login': signedIn('/terms'),
      '/terms': ({ method, form }) =>
        method === 'GET'
          ? html(page)
          : given((of) => isYes(of) && !of.has('ads'), code)({ form } as Received),
    })
    expect(landing).toMatchObject({ kind: 'redirect', location: code })
  })
})
