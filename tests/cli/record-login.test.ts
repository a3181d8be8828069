import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startProvider } from '../../provider/index.ts'
import { findChromium } from '../../src/browser/find-chromium.mjs'
import { Workplace } from './workplace.ts'

const place = new Workplace()

function start(words: readonly string[], changes: Readonly<Record<string, string | undefined>> = {}) {
  const started = place.start(['record-login', ...words], changes)
  // A window would wait for a person without a time limit.
  onTestFinished(() => void started.child.kill())
  return started
}

describe('is refused in a sentence, with nothing sent', () => {
  const screen = { DISPLAY: ':0' }

  test.each<[readonly string[], Readonly<Record<string, string | undefined>>, RegExp]>([
    [[], { DISPLAY: undefined }, /^DISPLAY is not set, so there is no screen to sign in on: --remote shows/],
    [
      [],
      { ...screen, TEST_USER: undefined, TEST_PASSWORD: undefined },
      /^TEST_USER is not set, so Plumbline cannot recognise the user name when it is typed/,
    ],
    [
      [],
      { ...screen, LOGIN_BUDGET: '1' },
      /^LOGIN_BUDGET is 1, but recording and verifying a recipe needs two logins/,
    ],
    [['--out', 'taken.json'], screen, /^--out taken\.json already exists; --force replaces/],
    [
      ['--out', 'taken.json', '--cancel'],
      screen,
      /^--out taken\.json already contains steps to cancel; --force/,
    ],
    [
      ['--out', 'broken.json', '--cancel'],
      screen,
      /points to broken\.json, which is not a valid login recipe: it is not JSON/,
    ],
    [
      ['--out', 'taken.json/recipe.json'],
      screen,
      /^--out taken\.json\/recipe\.json cannot be written: taken\.json is not a writable dir/,
    ],
    [['--host', 'https://cdn.example.com'], screen, /^--host "https:\/\/cdn\.example\.com" is not a host/],
    [
      [],
      { ...screen, IDP_BASE_URL: undefined },
      /^--target is embedded, and the embedded provider generates a password/,
    ],
    [['--remote', 'tunnel'], {}, /^--remote "tunnel" is not a whole number/],
    [['--target', 'production'], screen, /^PRODUCTION_HOSTS is none/],
  ])('%j %j', async (words, changes, sentence) => {
    writeFileSync(
      join(place.cwd, 'taken.json'),
      '{ "cancel": [{ "do": "click", "at": { "text": "Leave" } }] }',
    )
    writeFileSync(join(place.cwd, 'broken.json'), '{ "cancel": ')
    const before = place.provider.requests.length
    const { code, stdout, stderr } = await place.run(['record-login', ...words], changes)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(sentence)
    expect(stderr.trimEnd()).not.toContain('\n')
    expect(place.provider.requests).toHaveLength(before)
  })

  test('a screen that is not there', async () => {
    const { code, stderr } = await start([], { DISPLAY: ':77' }).ended
    expect(code).toBe(3)
    expect(stderr).toMatch(/^DISPLAY points to no screen, which --headed needs/)
  })
})

