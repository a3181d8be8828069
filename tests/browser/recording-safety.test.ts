import { describe, test } from 'vitest'
import { recordActions } from '../../src/recording/action-recorder.ts'
import { newUser, redirectUri } from './login-site.ts'
import { plainly, RecordingSetup } from './recording-setup.ts'

const recording = new RecordingSetup()

describe.concurrent('a recording', () => {
  test('lets no page forge actions or detect the listener', async ({ expect }) => {
    const user = newUser()
    const { actions, unsupported, end } = await recording.actions(
      recording.odd.authorize('forging'),
      user,
      async (page) => {
        await page.locator('#done').waitFor()
        expect(
          await page.evaluate(() => Object.keys(globalThis).filter((name) => /plumbline/i.test(name))),
        ).toEqual([])
        await page.close()
      },
    )
    expect({ actions, unsupported, end }).toEqual({ actions: [], unsupported: [], end: undefined })
  })

  test('reports refused hosts, and sends them no request', async ({ expect }) => {
    const { refusedHosts, end } = await recording.actions(
      recording.odd.authorize('elsewhere'),
      newUser(),
      async (page) => {
        await page.locator('p').waitFor()
        await page.close()
      },
    )
    expect({ refusedHosts, end }).toEqual({ refusedHosts: ['cdn.invalid'], end: undefined })
  })

  test('ends when the engineer types more logins than the budget allows', async ({ expect }) => {
    await using window = await recording.browser.agent([recording.site.host], { budget: { loginBudget: 1 } })
    const user = newUser()
    const recorded = await recordActions(window.agent, recording.site.authorize('plain'), {
      redirectUri,
      budget: window.budget,
      user,
      actor: async (page) => {
        await plainly(page, { ...user, password: 'canary-wrong' })
        await page.waitForLoadState()
        await plainly(page, user).catch(() => undefined)
      },
    })
    expect(recorded.end).toMatchObject({ failure: { kind: 'budget-spent' } })
  })
})
