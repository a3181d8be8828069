import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { EverydaySite, login, show } from './everyday-site.ts'
import { html, redirect } from './site.ts'

// Login pages with a list from which the user has to choose, and pages that a recipe cannot leave.

const site = new EverydaySite()
const list = (attributes = '') =>
  `<label>Branch <select name="branch" ${attributes}><option value="">Choose</option><option value="n">North</option></select></label>`
const withList = (attributes?: string, message = '') =>
  login.replace('<button>', `${message}${list(attributes)}<button>`)
const step = '{"do":"select","at":{"label":"Branch"},"option":"…"}'

test('a form that a required list keeps names the list and the step of a recipe', async () => {
  expect(await site.land({ '/authorize': show(withList('required')) })).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(
      /^nothing happened after the login page was filled in; .*; nothing was chosen from the list "Branch"$/,
    ),
    variables: ['LOGIN_RECIPE', 'TEST_USER'],
    advice: expect.stringContaining(step),
  })
})

test('a form that is shown again without a choice names the list before the credentials', async () => {
  const again = show(withList('', '<p role="alert">Please choose your branch.</p>'))
  const landing = await site.land({ '/authorize': show(withList()), '/login': again })
  expect(landing).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('nothing was chosen from the list "Branch"'),
    variables: ['LOGIN_RECIPE', 'TEST_USER', 'TEST_PASSWORD'],
    advice: expect.stringMatching(/^choose from the list: .*; if that does not help, change TEST_USER or/),
  })
})

test('an error page after a form without a choice is described with the list', async () => {
  const refused = () => ({ ...html('<h1>Error</h1>'), status: 400 })
  const pages = { '/authorize': show(withList()), '/login': refused }
  expect(await site.land(pages, { mustReturn: true })).toMatchObject({
    kind: 'page',
    status: 400,
    description: { unchosen: ['Branch'] },
  })
})

test('a consent page that comes back after the steps of a recipe is not blamed on the recipe alone', async () => {
  const consent = show('<h1>Consent</h1><form method="post" action="/consent"><button>Allow</button></form>')
  const pages = { '/authorize': consent, '/consent': () => redirect('/authorize') }
  const at = { role: 'button', name: 'Allow' }
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-consent-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const recipe = join(folder, 'recipe.json')
  writeFileSync(recipe, JSON.stringify({ consent: [{ do: 'click', at }] }))
  const landing = await site.land(pages, {}, recipe)
  expect(landing).toMatchObject({
    kind: 'failed',
    reason: 'the consent page was shown again after step 1 of consent in LOGIN_RECIPE',
    variables: ['LOGIN_RECIPE'],
    advice: expect.stringMatching(/^give consent in your own browser: .* may not keep the consent/),
  })
})
