import { describe, test } from 'vitest'
import { cancelRecipe, type RecordedRecipe } from '../../src/recording/recipe-from-actions.ts'
import { newUser } from './login-site.ts'
import { code, type Engineer, plainly, RecordingSetup } from './recording-setup.ts'

const recording = new RecordingSetup()

describe.concurrent('a recorded recipe', () => {
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
  ])('signs in on the page %s', async ([page, engineer, recipe], { expect }) => {
    const user = newUser()
    const start = recording.site.authorize(page)
    const recorded = await recording.recipe(start, user, engineer)
    expect(recorded).toEqual({ recipe, missing: [], remarks: [] })
    const { landing, steps } = await recording.follow(recorded, start, user)
    expect(landing).toMatchObject({ kind: 'redirect', location: expect.stringContaining('code=') })
    expect(steps).toEqual([...(recipe.signIn ?? []), ...(recipe.consent ?? [])].map((step) => step.do))
  })

  test.for<[string, Engineer, RecordedRecipe['recipe']['cancel']]>([
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
  ])('cancels the login on the page %s', async ([page, engineer, cancel], { expect }) => {
    const user = newUser()
    const start = recording.site.authorize(page)
    const { actions } = await recording.actions(start, user, engineer)
    const recorded = cancelRecipe(actions, [])
    expect(recorded).toEqual({ recipe: { cancel }, missing: [], remarks: [] })
    const { landing } = await recording.follow(recorded, start, user, 'cancel')
    expect(landing).toMatchObject({
      kind: 'redirect',
      location: expect.stringContaining('error=access_denied'),
    })
  })

  test('is incomplete if the engineer types instead of cancelling the login', async ({ expect }) => {
    const user = newUser()
    const { actions } = await recording.actions(recording.site.authorize('plain'), user, plainly)
    expect(cancelRecipe(actions, []).missing).toEqual([expect.stringContaining('cancel before you type')])
  })
})