/** A browser with a window that needs no screen, and an endpoint for the test, which acts in place of a person. */
async function screen() {
  const port = await freePort()
  const path = join(place.cwd, 'browser')
  const real = findChromium({ ...process.env }, { complete: true })?.path
  writeFileSync(
    path,
    `#!/bin/sh\nexec '${real}' --ozone-platform=headless --remote-debugging-port=${port} "$@"\n`,
  )
  chmodSync(path, 0o755)
  const env = { CHROMIUM_PATH: path, DISPLAY: ':0' }
  const window = async (): Promise<Page> => {
    let browser: Browser | undefined
    await expect
      .poll(
        async () => {
          browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`).catch(() => undefined)
          return browser !== undefined
        },
        { timeout: 60_000 },
      )
      .toBe(true)
    onTestFinished(() => browser?.close())
    const pages = () => browser?.contexts().flatMap((context) => context.pages()) ?? []
    await expect
      .poll(() => pages().some((page) => page.url() !== 'about:blank'), { timeout: 60_000 })
      .toBe(true)
    return pages()[0] as Page
  }
  return { env, window }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function signIn(page: Page, password = place.provider.variables.TEST_PASSWORD): Promise<void> {
  await page
    .locator('input:not([type=password]):not([type=hidden])')
    .first()
    .fill(place.provider.variables.TEST_USER ?? '')
  await page.locator('input[type=password]').fill(password ?? '')
  await page.locator('input[type=password]').press('Enter')
  // Consent is asked for once.
  const allow = page.getByRole('button', { name: 'Allow' })
  await allow.click().catch(() => undefined)
}

test('records a login and its cancellation, tries both, and shows what to configure', async () => {
  const { env, window } = await screen()
  const logins = place.provider.requests.length
  const first = start(['--out', 'uat.json'], env)
  await signIn(await window())
  const { code, stdout, stderr } = await first.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(place.provider.requests.length).toBeGreaterThan(logins)
  expect(stdout).toMatch(/^A browser window shows the login page of 127\.0\.0\.1:\d+\.$/m)
  expect(stdout).toMatch(/typed the user name \(TEST_USER\) at label=/)
  expect(stdout).toMatch(/^Trying the recipe without a window, in a second login/m)
  expect(stdout).toMatch(/^The recipe works\. Written to uat\.json\.$/m)
  expect(stdout).toMatch(/^Add this line to \.env\.embedded:\n\n {2}LOGIN_RECIPE=uat\.json$/m)
  expect(stdout).toMatch(/^\d+ requests, 2 logins$/m)

  const second = start(['--out', 'uat.json', '--cancel'], env)
  const page = await window()
  await page
    .getByText(/cancel/i)
    .first()
    .click()
  const cancelled = await second.ended
  expect(cancelled).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ requests, 0 logins$/m) })

  const text = readFileSync(join(place.cwd, 'uat.json'), 'utf8')
  expect(JSON.parse(text)).toMatchObject({
    signIn: [
      { do: 'fill', value: 'username' },
      { do: 'fill', value: 'password' },
      { do: 'press', key: 'Enter' },
    ],
    cancel: [{ do: 'click' }],
  })
  for (const secret of place.secrets())
    for (const written of [text, stdout, cancelled.stdout]) expect(written).not.toContain(secret)
  expect(readdirSync(place.cwd).sort()).toEqual(['browser', 'uat.json'])

  const used = await place.run(['login'], { LOGIN_RECIPE: 'uat.json' })
  expect(used.code).toBe(0)
})

test('--remote: the engineer signs in through a tunnel, and what is typed is written and printed nowhere', async () => {
  const provider = await startProvider({ variants: ['no-consent-page'] })
  onTestFinished(() => provider.close())
  const session = { DISPLAY: undefined, SSH_CONNECTION: '192.0.2.7 50000 192.0.2.1 2222' }
  const env = { ...provider.variables, ...session }
  const { ended, texts } = start(['--remote', '--out', 'uat.json'], env)
  const address = () => /http:\/\/127\.0\.0\.1:(\d+)\/[\w-]{32}\//.exec(texts.stdout)
  await expect.poll(address).not.toBeNull()
  const [url = '', port] = address() ?? []
  expect(texts.stdout).toMatch(`ssh -N -p 2222 -L ${port}:127.0.0.1:${port} `)
  expect(texts.stdout).toMatch(/@192\.0\.2\.1$/m)

  const browser = await chromium.launch({ executablePath: findChromium({ ...process.env })?.path ?? '' })
  onTestFinished(() => browser.close())
  const viewer = await browser.newPage()
  await viewer.goto(url)
  const shown = () => viewer.locator('#address').textContent()
  await expect.poll(shown).toMatch(/\/interaction\//)
  const { TEST_USER = '', TEST_PASSWORD = '', CLIENT_SECRET = '' } = provider.variables
  // The first field of the page has the focus.
  await viewer.keyboard.type(TEST_USER)
  await viewer.keyboard.press('Tab')
  await viewer.keyboard.type(TEST_PASSWORD)
  await viewer.keyboard.press('Enter')
  await expect.poll(() => viewer.getByRole('status').textContent()).toMatch(/^Recorded/)

  const { code, stdout, stderr } = await ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^The recipe works\. Written to uat\.json\.$/m)
  const text = readFileSync(join(place.cwd, 'uat.json'), 'utf8')
  for (const secret of [TEST_USER, TEST_PASSWORD, CLIENT_SECRET])
    for (const written of [text, stdout]) expect(written).not.toContain(secret)
  expect(readdirSync(place.cwd)).toEqual(['uat.json'])
  await expect(fetch(url)).rejects.toThrow()
})

test('a password that is not TEST_PASSWORD leaves a recipe that is not tried, under another name', async () => {
  const { env, window } = await screen()
  const { ended } = start([], { ...env, TEST_PASSWORD: 'canary-another-one' })
  await signIn(await window())
  const { code, stdout } = await ended
  expect(code).toBe(3)
  expect(stdout).toMatch(/^Missing: at .*, the typed password is not TEST_PASSWORD/m)
  expect(stdout).toMatch(/^Written to login-recipe\.unproved\.json\. Correct it/m)
  expect(stdout).toMatch(/, 1 login$/m)
  for (const secret of [...place.secrets(), 'canary-another-one']) expect(stdout).not.toContain(secret)
  expect(existsSync(join(place.cwd, 'login-recipe.json'))).toBe(false)
})

test('a window that is closed leaves nothing', async () => {
  const { env, window } = await screen()
  const { ended } = start([], env)
  await (await window()).close()
  const { code, stdout } = await ended
  expect(code).toBe(3)
  expect(stdout).toMatch(/^Nothing was written: the window was closed before the login ended$/m)
  expect(readdirSync(place.cwd)).toEqual(['browser'])
})

test('Ctrl-C ends the browser and leaves nothing', async () => {
  const { env, window } = await screen()
  const { child, ended } = start([], env)
  const page = await window()
  const gone = new Promise((resolve) => page.once('close', resolve))
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  await gone
  expect(readdirSync(place.cwd)).toEqual(['browser'])
})
