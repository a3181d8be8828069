import { afterAll, beforeAll, expect } from 'vitest'
import type { Landing, Redirect } from '../../src/browser/index.ts'
import { redirectUri, startLoginSite, user } from './login-site.ts'
import { html, type Received, type Site, startSite } from './site.ts'
import { TestBrowser } from './test-browser.ts'

/**
 * A browser, a login site, a site that each test defines (`custom`), and a site that the browser must not load
 * (`other`).
 */
export class JourneySites {
  login!: Awaited<ReturnType<typeof startLoginSite>>
  custom!: Site
  other!: Site
  browser!: TestBrowser
  /** The response of `custom`. */
  answer: (request: Received) => ReturnType<Parameters<typeof startSite>[0]> = () => undefined

  /** Starts browser and sites before the tests of the calling file, and closes them afterwards. */
  constructor() {
    beforeAll(async () => {
      this.login = await startLoginSite()
      this.other = await startSite(() => html('must never be seen'))
      this.custom = await startSite((request) => this.answer(request))
      this.browser = await TestBrowser.start([this.login.host, this.custom.host])
    })
    afterAll(async () => {
      await this.browser?.close()
      await Promise.all([this.login, this.other, this.custom].map((each) => each?.close()))
    })
  }
}

export function redirected(landing: Landing): Redirect {
  expect(landing).toMatchObject({ kind: 'redirect' })
  return landing as Redirect
}

export const act = 'sign-in'
export const common = { redirectUri, user }
