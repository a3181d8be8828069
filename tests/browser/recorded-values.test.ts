import { describe, test } from 'vitest'
import { signInRecipe } from '../../src/recording/recipe-from-actions.ts'
import { newUser } from './login-site.ts'
import { plainly, RecordingSetup } from './recording-setup.ts'

const recording = new RecordingSetup()

describe.concurrent('the typed values of a recording', () => {
  test('typing mistakes and a wrong password are not recorded, and count as a login', async ({ expect }) => {
    const user = newUser()
    const start = recording.site.authorize('plain')
    const { actions, logins } = await recording.actions(start, user, async (page) => {
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

  test.for([
    ['required', 'the browser stops it', 1],
    ['unrequired', 'the page is shown again', 2],
  ] as const)(
    'a user name submitted as the password is not recorded: %s, %s',
    async ([name, , count], { expect }) => {
      const user = newUser()
      const { actions, logins } = await recording.actions(
        recording.odd.authorize(name),
        user,
        async (page) => {
          await page.getByLabel('Password').pressSequentially(user.name)
          await page.getByRole('button', { name: 'Sign in' }).click()
          if (name === 'unrequired')
            await page.waitForFunction(
              () => document.querySelector<HTMLInputElement>('[name=x2]')?.value === '',
            )
          await page.getByLabel('Email').pressSequentially(user.name)
          await page.getByLabel('Password').clear()
          await page.getByLabel('Password').pressSequentially(user.password)
          await page.getByRole('button', { name: 'Sign in' }).click()
        },
      )
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

  test.for<[string, string, RegExp]>([
    ['Customer number', '40711', /^at label="Customer number" .*neither TEST_USER nor TEST_PASSWORD/],
    ['Customer number', '407112', /the six typed digits are not a one-time password of TEST_TOTP_SECRET/],
    ['Password', 'canary-other-password', /the typed password is not TEST_PASSWORD/],
  ])(
    'a value at %s that no variable contains is reported as missing: %s',
    async ([label, value, sentence], { expect }) => {
      const user = newUser()
      const { actions } = await recording.actions(recording.odd.authorize('numbered'), user, async (page) => {
        await page.getByLabel('Email').fill(user.name)
        await page.getByLabel('Password').fill(user.password)
        await page.getByLabel(label).fill(value)
        await page.getByRole('button', { name: 'Sign in' }).click()
      })
      const recorded = signInRecipe(actions, [])
      expect(recorded.missing).toEqual([expect.stringMatching(sentence)])
      expect(JSON.stringify({ actions, recorded })).not.toContain(value)
    },
  )
})
