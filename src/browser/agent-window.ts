import type { Page } from 'playwright'
import { HttpFailure } from '../http/failures.ts'
import type { JourneyWindow } from './journey-traffic.ts'
import { guardMemory } from './memory-guard.ts'
import { PageTraffic, type TrafficOptions } from './page-traffic.ts'
import type { LoginRecipe } from './recipe.ts'
import type { BrowserWindow, Windows } from './windows.ts'

/** Time limit to leave a page, in milliseconds. */
const leaveMs = 3000

interface AgentWindowOptions extends TrafficOptions {
  readonly timeoutMs: number
  readonly recipe: LoginRecipe | undefined
}

/** The window of a user agent, in which its journeys follow one another without overlap. */
export class AgentWindow {
  readonly #windows: Windows
  readonly #context: BrowserWindow['context']
  readonly #options: AgentWindowOptions
  #page: Page
  #traffic: PageTraffic
  /** Pages that crashed. */
  readonly #crashed = new WeakSet<Page>()
  #opens = false
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
    this.#page.once('crash', (crashed) => this.#crashed.add(crashed))
    this.#context.on('page', this.#closeOpened)
  }

  static async open(windows: Windows, options: AgentWindowOptions): Promise<AgentWindow> {
    const window = await windows.open()
    const traffic = await PageTraffic.attach(window.context, window.page, options)
    return new AgentWindow(windows, window, options, traffic)
  }

  /**
   * Runs one journey, which ends when the browser is sent to one of `redirectUris` or outside the hosts.
   * @param work uses the window until it settles
   * @param pages what the pages of the journey are called in reasons
   */
  async journey<T>(
    redirectUris: readonly string[],
    work: (window: JourneyWindow) => Promise<T>,
    pages?: string,
  ): Promise<T> {
    if (this.#page.isClosed() || this.#crashed.has(this.#page)) await this.#replace()
    const over = new AbortController()
    const window = this.begin(redirectUris, over.signal, pages)
    const endGuard = guardMemory(this.#context.browser(), (reason) =>
      window.traffic.finish({ failure: new HttpFailure('unavailable', reason) }),
    )
    try {
      return await work(window)
    } finally {
      endGuard()
      over.abort()
      if (this.#traffic.end()) await this.#leave()
    }
  }

  /** Begins a journey. Unless `journey` ends it, its page stays as it is. */
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
      this.#context.off('page', this.#closeOpened)
    })
  }

  /** Windows that a page opens are not part of the journey. */
  readonly #closeOpened = (opened: Page): void => {
    if (!this.#opens) opened.close().catch(() => undefined)
  }

  /** Leaves the page, which ends its requests and scripts; if that fails, replaces the page. */
  async #leave(): Promise<void> {
    const leaving = this.#page.goto('about:blank', { waitUntil: 'commit', timeout: leaveMs })
    await leaving.catch(() => this.#replace())
  }

  /** Opens another page with the same cookies. */
  async #replace(): Promise<void> {
    this.#opens = true
    try {
      const page = await this.#context.newPage()
      this.#traffic = await PageTraffic.attach(this.#context, page, this.#options)
      page.once('crash', (crashed) => this.#crashed.add(crashed))
      this.#page = page
      for (const other of this.#context.pages()) if (other !== page) await other.close()
    } catch {
      // The browser is being closed: the next navigation fails.
    } finally {
      this.#opens = false
    }
  }
}
