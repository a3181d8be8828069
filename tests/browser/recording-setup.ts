import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { recordActions } from '../../src/recording/action-recorder.ts'
import { type RecordedRecipe, signInRecipe } from '../../src/recording/recipe-from-actions.ts'
import { type newUser, redirectUri, startLoginSite } from './login-site.ts'
import { startOddSite } from './odd-site.ts'
import { TestBrowser } from './test-browser.ts'

export type User = ReturnType<typeof newUser>
/** What a person does in the window. */
export type Engineer = (page: Page, user: User) => Promise<unknown>

/** Records logins at two sites and follows the recorded recipes, in one browser; all end with the test file. */
export class RecordingSetup {
  site!: Awaited<ReturnType<typeof startLoginSite>>
  odd!: Awaited<ReturnType<typeof startOddSite>>
  browser!: TestBrowser
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'plumbline-recording-'))
  #files = 0

  /** Starts them for the tests of the calling file. */
  constructor() {
    // Tests wait as much as they compute, so that two run at once.
    vi.setConfig({ testTimeout: 90_000, maxConcurrency: 2 })
    beforeAll(async () => {
      this.site = await startLoginSite()
      this.odd = await startOddSite()
      this.browser = await TestBrowser.start([this.site.host, this.odd.host])
    })
    afterAll(async () => {
      rmSync(this.#folder, { recursive: true })
      await this.browser?.close()
      await Promise.all([this.site?.close(), this.odd?.close()])
    })
  }

  /** Records the actions of a person in a window, until the login ends or the window is closed. */
  async actions(start: URL, user: User, engineer: Engineer) {
    await using window = await this.browser.agent([start.host])
    let acting: Promise<unknown> = Promise.resolve()
    const recorded = await recordActions(window.agent, start, {
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
    return { ...recorded, logins: window.budget.logins }
  }

  /** The recipe of a login that succeeds. */
  async recipe(start: URL, user: User, engineer: Engineer): Promise<RecordedRecipe> {
    const { actions, unsupported, end, logins } = await this.actions(start, user, engineer)
    expect(end).toMatchObject({ redirect: { location: expect.stringContaining(redirectUri) } })
    expect({ unsupported, logins }).toEqual({ unsupported: [], logins: 1 })
    return signInRecipe(actions, [user.name, user.password])
  }

  /** Where a recorded recipe leads, in a window of its own. No value that was typed is in it. */
  async follow(recorded: RecordedRecipe, start: URL, user: User, act: 'sign-in' | 'cancel' = 'sign-in') {
    expect(recorded.missing).toEqual([])
    this.#files += 1
    const recipe = path.join(this.#folder, `recipe-${this.#files}.json`)
    writeFileSync(recipe, JSON.stringify(recorded.recipe))
    const text = readFileSync(recipe, 'utf8')
    for (const value of [user.name, user.password, user.totpSecret]) expect(text).not.toContain(value)
    await using window = await this.browser.agent([start.host], { recipe })
    const steps: string[] = []
    const onStep = ({ did }: { readonly did: string }) => steps.push(did)
    return { landing: await window.agent.authorize(start, { redirectUri, act, user, onStep }), steps }
  }
}

/**
 * What a slow engineer types: the one-time password of the step before, unless the present step ends in five seconds.
 * Otherwise the login after it would wait for the next step.
 */
export const code = ({ totpSecret }: User) =>
  new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate({ timestamp: Date.now() - 25_000 })

export const plainly: Engineer = async (page, user) => {
  await page.getByLabel('Email').fill(user.name)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
