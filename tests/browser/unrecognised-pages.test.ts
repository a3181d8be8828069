import { expect, test } from 'vitest'
import { code, EverydaySite, login, show, signedIn } from './everyday-site.ts'
import { redirect } from './site.ts'

// Pages that Plumbline does not recognise.

const site = new EverydaySite()

test('a page that is not recognised is described, with steps that would probably do', async () => {
  const seen: string[] = []
  const landing = await site.land(
    {
      '/authorize':
        show(`<h1>Hello Alice</h1><p>secret text</p><form method="post"><label>Who? <input name="x1" value="canary"></label>
        <label>Proof? <input name="x2"></label><select aria-label="Tenant"><option>Red</option></select><button>Open sesame</button></form><a href="/help">alice@example.com</a>`),
    },
    { onStuck: async (page) => void seen.push(page.url()) },
  )
  expect(landing).toMatchObject({
    kind: 'failed',
    reason:
      'no login form recognised on the page; the page shows headings "t", "Hello …"; fields "Who?", "Proof?"; list "Tenant"; button "Open sesame"; link "…"',
    advice: expect.stringMatching(
      /docs\/login-recipes\.md\), probably with \{"do":"fill","at":\{"label":"Who\?"\},"value":"username"\}, .*"Open sesame"\}\}$/,
    ),
  })
  expect(seen).toEqual([expect.stringContaining('/authorize')])
})

test('a page with unknown buttons is described if the request has to return', async () => {
  const page = { '/authorize': show('<h1>Däl</h1><button>Dälön</button>') }
  expect(await site.land(page, { mustReturn: true })).toMatchObject({
    kind: 'page',
    description: {
      shown: 'headings "t", "Däl"; button "Dälön"',
      steps: [{ do: 'click', at: { role: 'button', name: 'Dälön' } }],
    },
  })
  expect(await site.land(page)).not.toHaveProperty('description')
})

const search = '<form action="/help"><input name="q"> <input type="submit" value="Search"></form>'

test('a search field is not part of a page that waits for the user', async () => {
  const unknown = { '/authorize': show(`${search}<h1>Däl</h1><button>Dälön</button>`) }
  expect(await site.land(unknown, { mustReturn: true })).toMatchObject({
    description: { steps: [{ do: 'click', at: { role: 'button', name: 'Dälön' } }] },
  })
  expect(await site.land({ '/authorize': show(`${search}<h1>Error</h1>`) })).toMatchObject({
    kind: 'page',
    hasUnknownButtons: false,
  })
})

test('a login page without a control to cancel needs steps that cancel, not those of a login', async () => {
  const landing = await site.land({ '/authorize': show(login) }, { act: 'cancel' })
  expect(landing).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(
      /^no button or link to cancel with was recognised on the page; .*"Sign in"$/,
    ),
    advice:
      'write the steps under cancel in a login recipe (LOGIN_RECIPE, see docs/login-recipes.md); if users cannot cancel there, waive the requirements (see docs/gating.md)',
  })
})

/** A form that changes a password, as old sites mark it up. */
const passwordForm = `<form method="post" action="/change"><table><tr><td>Old password</td><td><input type="password" name="old"></td></tr>
  <tr><td>New password</td><td><input type="password" name="new1"></td></tr>
  <tr><td>Again</td><td><input type="password" name="new2"></td></tr></table><button>Change password</button></form>`

test('a password is not typed into a form that changes it', async () => {
  const pages = { '/authorize': show(login), '/login': signedIn('/expired'), '/on': () => redirect(code) }
  expect(
    await site.land({ ...pages, '/expired': show(`<h1>Password expired</h1>${passwordForm}`) }),
  ).toMatchObject({ kind: 'failed', cause: 'configuration', reason: 'the target asks for a new password' })
  const warning = show(`${passwordForm}<a href="/on">Continue to the application</a>`)
  expect(await site.land({ ...pages, '/expired': warning })).toMatchObject({ location: code })
  expect(site.posted.filter((form) => form.startsWith('/change'))).toEqual([])
})

test.for([
  '<input type="button" value="Login" onclick="this.form.submit()">',
  '<a href="#" onclick="document.forms[1].submit(); return false">Login</a>',
])('a script may send the login form next to a form that changes a password: %s', async (control) => {
  const form = `<form method="post" action="/login"><input name="u"><input type="password" name="p">${control}</form>`
  const landing = await site.land({
    '/authorize': show(`<form action="/help"><input name="q"></form>${form}${passwordForm}`),
    '/login': signedIn(code),
  })
  expect(landing).toMatchObject({ kind: 'redirect', location: code })
})

test('a page that only informs is described if the request has to return', async () => {
  const page = { '/authorize': show('<h1>Account locked</h1><a href="/help">Help</a>') }
  expect(await site.land(page, { mustReturn: true })).toMatchObject({
    kind: 'page',
    hasUnknownButtons: false,
    description: { shown: 'headings "t", "Account locked"; link "Help"' },
  })
})
