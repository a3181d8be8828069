import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ClaimRecipe, JourneyFailure } from '../../src/browser/index.ts'
import { HttpFailure } from '../../src/http/failures.ts'
import { html, redirect, type Site, startSite } from './site.ts'
import { TestBrowser } from './test-browser.ts'

let site: Site
let browser: TestBrowser
let value = 'Ada'
let saves = 0
let throttled = 0

/** Account pages: a text field, a list, one that asks to sign in again, and some that do not work. */
beforeAll(async () => {
  site = await startSite(({ url, form }) => {
    const saved = form.get('name')
    switch (url.pathname) {
      case '/text':
      case '/deaf':
        if (saved !== null) {
          saves += 1
          if (url.pathname === '/text') value = saved
          return html('<p>Saved</p>')
        }
        return html(`<form method="post"><label>Name <input name="name" value="${value}"></label>
          <button>Save</button></form>`)
      case '/list':
        if (saved !== null) value = saved
        return html(`<form method="post"><label>Name <select name="name" onchange="this.form.submit()">
          ${['Ada', 'Ben'].map((name) => `<option value="${name}"${name === value ? ' selected' : ''}>${name} B.</option>`)}
          </select></label><p>Saved</p></form>`)
      case '/closed':
        if (form.get('password') === 'secret') return redirect('/text')
        return html(`<form method="post"><label>Password <input name="password" type="password"></label>
          <button>Open</button></form>`)
      case '/throttled':
      case '/throttled-save':
        if (saved === null && url.pathname === '/throttled-save')
          return html(`<form method="post"><label>Name <input name="name" value="${value}"></label>
            <button>Save</button></form>`)
        throttled += 1
        return { ...html('<p>Later</p>'), status: 429, headers: { 'retry-after': '0' } }
      case '/broken':
        return { ...html('<p>Sorry</p>'), status: 503 }
      case '/away':
        return redirect('https://elsewhere.invalid/account')
      default:
        return undefined
    }
  })
  browser = await TestBrowser.start([site.host])
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
})

beforeEach(() => {
  value = 'Ada'
  saves = 0
  throttled = 0
})

const recipe: ClaimRecipe = {
  page: '/text',
  field: { label: 'Name' },
  other: 'Ben',
  save: [
    { do: 'click', at: { role: 'button', name: 'Save' } },
    { do: 'wait', at: { text: 'Saved' } },
  ],
}

async function claimPage(path: string, changes: Partial<ClaimRecipe> = {}) {
  const opened = await browser.agent([site.host])
  const url = new URL(path, `http://${site.host}`)
  const user = { name: 'ada', password: 'secret' }
  return { ...opened, page: opened.agent.claimPage({ ...recipe, ...changes }, url, user) }
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof JourneyFailure ? error.landing : error),
  )

test('a text field is read, written and saved', async () => {
  const { page, budget, agent, exchanges } = await claimPage('/text')
  expect(await page.read()).toBe('Ada')
  await page.write(() => 'Canarina')
  expect(value).toBe('Canarina')
  expect(await page.read()).toBe('Canarina')
  // Three visits and one form, all of them counted.
  expect(budget.requests).toBe(4)
  expect(JSON.stringify(exchanges)).not.toContain('Canarina')
  await agent.close()
})

test('a list is read and written by the values of its options', async () => {
  const { page, agent } = await claimPage('/list', { save: [{ do: 'wait', at: { text: 'Saved' } }] })
  expect(await page.read()).toBe('Ada')
  await page.write(() => 'Ben')
  expect(await page.read()).toBe('Ben')
  await agent.close()
})

test('a page that asks the user to sign in again receives the password, which counts as a login', async () => {
  const { page, budget, agent } = await claimPage('/closed', {
    open: [
      { do: 'fill', at: { label: 'Password' }, value: 'password' },
      { do: 'click', at: { role: 'button', name: 'Open' } },
    ],
  })
  expect(await page.read()).toBe('Ada')
  expect(budget.logins).toBe(1)
  await agent.close()
})

test.each([
  ['/broken', 'environment', 'the response to the page of CLAIM_RECIPE was 503'],
  ['/nowhere', 'configuration', 'the response to the page of CLAIM_RECIPE was 404'],
] as const)('%s is not a page to change anything on', async (path, cause, reason) => {
  const { page, agent } = await claimPage(path)
  expect(await failureOf(page.read())).toMatchObject({ cause, reason })
  expect(saves).toBe(0)
  await agent.close()
})

test.each(['/throttled', '/throttled-save'])('%s ends the visit as throttled', async (path) => {
  const { page, agent } = await claimPage(path)
  const failure = await page.write(() => 'Ben').catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(HttpFailure)
  expect(failure).toMatchObject({
    kind: 'throttled',
    message: 'the target throttled the page of CLAIM_RECIPE (429)',
  })
  // The first request and three retries.
  expect(throttled).toBe(4)
  await agent.close()
})

test('a page that leads out of the target is not followed', async () => {
  const { page, agent } = await claimPage('/away')
  expect(String(((await failureOf(page.read())) as { message?: string }).message)).toContain(
    'elsewhere.invalid',
  )
  await agent.close()
})

test('several matching fields, and a step that finds nothing, are reported', async () => {
  const many = await claimPage('/text', { field: { css: 'input, button' } })
  expect(await failureOf(many.page.read())).toMatchObject({
    cause: 'configuration',
    reason: 'field in CLAIM_RECIPE matches several elements: css="input, button"',
  })
  await many.agent.close()
  const { page, agent } = await claimPage('/text', {
    save: [{ do: 'click', at: { text: 'Keep' }, timeoutMs: 50 }],
  })
  expect(await failureOf(page.write(() => 'Ben'))).toMatchObject({
    reason: 'step 1 of save in CLAIM_RECIPE cannot click: text="Keep" matches nothing visible within 0.05 s',
  })
  expect(value).toBe('Ada')
  await agent.close()
})

test('a page that reports success without saving is detected by reading the value again', async () => {
  const { page, agent } = await claimPage('/deaf')
  await page.write(() => 'Ben')
  expect(await page.read()).toBe('Ada')
  await agent.close()
})
