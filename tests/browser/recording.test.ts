import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { recordActions } from '../../src/recording/action-recorder.ts'
import { cancelRecipe, type RecordedRecipe, signInRecipe } from '../../src/recording/recipe-from-actions.ts'
import { newUser, redirectUri, startLoginSite } from './login-site.ts'
import { startOddSite } from './odd-site.ts'
import { TestBrowser } from './test-browser.ts'

// Tests wait as much as they compute, so that two run at once.
vi.setConfig({ testTimeout: 90_000, maxConcurrency: 2 })

const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-recording-'))
let site: Awaited<ReturnType<typeof startLoginSite>>
let odd: Awaited<ReturnType<typeof startOddSite>>
let browser: TestBrowser

beforeAll(async () => {
  site = await startLoginSite()
  odd = await startOddSite()
  browser = await TestBrowser.start([site.host, odd.host])
})

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await browser?.close()
  await Promise.all([site?.close(), odd?.close()])
})

type User = ReturnType<typeof newUser>
type Engineer = (page: Page, user: User) => Promise<unknown>

/** Records the actions of a person in a window, until the login ends or the window is closed. */
async function watch(start: URL, user: User, engineer: Engineer) {
  await using window = await browser.agent([start.host])
  let acting: Promise<unknown> = Promise.resolve()
  const watched = await recordActions(window.agent, start, {
    redirectUri,
    budget: window.budget,
    user,
    actor: (page) => {
      acting = engineer(page, user).finally(() =>
        page.waitForTimeout(1000).then(
          () => page.close(),
          () => undefined,
        ),
      )
      acting.catch(() => undefined)
    },
  })
  await acting
  return { ...watched, logins: window.budget.logins }
}

async function record(start: URL, user: User, engineer: Engineer): Promise<RecordedRecipe> {
  const { actions, unsupported, end, logins } = await watch(start, user, engineer)
  expect(end).toMatchObject({ redirect: { location: expect.stringContaining(redirectUri) } })
  expect({ unsupported, logins }).toEqual({ unsupported: [], logins: 1 })
  return signInRecipe(actions, [user.name, user.password])
}

let files = 0
/** Where a recorded recipe leads, in a window of its own. No value that was typed is in it. */
async function follow(
  recorded: RecordedRecipe,
  start: URL,
  user: User,
  act: 'sign-in' | 'cancel' = 'sign-in',
) {
  expect(recorded.missing).toEqual([])
  files += 1
  const recipe = path.join(folder, `recipe-${files}.json`)
  writeFileSync(recipe, JSON.stringify(recorded.recipe))
  const text = readFileSync(recipe, 'utf8')
  for (const value of [user.name, user.password, user.totpSecret]) expect(text).not.toContain(value)
  await using window = await browser.agent([start.host], { recipe })
  const steps: string[] = []
  const onStep = ({ did }: { readonly did: string }) => steps.push(did)
  return { landing: await window.agent.authorize(start, { redirectUri, act, user, onStep }), steps }
}

/**
 * What a slow engineer types: the one-time password of the step before, unless the present step ends in five seconds.
 * Otherwise the login after it would wait for the next step.
 */
const code = ({ totpSecret }: User) =>
  new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate({ timestamp: Date.now() - 25_000 })

