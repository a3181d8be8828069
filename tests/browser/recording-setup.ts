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
/** The actions of a person in the window of the browser. */
export type Engineer = (page: Page, user: User) => Promise<unknown>

/** Records logins at two sites, and follows the recorded recipes. Hooks of the calling test file close everything. */
export class RecordingSetup {
  site!: Awaited<ReturnType<typeof startLoginSite>>
  odd!: Awaited<ReturnType<typeof startOddSite>>
  browser!: TestBrowser
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'plumbline-recording-'))
  #files = 0

  /** Starts the sites and the browser for the tests of the calling file. */
  constructor() {
    // Each test waits for half of its time, so two tests run at once.
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

  /** Follows a recorded recipe in a new window. The recipe must not contain a typed value. */
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
 * The one-time password of 25 s ago, as a slow engineer types it. The next login can then use the current one-time
 * password, and need not wait up to 30 s for another one.
 */
export const code = ({ totpSecret }: User) =>
  new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate({ timestamp: Date.now() - 25_000 })

export const plainly: Engineer = async (page, user) => {
  await page.getByLabel('Email').fill(user.name)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
