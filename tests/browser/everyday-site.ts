import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { UserAgent } from '../../src/browser/index.ts'
import { type Answer, html, type Received, redirect, type Site, startSite } from './site.ts'
import { TestBrowser } from './test-browser.ts'

const redirectUri = 'https://app.invalid/callback'
/** The redirects that end a successful and a refused login. */
export const code = `${redirectUri}?code=canary&state=1`
export const denied = `${redirectUri}?error=access_denied&state=1`
const user = { name: 'alice@example.com', password: 'canary-password-4417' }
const scope = 'openid email profile'

/** Responses by path. The authorization request is for `/authorize`. */
type Pages = Readonly<Record<string, (request: Received) => Answer>>

/** A login site whose pages each test defines. Hooks of the calling test file start and close the site. */
export class EverydaySite {
  /** Forms that the pages have sent in this test. */
  posted: string[] = []
  #pages: Pages = {}
  #site!: Site
  #browser!: TestBrowser

  constructor() {
    beforeAll(async () => {
      this.#site = await startSite((request) => {
        const { pathname } = request.url
        const form = [...request.form].map((pair) => pair.join('='))
        if (request.method === 'POST') this.posted.push(`${pathname} ${form}`)
        return this.#pages[pathname]?.(request)
      })
      this.#browser = await TestBrowser.start([this.#site.host])
    })
    afterAll(async () => {
      await this.#browser?.close()
      await this.#site?.close()
    })
    beforeEach(() => {
      this.posted = []
    })
  }

  /** Method and path of each request. */
  get log(): readonly string[] {
    return this.#site.log
  }

  /** Serves `pages`, signs the test user in with a browser, and returns where the browser ends. */
  async land(pages: Pages, options: Partial<Parameters<UserAgent['authorize']>[1]> = {}, recipe?: string) {
    this.#pages = pages
    await using window = await this.#browser.agent([this.#site.host], recipe === undefined ? {} : { recipe })
    const url = new URL(`/authorize?${new URLSearchParams({ scope })}`, this.#site.origin)
    return await window.agent.authorize(url, { redirectUri, user, act: 'sign-in', ...options })
  }
}

export const show = (body: string) => () => html(body)
export const login = `<form method="post" action="/login"><label>E-mail <input name="u" autocomplete="username"></label>
  <label>Password <input name="p" type="password"></label>
  <label><input type="checkbox" name="remember"> Remember me</label><button>Sign in</button></form>`
/** Redirects the test user to `next` after a login, and refuses every other user. */
export const signedIn =
  (next: string) =>
  ({ form }: Received): Answer =>
    form.get('u') === user.name && form.get('p') === user.password
      ? redirect(next)
      : { status: 401, body: 'no' }
/** Redirects to `next` if the form is right, and to `otherwise` if not. */
export const given =
  (isRight: (form: URLSearchParams) => boolean, next: string, otherwise = denied) =>
  ({ form }: Received): Answer =>
    redirect(isRight(form) ? next : otherwise)

export const decision = (yes: string, no: string) =>
  `<button name="a" value="no">${no}</button> <button name="a" value="yes">${yes}</button>`
export const isYes = (form: URLSearchParams) => form.get('a') === 'yes'
export const isNo = (form: URLSearchParams) => form.get('a') === 'no'
