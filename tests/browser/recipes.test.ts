import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadLoginRecipe } from '../../src/browser/index.ts'
import { SetupError } from '../../src/target/problem.ts'
import { newUser, redirectUri, startLoginSite, user } from './login-site.ts'
import { html, redirect, type Site, startSite } from './site.ts'
import { TestBrowser } from './test-browser.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-recipes-'))
let site: Awaited<ReturnType<typeof startLoginSite>>
let riddle: Site
let assets: Site
let browser: TestBrowser

/** Login pages that no heuristic understands. */
function answer(pathname: string, form: URLSearchParams, assetsOrigin: string) {
  if (pathname === '/authorize') return redirect('/door')
  if (pathname === '/door') {
    return html(`<div id="banner">Biscuits? <button onclick="this.parentNode.remove()">Fine by me</button></div>
      <script src="${assetsOrigin}/app.js"></script>
      <form method="post" action="/door2"><select name="tenant"><option>Red</option><option>Blue</option></select>
      <p data-testid="who">Who? <input name="x1"></p><p data-testid="proof">Proof? <input name="x2"></p>
      <p>Digits? <input name="x3" placeholder="000000"></p><b onclick="this.parentNode.submit()">Open sesame</b>
      <i onclick="location.href='${redirectUri}?error=access_denied'">Go away</i></form>`)
  }
  if (pathname === '/door2') {
    const right =
      form.get('x1') === user.name && form.get('x2') === user.password && form.get('tenant') === 'Blue'
    if (!right || !/^\d{6}$/.test(form.get('x3') ?? '')) return redirect('/door')
    return html('<p>Shop asks for your shoe size.</p><form action="/done"><button>So be it</button></form>')
  }
  if (pathname === '/done') return redirect(`${redirectUri}?code=c`)
  if (pathname === '/app.js') return { headers: { 'content-type': 'text/javascript' }, body: '' }
  return undefined
}

beforeAll(async () => {
  site = await startLoginSite()
  assets = await startSite(({ url, form }) => answer(url.pathname, form, ''))
  riddle = await startSite(({ url, form }) => answer(url.pathname, form, assets.origin))
  browser = await TestBrowser.start([site.host, riddle.host, assets.host])
})

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await browser?.close()
  await Promise.all([site, riddle, assets].map((each) => each?.close()))
})

