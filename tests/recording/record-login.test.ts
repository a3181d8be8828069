import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type RecordLoginOptions, recordLogin } from '../../src/recording/record-login.ts'
import { targetFrom } from '../../src/target/config.ts'
import type { Target } from '../../src/target/target.ts'
import { html, redirect, type Site, startSite } from '../browser/site.ts'

// Each test starts two browsers.
vi.setConfig({ testTimeout: 90_000 })

const user = { name: 'canary-alice', password: 'canary-password-81' }
const redirectUri = 'https://app.invalid/callback'
let words: readonly string[]
let shown: number
let throttled: boolean
let idp: Site
let login: Site
let out: string

/** The login page lies on a host of its own; its button is called otherwise each time, if there are several words. */
beforeAll(async () => {
  login = await startSite(({ url }) => {
    if (url.pathname !== '/login') return undefined
    if (throttled) return { status: 429, headers: { 'Retry-After': '20' } }
    const word = words[shown++ % words.length]
    return html(`<form method="post" action="${idp.origin}/done"><label>User <input name="u"></label>
      <label>Password <input name="p" type="password"></label><button>${word}</button></form>
      <a href="${redirectUri}?error=access_denied&state=s">Leave</a>`)
  })
  idp = await startSite(({ url, form }) => {
    if (url.pathname === '/done') {
      const isRight = form.get('u') === user.name && form.get('p') === user.password
      return redirect(isRight ? `${redirectUri}?code=canary-code-441&state=s` : `${login.origin}/login`)
    }
    return redirect(`${login.origin}/login`)
  })
})
afterAll(() => Promise.all([idp?.close(), login?.close()]))
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-record-login-'))
  out = join(folder, 'recipe.json')
  words = ['Go']
  shown = 0
  throttled = false
  return () => rmSync(folder, { recursive: true })
})

const target = (): Target =>
  targetFrom('embedded', {
    LOGIN_TIMEOUT_SECONDS: '5',
    IDP_BASE_URL: idp.origin,
    PARTNER_API_URL: idp.origin,
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'canary-client-secret',
    REDIRECT_URI: redirectUri,
    TEST_USER: user.name,
    TEST_PASSWORD: user.password,
  })

const signIn = async (page: Page) => {
  await page.getByLabel('User').fill(user.name)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button').click()
}
const leave = (page: Page) => page.getByRole('link', { name: 'Leave' }).click()

function record(
  actor: (page: Page) => Promise<void>,
  options: Partial<RecordLoginOptions> = {},
  changes: Partial<Target> = {},
) {
  const changed = { ...target(), ...changes }
  return recordLogin(changed, {
    out,
    hosts: [login.host],
    signal: new AbortController().signal,
    // Pages are left while they are used.
    actor: (page) => void actor(page).catch(() => undefined),
    ...options,
  })
}

const written = () => readdirSync(join(out, '..'))
const recipe = () => JSON.parse(readFileSync(out, 'utf8'))

test('a login on another host is recorded and verified, and the recipe names the host', async () => {
  const logged = login.log.length
  const recorded = await record(signIn)
  expect(recorded).toMatchObject({
    file: out,
    trouble: null,
    missing: [],
    remarks: [],
    logins: 2,
  })
  expect(recipe()).toEqual({
    hosts: [login.host],
    signIn: [
      { do: 'fill', at: { label: 'User', exact: true }, value: 'username' },
      { do: 'fill', at: { label: 'Password', exact: true }, value: 'password' },
      { do: 'click', at: { role: 'button', name: 'Go', exact: true } },
    ],
  })
  expect(login.log.slice(logged)).toEqual(['GET /login', 'GET /login'])
  expect(JSON.stringify(recorded) + readFileSync(out, 'utf8')).not.toMatch(/canary/)
})

test('the recording and the verification share one budget', async () => {
  const before = idp.log.length + login.log.length
  const sent = () => idp.log.length + login.log.length - before
  const { requests, trouble } = await record(signIn)
  expect(trouble).toBeNull()
  expect(requests).toBe(sent())
  const again = await record(signIn, { force: true }, { requestBudget: requests - 1 })
  expect(again).toMatchObject({ requests: requests - 1 })
  expect(again.trouble?.reason).toContain(`the budget of ${requests - 1} requests is spent`)
  expect(sent()).toBe(2 * requests - 1)
})

test('without that host, the message names it and how to permit it', async () => {
  const recorded = await record(async () => {}, { hosts: [] })
  expect(recorded).toMatchObject({ file: null, trouble: { exitCode: 3 }, logins: 0 })
  expect(recorded.trouble?.reason).toMatch(`the browser to ${login.host}, which is not a configured host`)
  expect(recorded.trouble?.reason).toMatch(/; --host permits it for this recording$/)
})

test('a recipe that fails verification is written to another file, and the failing step is named', async () => {
  writeFileSync(out, '{ "description": "old", "loginPage": { "text": "x" } }')
  words = ['Go', ...Array(9).fill('Proceed')]
  const recorded = await record(signIn, { force: true })
  expect(recorded).toMatchObject({ file: out.replace('.json', '.unproved.json'), logins: 2 })
  expect(recorded.trouble).toEqual({
    reason:
      'step 3 of signIn in LOGIN_RECIPE cannot click: role="button" name="Go" exact=true matches nothing visible within 5 s; correct that step',
    exitCode: 3,
  })
  expect(recipe()).toEqual({ description: 'old', loginPage: { text: 'x' } })
})

test('steps to cancel are added to the file, and a new recording keeps them', async () => {
  await record(signIn)
  const before = recipe()
  expect(await record(leave, { cancel: true, hosts: [] })).toMatchObject({ trouble: null, logins: 0 })
  const cancel = [{ do: 'click', at: { role: 'link', name: 'Leave', exact: true } }]
  expect(recipe()).toEqual({ ...before, cancel })
  await expect(record(leave, { cancel: true })).rejects.toThrow('already contains steps to cancel')
  await record(signIn, { force: true, hosts: [] })
  expect(recipe()).toEqual({ ...before, cancel })
})

test.each([
  ['an error', leave, {}, /^it was redirected with error=access_denied \(--cancel records/, 2],
  ['a code', signIn, { cancel: true }, /^the login was not cancelled: it was redirected with a code$/, 3],
  ['a closed window', (page: Page) => page.close(), {}, /^the window was closed before the login ended/, 3],
] as const)(
  'a recording that does not end at the redirect URI is not written: %s',
  async (_, actor, options, reason, exitCode) => {
    const recorded = await record(actor, options)
    expect(recorded).toMatchObject({
      file: null,
      trouble: { reason: expect.stringMatching(reason), exitCode },
    })
    expect(written()).toEqual([])
  },
)

test.each(['recording', 'verification'])('interrupted while %s, it leaves nothing', async (stage) => {
  const stop = new AbortController()
  const interrupted = record(stage === 'recording' ? async () => stop.abort() : signIn, {
    signal: stop.signal,
    onStage: (reached) => {
      if (reached === 'verification') stop.abort()
    },
  })
  await expect(interrupted).rejects.toThrow(/abort/i)
  expect(written()).toEqual([])
})

test('interrupted while a page waits for Retry-After, it ends at once', async () => {
  throttled = true
  const stop = new AbortController()
  const actor = async () => void setTimeout(() => stop.abort(), 1000)
  const started = Date.now()
  await expect(record(actor, { signal: stop.signal })).rejects.toThrow(/abort/i)
  expect(Date.now() - started).toBeLessThan(15_000)
})
