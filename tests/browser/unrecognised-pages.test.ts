import { expect, test } from 'vitest'
import { EverydaySite, login, show } from './everyday-site.ts'

// Pages that Plumbline does not recognise.

const site = new EverydaySite()

test('a page that is not recognised is described, with steps that would probably do', async () => {
  const seen: string[] = []
  const landing = await site.land(
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
  expect(await site.land(page, { patient: true })).toMatchObject({
    kind: 'page',
    description: {
      shown: 'headings "t", "Däl"; button "Dälön"',
      steps: [{ do: 'click', at: { role: 'button', name: 'Dälön' } }],
    },
  })
  expect(await site.land(page)).not.toHaveProperty('description')
})

const search = '<form action="/help"><input name="q"> <input type="submit" value="Search"></form>'

test('a search is not part of a page that asks for something', async () => {
  const unknown = { '/authorize': show(`${search}<h1>Däl</h1><button>Dälön</button>`) }
  expect(await site.land(unknown, { patient: true })).toMatchObject({
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
      'write the steps as cancel of a login recipe (LOGIN_RECIPE, see docs/login-recipes.md); if users cannot cancel there, waive the requirements (see docs/gating.md)',
  })
})