let files = 0
function write(content: unknown): string {
  files += 1
  const file = path.join(folder, `recipe-${files}.json`)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const recipe = () => ({
  hosts: [assets.host],
  loginPage: { text: 'Who?' },
  signIn: [
    { do: 'click', at: { role: 'button', name: 'Fine by me' }, optional: true },
    { do: 'wait', at: { testId: 'who' } },
    { do: 'select', at: { css: 'select' }, option: 'Blue' },
    { do: 'fill', at: { css: '[name=x1]' }, value: 'username' },
    { do: 'fill', at: { css: '[data-testid=proof] input' }, value: 'password' },
    { do: 'totp', at: { placeholder: '000000' } },
    { do: 'click', at: { text: 'Open sesame' } },
  ],
  consent: [{ do: 'press', at: { role: 'button', name: 'So be it', exact: true }, key: 'Enter' }],
  cancel: [
    { do: 'click', at: { role: 'button', name: 'Fine by me' }, optional: true },
    { do: 'click', at: { text: 'Go away' } },
  ],
})

const start = () => new URL('/authorize', riddle.origin)

test('a recipe signs in, consents and loads the hosts it names, all counted', async () => {
  const user = newUser()
  await using window = await browser.agent([riddle.host], { recipe: write(recipe()) })
  for (const each of [riddle, assets]) each.log.length = 0
  const landing = await window.agent.authorize(start(), { redirectUri, act: 'sign-in', user })
  expect(landing).toMatchObject({
    kind: 'redirect',
    status: 302,
    interactive: true,
    location: `${redirectUri}?code=c`,
  })
  expect(assets.log).toEqual(['GET /app.js'])
  expect(window.budget).toMatchObject({ requests: riddle.log.length + assets.log.length, logins: 1 })
  const text = JSON.stringify(window.exchanges)
  for (const secret of [user.name, user.password, encodeURIComponent(user.password)])
    expect(text).not.toContain(secret)
})

test('a login page on a host that the recipe names is loaded, and counted', async () => {
  const elsewhere = await startSite(() =>
    html(`<form action="${riddle.origin}/done"><label>User <input name="u"></label>
      <label>Password <input name="p" type="password"></label><button>Sign in</button></form>`),
  )
  const first = await startSite(() => redirect(`${elsewhere.origin}/login`))
  const hosts = [first.host, elsewhere.host, riddle.host]
  const browser = await TestBrowser.start(hosts)
  try {
    await using window = await browser.agent([first.host], { recipe: write({ hosts: hosts.slice(1) }) })
    const landing = await window.agent.authorize(new URL(first.origin), { redirectUri, act: 'sign-in', user })
    expect(landing).toMatchObject({ kind: 'redirect', location: `${redirectUri}?code=c` })
    expect(window.budget).toMatchObject({ requests: 3, logins: 1 })
  } finally {
    await browser.close()
    await Promise.all([first.close(), elsewhere.close()])
  }
})

test('a recipe cancels', async () => {
  await using window = await browser.agent([riddle.host], { recipe: write(recipe()) })
  const landing = await window.agent.authorize(start(), { redirectUri, act: 'cancel', user })
  expect(landing).toMatchObject({ kind: 'redirect', location: `${redirectUri}?error=access_denied` })
})

test('a recipe recognises the login page to stop at', async () => {
  await using window = await browser.agent([riddle.host], { recipe: write(recipe()) })
  expect(await window.agent.authorize(start(), { redirectUri, act: 'stop' })).toEqual({ kind: 'login-page' })
})

test('a page that reappears after the recipe is not tried again', async () => {
  await using window = await browser.agent([riddle.host], { recipe: write(recipe()) })
  riddle.log.length = 0
  const landing = await window.agent.authorize(start(), {
    redirectUri,
    act: 'sign-in',
    user: { ...newUser(), password: 'wrong' },
  })
  expect(landing).toMatchObject({
    kind: 'failed',
    cause: 'configuration',
    variables: ['TEST_USER', 'TEST_PASSWORD', 'LOGIN_RECIPE'],
    advice: expect.stringContaining('TEST_PASSWORD'),
  })
  expect(riddle.log.filter((line) => line.startsWith('POST'))).toHaveLength(1)
})

test.for([
  [{ css: '#absent' }, 'css="#absent" matches nothing visible within 0.2 s'],
  [{ css: 'input' }, 'css="input" matches several elements'],
  [{ css: '[[' }, 'css="[[" is not a valid selector'],
] as const)('a step without its element is named: %j', async ([at, message]) => {
  const signIn = [
    { do: 'wait', at: { text: 'Who?' } },
    { do: 'fill', at, value: 'username', timeoutMs: 200 },
  ]
  await using window = await browser.agent([riddle.host], { recipe: write({ signIn }) })
  expect(await window.agent.authorize(start(), { redirectUri, act: 'sign-in', user })).toEqual({
    kind: 'failed',
    cause: 'configuration',
    reason: `step 2 of signIn in LOGIN_RECIPE cannot fill: ${message}`,
    variables: ['LOGIN_RECIPE'],
    advice: 'correct that step',
  })
})

test('a recipe for another page is reported as such', async () => {
  const signIn = [{ do: 'fill', at: { label: 'Kundennummer' }, value: 'username' }]
  await using window = await browser.agent([site.host], { recipe: write({ signIn }) })
  const landing = await window.agent.authorize(site.authorize('plain'), { redirectUri, act: 'sign-in', user })
  expect(landing).toMatchObject({
    cause: 'configuration',
    variables: ['LOGIN_RECIPE'],
    advice: expect.stringContaining('loginPage'),
  })
})

test('a recipe can reach into a frame', async () => {
  const at = (label: string) => ({ label, frame: 'iframe' })
  const signIn = [
    { do: 'fill', at: at('Email'), value: 'username' },
    { do: 'fill', at: at('Password'), value: 'password' },
    { do: 'press', at: at('Password'), key: 'Enter' },
  ]
  await using window = await browser.agent([site.host], { recipe: write({ signIn }) })
  const landing = await window.agent.authorize(site.authorize('framed'), {
    redirectUri,
    act: 'sign-in',
    user,
  })
  expect(landing).toMatchObject({ kind: 'redirect', interactive: true })
})

const at = { css: 'input' }

test.for([
  [{ signIn: [] }, 'signIn must NOT have fewer than 1 items'],
  [
    { signin: [] },
    "the recipe has the unknown member 'signin'; allowed are $schema, description, hosts, loadImages, loginPage, consentPage, signIn, consent, cancel",
  ],
  [{ signIn: [{ at }] }, "signIn[0] needs the member 'do'"],
  [
    { signIn: [{ do: 'type', at }] },
    "signIn[0].do must be one of fill, totp, click, press, select, wait, not 'type'",
  ],
  [{ cancel: [{ do: 'click', at }, { do: 'click' }] }, "cancel[1] needs the member 'at'"],
  [
    { signIn: [{ do: 'fill', at, value: 'alice' }] },
    "signIn[0].value must be one of username, password, not 'alice'",
  ],
  [
    { signIn: [{ do: 'click', at, value: 'username' }] },
    "signIn[0] has the unknown member 'value'; allowed are do, at, optional, timeoutMs",
  ],
  [
    { signIn: [{ do: 'click', at: {} }] },
    'signIn[0].at must have exactly one of role, label, placeholder, text, testId, css',
  ],
  [
    { signIn: [{ do: 'click', at: { css: 'a', text: 'b' } }] },
    'signIn[0].at must have exactly one of role, label, placeholder, text, testId, css',
  ],
  [
    { signIn: [{ do: 'click', at: { css: 'a', name: 'b' } }] },
    "signIn[0].at has 'name', which also needs 'role'",
  ],
  [
    { hosts: ['https://a.example'] },
    'hosts[0] must be a host such as login.example.com or login.example.com:8443',
  ],
  ['{ "signIn": ', 'it is not JSON'],
] as const)('a wrong recipe is one clear sentence: %j', ([content, message]) => {
  const file = write(content)
  expect(() => loadLoginRecipe(file)).toThrow(SetupError)
  expect(() => loadLoginRecipe(file)).toThrow(
    `LOGIN_RECIPE points to ${file}, which is not a valid login recipe: ${message}`,
  )
})

test('a recipe that is not there is one clear sentence', () => {
  expect(() => loadLoginRecipe('/nowhere/recipe.json')).toThrow(
    'LOGIN_RECIPE points to /nowhere/recipe.json, which cannot be read',
  )
})
