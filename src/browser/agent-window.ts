import type { Page } from 'playwright'
import { HttpFailure } from '../http/failures.ts'
import type { JourneyWindow } from './journey-traffic.ts'
import { guardMemory } from './memory-guard.ts'
import { PageTraffic, type TrafficOptions } from './page-traffic.ts'
import type { LoginRecipe } from './recipe.ts'
import type { BrowserWindow, Windows } from './windows.ts'

const leaveTimeoutMs = 3000

interface AgentWindowOptions extends TrafficOptions {
  readonly timeoutMs: number
  readonly recipe: LoginRecipe | undefined
}

/**
 * The browser window of a user agent. It runs one journey at a time. A journey is one visit to pages of the target, for
 * example from an authorization request to the redirect to the application.
 */
export class AgentWindow {
  readonly #windows: Windows
  readonly #context: BrowserWindow['context']
  readonly #options: AgentWindowOptions
  #page: Page
  #traffic: PageTraffic
  readonly #crashedPages = new WeakSet<Page>()
  #isReplacing = false
  #closed: Promise<void> | undefined

  private constructor(
    windows: Windows,
    window: BrowserWindow,
    options: AgentWindowOptions,
    traffic: PageTraffic,
  ) {
    this.#windows = windows
    this.#context = window.context
    this.#options = options
    this.#page = window.page
    this.#traffic = traffic
    this.#page.once('crash', (crashed) => this.#crashedPages.add(crashed))
    this.#context.on('page', this.#closePopup)
  }

  static async open(windows: Windows, options: AgentWindowOptions): Promise<AgentWindow> {
    const window = await windows.open()
    const traffic = await PageTraffic.attach(window.context, window.page, options)
    return new AgentWindow(windows, window, options, traffic)
  }

  /**
   * Runs one journey. Its traffic ends when the target sends the browser to one of `redirectUris`, or to a host
   * that the policy does not permit.
   * @param work uses the window; the journey ends when the promise that `work` returns settles
   * @param pages name of the pages in reasons, such as `the login pages`
   */
  async journey<T>(
    redirectUris: readonly string[],
    work: (window: JourneyWindow) => Promise<T>,
    pages?: string,
  ): Promise<T> {
    if (this.#page.isClosed() || this.#crashedPages.has(this.#page)) await this.#replace()
    const ended = new AbortController()
    const window = this.begin(redirectUris, ended.signal, pages)
    const stopGuard = guardMemory(this.#context.browser(), (reason) =>
      window.traffic.finish({ failure: new HttpFailure('unavailable', reason) }),
    )
    try {
      return await work(window)
    } finally {
      stopGuard()
      ended.abort()
      if (this.#traffic.end()) await this.#leave()
    }
  }

  /** Begins a journey. The method `journey` also ends it. A login by hand does not, so that the page stays open. */
  begin(redirectUris: readonly string[], signal: AbortSignal, pages = 'the login pages'): JourneyWindow {
    const { budget, timeoutMs, recipe } = this.#options
    const { direct } = this.#traffic
    const traffic = this.#traffic.begin(redirectUris, pages)
    const tryWithoutPage = async (url: string) =>
      (await direct?.send(url, traffic, { signal, timeoutMs })) ?? false
    return { page: this.#page, traffic, tryWithoutPage, budget, recipe, timeoutMs, signal }
  }

  /** Closes the window; further calls do nothing. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    if (this.#traffic.end()) await this.#leave()
    await this.#windows.close({ context: this.#context, page: this.#page }, async () => {
      await this.#traffic.detach()
      this.#context.off('page', this.#closePopup)
    })
  }

  readonly #closePopup = (popup: Page): void => {
    if (!this.#isReplacing) popup.close().catch(() => undefined)
  }

  /** Leaves the page, which ends its requests and scripts. If the browser cannot leave the page, replaces it. */
  async #leave(): Promise<void> {
    const leaving = this.#page.goto('about:blank', { waitUntil: 'commit', timeout: leaveTimeoutMs })
    await leaving.catch(() => this.#replace())
  }

  /** Replaces the page by a new page with the same cookies. */
  async #replace(): Promise<void> {
    this.#isReplacing = true
    try {
      const page = await this.#context.newPage()
      this.#traffic = await PageTraffic.attach(this.#context, page, this.#options)
      page.once('crash', (crashed) => this.#crashedPages.add(crashed))
      this.#page = page
      for (const other of this.#context.pages()) if (other !== page) await other.close()
    } catch {
      // The browser is closing, and the next navigation fails.
    } finally {
      this.#isReplacing = false
    }
  }
}
