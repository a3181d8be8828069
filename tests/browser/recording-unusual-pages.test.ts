import { describe, test } from 'vitest'
import { newUser, redirectUri } from './login-site.ts'
import { code, RecordingSetup } from './recording-setup.ts'

const recording = new RecordingSetup()

describe.concurrent('recording on an unusual page', () => {
  test('follows one document that scripts change, with the same field and the same button for everything', async ({
    expect,
  }) => {
    const user = newUser()
    const start = recording.odd.authorize('scripted')
    const recorded = await recording.recipe(start, user, async (page) => {
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
    const { landing } = await recording.follow(recorded, start, user)
    expect(landing).toMatchObject({ kind: 'redirect', location: `${redirectUri}?code=c` })
  })

  test('contains a button that another one replaces as soon as it is pressed', async ({ expect }) => {
    const user = newUser()
    const start = recording.odd.authorize('swapped')
    const recorded = await recording.recipe(start, user, async (page) => {
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
    const { landing } = await recording.follow(recorded, start, user)
    expect(landing).toMatchObject({ kind: 'redirect', location: `${redirectUri}?code=c` })
  })

  test('contains a list, a check box drawn by its label, fields without labels, and an element that acts as a control', async ({
    expect,
  }) => {
    const user = newUser()
    const start = recording.odd.authorize('drawn')
    const recorded = await recording.recipe(start, user, async (page) => {
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
    const { landing } = await recording.follow(recorded, start, user)
    expect(landing).toMatchObject({ kind: 'redirect', location: `${redirectUri}?code=c` })
  })

  test('contains a one-time password in six boxes, sent with the last digit', async ({ expect }) => {
    const user = newUser()
    const start = recording.odd.authorize('boxes')
    const recorded = await recording.recipe(start, user, async (page) => {
      await page.getByLabel('Email').fill(user.name)
      await page.getByLabel('Password').fill(user.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByLabel('Digit 1').click()
      await page.keyboard.type(code(user), { delay: 5 })
    })
    expect(recorded.recipe.signIn?.slice(3)).toEqual([{ do: 'totp', at: { label: 'Digit 1', exact: true } }])
    const { landing } = await recording.follow(recorded, start, user)
    expect(landing).toMatchObject({ kind: 'redirect', location: `${redirectUri}?code=c` })
  })

  test('locates a control that shows the user name by its position', async ({ expect }) => {
    const user = newUser()
    const start = recording.odd.authorize('named')
    const recorded = await recording.recipe(start, user, async (page) => {
      await page.getByLabel('Email').fill(user.name)
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByLabel('Password').fill(user.password)
      await page.getByRole('button', { name: user.name }).click()
    })
    expect(recorded.remarks).toEqual([
      expect.stringMatching(/^css="button:nth-of-type\(2\)" locates an element only by its position/),
    ])
    const { landing } = await recording.follow(recorded, start, user)
    expect(landing).toMatchObject({ kind: 'redirect', location: `${redirectUri}?code=c` })
  })
})