const plainly: Engineer = async (page, user) => {
  await page.getByLabel('Email').fill(user.name)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe.concurrent('what was recorded signs in by itself', () => {
  test.for<[string, Engineer, RecordedRecipe['recipe']]>([
    [
      'plain',
      plainly,
      {
        signIn: [
          { do: 'fill', at: { label: 'Email', exact: true }, value: 'username' },
          { do: 'fill', at: { label: 'Password', exact: true }, value: 'password' },
          { do: 'click', at: { role: 'button', name: 'Sign in', exact: true } },
        ],
      },
    ],
    [
      'two-step',
      async (page, user) => {
        await page.locator('[name=user]').fill(user.name)
        await page.keyboard.press('Enter')
        await page.locator('[name=password]').pressSequentially(user.password)
        await page.getByRole('button', { name: 'Log in' }).click()
      },
      {
        signIn: [
          { do: 'fill', at: { css: '[name="user"]' }, value: 'username' },
          { do: 'press', at: { css: '[name="user"]' }, key: 'Enter' },
          { do: 'fill', at: { css: '[name="password"]' }, value: 'password' },
          { do: 'click', at: { role: 'button', name: 'Log in', exact: true } },
        ],
      },
    ],
    [
      'scripted',
      async (page, user) => {
        await page.getByLabel('User name').fill(user.name)
        await page.locator('#p').fill(user.password)
        await page.getByRole('button').press('Enter')
      },
      {
        signIn: [
          { do: 'fill', at: { label: 'User name', exact: true }, value: 'username' },
          { do: 'fill', at: { css: '#p' }, value: 'password' },
          { do: 'click', at: { role: 'button', name: 'Log in', exact: true } },
        ],
      },
    ],
    [
      'banner',
      async (page, user) => {
        await page.getByRole('button', { name: 'Accept all' }).click()
        await page.locator('#login').fill(user.name)
        await page.locator('[name=password]').fill(user.password)
        await page.keyboard.press('Enter')
      },
      {
        signIn: [
          {
            do: 'click',
            at: { role: 'button', name: 'Accept all', exact: true },
            optional: true,
            timeoutMs: 2000,
          },
          { do: 'fill', at: { css: '[name="user"]' }, value: 'username' },
          { do: 'fill', at: { css: '[name="password"]' }, value: 'password' },
          { do: 'press', at: { css: '[name="password"]' }, key: 'Enter' },
        ],
      },
    ],
    [
      'consent',
      async (page, user) => {
        await plainly(page, user)
        await page.getByRole('button', { name: 'Allow access' }).click()
      },
      {
        signIn: [
          { do: 'fill', at: { label: 'Email', exact: true }, value: 'username' },
          { do: 'fill', at: { label: 'Password', exact: true }, value: 'password' },
          { do: 'click', at: { role: 'button', name: 'Sign in', exact: true } },
        ],
        consent: [{ do: 'click', at: { role: 'button', name: 'Allow access', exact: true } }],
      },
    ],
    [
      'framed',
      async (page, user) => {
        const frame = page.frameLocator('iframe')
        await frame.getByLabel('Email').fill(user.name)
        await frame.getByLabel('Password').fill(user.password)
        await frame.getByRole('button', { name: 'Sign in' }).click()
      },
      {
        signIn: [
          { do: 'fill', at: { label: 'Email', exact: true, frame: 'iframe' }, value: 'username' },
          { do: 'fill', at: { label: 'Password', exact: true, frame: 'iframe' }, value: 'password' },
          { do: 'click', at: { role: 'button', name: 'Sign in', exact: true, frame: 'iframe' } },
        ],
      },
    ],
    [
      'totp',
      async (page, user) => {
        await plainly(page, user)
        await page.locator('[name=number]').fill(code(user))
        await page.getByRole('button', { name: 'Verify' }).click()
      },
      {
        signIn: [
          { do: 'fill', at: { label: 'Email', exact: true }, value: 'username' },
          { do: 'fill', at: { label: 'Password', exact: true }, value: 'password' },
          { do: 'click', at: { role: 'button', name: 'Sign in', exact: true } },
          { do: 'totp', at: { css: '[name="number"]' } },
          { do: 'click', at: { role: 'button', name: 'Verify', exact: true } },
        ],
      },
    ],
  ])('%s', async ([page, engineer, recipe], { expect }) => {
    const user = newUser()
    const start = site.authorize(page)
    const recorded = await record(start, user, engineer)
    expect(recorded).toEqual({ recipe, missing: [], remarks: [] })
    const { landing, steps } = await follow(recorded, start, user)
    expect(landing).toMatchObject({ kind: 'redirect', location: expect.stringContaining('code=') })
    expect(steps).toEqual([...(recipe.signIn ?? []), ...(recipe.consent ?? [])].map((step) => step.do))
  })
})

describe.concurrent('pages that are harder', () => {
  test('one document that scripts change, with the same field and the same button for everything', async ({
    expect,
  }) => {
    const user = newUser()
    const start = odd.authorize('scripted')
    const recorded = await record(start, user, async (page) => {
      await page.getByRole('button', { name: 'Fine with me' }).click()
      await page.locator('#field').fill(user.name)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.locator('#field[type=password]').fill(user.password)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('heading', { name: 'Share your data' }).waitFor()
      await page.getByRole('button', { name: 'Continue' }).click()
    })
    const go = { do: 'click', at: { role: 'button', name: 'Continue', exact: true } }
    expect(recorded.recipe).toEqual({
      signIn: [
        {
          do: 'click',
          at: { role: 'button', name: 'Fine with me', exact: true },
          optional: true,
          timeoutMs: 2000,
        },
        { do: 'fill', at: { css: '#field' }, value: 'username' },
        go,
        { do: 'fill', at: { css: 'input[type="password"]' }, value: 'password' },
        go,
      ],
      consentPage: { role: 'heading', name: 'Share your data', exact: true },
      consent: [go],
    })
    const { landing } = await follow(recorded, start, user)
    expect(landing).toMatchObject({ kind: 'redirect', location: `${redirectUri}?code=c` })
  })

  test('a button that is gone, with another in its place, as soon as it is pressed', async ({ expect }) => {
    const user = newUser()
    const start = odd.authorize('swapped')
    const recorded = await record(start, user, async (page) => {
      await page.getByRole('button', { name: 'Begin' }).click()
      await page.getByLabel('Email').fill(user.name)
      await page.getByLabel('Password').fill(user.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    })
    expect(recorded.recipe.signIn).toEqual([
      { do: 'click', at: { role: 'button', name: 'Begin', exact: true } },
      { do: 'fill', at: { label: 'Email', exact: true }, value: 'username' },
      { do: 'fill', at: { label: 'Password', exact: true }, value: 'password' },
      { do: 'click', at: { role: 'button', name: 'Sign in', exact: true } },
    ])
    const { landing } = await follow(recorded, start, user)
    expect(landing).toMatchObject({ kind: 'redirect', location: `${redirectUri}?code=c` })
  })

  test('a list, a check box drawn by its label, fields without labels, and an element that acts as a control', async ({
    expect,
  }) => {
    const user = newUser()
    const start = odd.authorize('drawn')
    const recorded = await record(start, user, async (page) => {
      await page.getByRole('link', { name: 'Log in here' }).click()
      await page.locator('select').press('ArrowDown')
      await page.locator('[name=x1]').fill(user.name)
      await page.locator('input[type=password]').fill(user.password)
      await page.getByText('I agree').click()
      await page.getByText('Open sesame').click()
    })
    expect(recorded.recipe.signIn).toEqual([
      { do: 'click', at: { role: 'link', name: 'Log in here', exact: true } },
      { do: 'select', at: { css: '[name="tenant"]' }, option: 'Blue' },
      { do: 'fill', at: { css: '[name="x1"]' }, value: 'username' },
      { do: 'fill', at: { css: '[name="x2"]' }, value: 'password' },
      { do: 'click', at: { text: 'I agree', exact: true } },
      { do: 'click', at: { text: 'Open sesame', exact: true } },
    ])
    const { landing } = await follow(recorded, start, user)
    expect(landing).toMatchObject({ kind: 'redirect', location: `${redirectUri}?code=c` })
  })

  test('a one-time password in six boxes, sent with the last digit', async ({ expect }) => {
    const user = newUser()
    const start = odd.authorize('boxes')
    const recorded = await record(start, user, async (page) => {
      await page.getByLabel('Email').fill(user.name)
      await page.getByLabel('Password').fill(user.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByLabel('Digit 1').click()
      await page.keyboard.type(code(user), { delay: 5 })
    })
    expect(recorded.recipe.signIn?.slice(3)).toEqual([{ do: 'totp', at: { label: 'Digit 1', exact: true } }])
    const { landing } = await follow(recorded, start, user)
    expect(landing).toMatchObject({ kind: 'redirect', location: `${redirectUri}?code=c` })
  })

  test('a control that shows the user name is located by its position', async ({ expect }) => {
    const user = newUser()
    const start = odd.authorize('named')
    const recorded = await record(start, user, async (page) => {
      await page.getByLabel('Email').fill(user.name)
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByLabel('Password').fill(user.password)
      await page.getByRole('button', { name: user.name }).click()
    })
    expect(recorded.remarks).toEqual([
      expect.stringMatching(/^css="button:nth-of-type\(2\)" locates an element only by its position/),
    ])
    const { landing } = await follow(recorded, start, user)
    expect(landing).toMatchObject({ kind: 'redirect', location: `${redirectUri}?code=c` })
  })
})

test.concurrent('slips of the keyboard and a wrong password leave no trace, and count as a login', async ({
  expect,
}) => {
  const user = newUser()
  const start = site.authorize('plain')
  const { actions, logins } = await watch(start, user, async (page) => {
    await page.getByLabel('Email').fill('somebody')
    await page.getByLabel('Password').fill('canary-wrong')
    await page.getByLabel('Email').fill(user.name)
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.querySelector('input')?.value === '')
    await plainly(page, user)
  })
  expect(logins).toBe(2)
  const recorded = signInRecipe(actions, [])
  expect(recorded.recipe.signIn?.map((step) => step.do)).toEqual(['fill', 'fill', 'click'])
  expect(recorded.missing).toEqual([])
})

test.concurrent.for([
  ['required', 'the browser stops it', 1],
  ['unrequired', 'the page is shown again', 2],
] as const)(
  'a user name submitted as the password leaves no trace: %s, %s',
  async ([name, , count], { expect }) => {
    const user = newUser()
    const { actions, logins } = await watch(odd.authorize(name), user, async (page) => {
      await page.getByLabel('Password').pressSequentially(user.name)
      await page.getByRole('button', { name: 'Sign in' }).click()
      if (name === 'unrequired')
        await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[name=x2]')?.value === '')
      await page.getByLabel('Email').pressSequentially(user.name)
      await page.getByLabel('Password').clear()
      await page.getByLabel('Password').pressSequentially(user.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    })
    expect(logins).toBe(count)
    expect(signInRecipe(actions, [])).toEqual({
      recipe: {
        signIn: [
          { do: 'fill', at: { label: 'Email', exact: true }, value: 'username' },
          { do: 'fill', at: { label: 'Password', exact: true }, value: 'password' },
          { do: 'click', at: { role: 'button', name: 'Sign in', exact: true } },
        ],
      },
      missing: [],
      remarks: [],
    })
  },
)

test.concurrent.for<[string, string, RegExp]>([
  ['Customer number', '40711', /^at label="Customer number" .*neither TEST_USER nor TEST_PASSWORD/],
  ['Customer number', '407112', /six digits were typed that are not a one-time password of TEST_TOTP_SECRET/],
  ['Password', 'canary-other-password', /a password was typed that is not TEST_PASSWORD/],
])('a value at %s that no variable holds is missed: %s', async ([label, value, sentence], { expect }) => {
  const user = newUser()
  const { actions } = await watch(odd.authorize('numbered'), user, async (page) => {
    await page.getByLabel('Email').fill(user.name)
    await page.getByLabel('Password').fill(user.password)
    await page.getByLabel(label).fill(value)
    await page.getByRole('button', { name: 'Sign in' }).click()
  })
  const recorded = signInRecipe(actions, [])
  expect(recorded.missing).toEqual([expect.stringMatching(sentence)])
  expect(JSON.stringify({ actions, recorded })).not.toContain(value)
})

test.concurrent.for<[string, Engineer, RecordedRecipe['recipe']['cancel']]>([
  [
    'plain',
    (page) => page.getByRole('link', { name: 'Cancel' }).click(),
    [{ do: 'click', at: { role: 'link', name: 'Cancel', exact: true } }],
  ],
  [
    'german',
    (page) => page.getByRole('button', { name: 'Abbrechen' }).click(),
    [{ do: 'click', at: { role: 'button', name: 'Abbrechen', exact: true } }],
  ],
])('the recorded steps cancel the login: %s', async ([page, engineer, cancel], { expect }) => {
  const user = newUser()
  const start = site.authorize(page)
  const { actions } = await watch(start, user, engineer)
  const recorded = cancelRecipe(actions, [])
  expect(recorded).toEqual({ recipe: { cancel }, missing: [], remarks: [] })
  const { landing } = await follow(recorded, start, user, 'cancel')
  expect(landing).toMatchObject({
    kind: 'redirect',
    location: expect.stringContaining('error=access_denied'),
  })
})

test.concurrent('a login is not given up by typing', async ({ expect }) => {
  const user = newUser()
  const { actions } = await watch(site.authorize('plain'), user, plainly)
  expect(cancelRecipe(actions, []).missing).toEqual([expect.stringContaining('before anything is typed')])
})

test.concurrent('a page can neither forge reports nor detect the listener', async ({ expect }) => {
  const user = newUser()
  const { actions, unsupported, end } = await watch(odd.authorize('forging'), user, async (page) => {
    await page.locator('#done').waitFor()
    expect(
      await page.evaluate(() => Object.keys(globalThis).filter((name) => /plumbline/i.test(name))),
    ).toEqual([])
    await page.close()
  })
  expect({ actions, unsupported, end }).toEqual({ actions: [], unsupported: [], end: undefined })
})

test.concurrent('refused hosts are reported, and get no request', async ({ expect }) => {
  const { refusedHosts, end } = await watch(odd.authorize('elsewhere'), newUser(), async (page) => {
    await page.locator('p').waitFor()
    await page.close()
  })
  expect({ refusedHosts, end }).toEqual({ refusedHosts: ['cdn.invalid'], end: undefined })
})

test.concurrent('no more logins are typed than the budget allows', async ({ expect }) => {
  await using window = await browser.agent([site.host], { budget: { loginBudget: 1 } })
  const user = newUser()
  const watched = await recordActions(window.agent, site.authorize('plain'), {
    redirectUri,
    budget: window.budget,
    user,
    actor: async (page) => {
      await plainly(page, { ...user, password: 'canary-wrong' })
      await page.waitForLoadState()
      await plainly(page, user).catch(() => undefined)
    },
  })
  expect(watched.end).toMatchObject({ failure: { kind: 'budget-spent' } })
})
