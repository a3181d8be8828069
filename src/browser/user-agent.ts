import type { Page } from 'playwright'
import type { Recorder } from '../evidence/recorder.ts'
import type { Budget } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import type { TestUser } from '../target/target.ts'
import { AgentWindow } from './agent-window.ts'
import { AssetCache } from './asset-cache.ts'
import { type ClaimPage, RecipeClaimPage } from './claim-page.ts'
import type { ClaimRecipe } from './claim-recipe.ts'
import type { DirectRequests } from './direct-navigation.ts'
import { Journey, type JourneyOptions } from './journey.ts'
import type { TrafficEnd } from './journey-traffic.ts'
import { failedBy, type Landing } from './landing.ts'
import { loadLoginRecipe } from './recipe.ts'
import { RequestPolicy } from './request-policy.ts'
import type { Windows } from './windows.ts'

export interface UserAgentOptions {
  readonly budget: Budget
  readonly recorder: Recorder
  /** Hosts of the target, as `RequestPolicy` expects them. A recipe may add more hosts. */
  readonly hosts: readonly string[]
  /** Registered redirect URIs, which the browser never loads. */
  readonly redirectUris: readonly string[]
  /** Assets that the windows of the run share; none by default. */
  readonly assets?: AssetCache
  /** State of the requests without a page, which the windows of a run share. If absent, pages send all requests. */
  readonly directRequests?: DirectRequests
  /** Whether a person uses the pages, which then also load images, fonts and media; no by default. */
  readonly isManual?: boolean
  /** Path of a login recipe; by default Plumbline itself recognises the pages. */
  readonly recipe?: string
  /** Time limit for each response of the target, in milliseconds; 15 000 by default. See `Deadline`. */
  readonly timeoutMs?: number
}

export interface AuthorizeOptions extends JourneyOptions {
  /** The `redirect_uri` of this request, even if it is not registered. */
  readonly redirectUri: string
}

/** Where a login by hand ended. */
export interface ManualLoginEnd<T = unknown> {
  /** What `attach` returned. */
  readonly attached: T
  /** Undefined if the person closed the window. */
  readonly end: TrafficEnd | undefined
  readonly refusedHosts: readonly string[]
}

/** The part of a user agent that a run uses. */
export type Agent = Pick<UserAgent, 'authorize' | 'claimPage' | 'close'>

/** Opens a user agent without a session. @throws {SetupError} for a login recipe that cannot be used */
export type OpenAgent = (options: UserAgentOptions) => Promise<Agent>

/** A browser window with its own cookies: one user agent in the sense of RFC 6749. */
export class UserAgent {
  readonly #window: AgentWindow
  readonly #redirectUris: readonly string[]

  private constructor(window: AgentWindow, redirectUris: readonly string[]) {
    this.#window = window
    this.#redirectUris = redirectUris
  }

  /**
   * Opens a window without a session. Close it after use.
   * @throws {SetupError} for a login recipe that cannot be used
   */
  static async open(windows: Windows, options: UserAgentOptions): Promise<UserAgent> {
    const { hosts, redirectUris, isManual = false, recipe: path, ...shared } = options
    const recipe = path === undefined ? undefined : loadLoginRecipe(path)
    const window = await AgentWindow.open(windows, {
      assets: new AssetCache(),
      timeoutMs: 15_000,
      ...shared,
      policy: new RequestPolicy(
        [...hosts, ...(recipe?.hosts ?? [])],
        isManual || recipe?.loadImages === true,
      ),
      recipe,
    })
    return new UserAgent(window, redirectUris)
  }

  /**
   * Sends an authorization request, and follows the journey to its landing. Never throws because of the target. Await
   * the landing before the next call, because a user agent has one window.
   */
  async authorize(url: URL, { redirectUri, ...options }: AuthorizeOptions): Promise<Landing> {
    try {
      return await this.#window.journey([...this.#redirectUris, redirectUri], (window) =>
        new Journey(window, options).run(url),
      )
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      return failedBy(error)
    }
  }

  /**
   * Sends an authorization request, and waits until a person has finished the login in the window.
   * @param attach called with the page before the first request; its `fail` ends the wait
   */
  async manualLogin<T>(
    url: URL,
    redirectUri: string,
    attach: (page: Page, fail: (failure: HttpFailure) => void) => Promise<T>,
  ): Promise<ManualLoginEnd<T>> {
    const { signal } = new AbortController()
    const { page, traffic } = this.#window.begin([...this.#redirectUris, redirectUri], signal)
    const ended = Promise.withResolvers<TrafficEnd | undefined>()
    const fail = (failure: HttpFailure) => ended.resolve({ failure })
    void traffic.end.then(ended.resolve)
    page.once('close', () => ended.resolve(undefined))
    const attached = await attach(page, fail)
    try {
      await traffic.admitNavigation(url.href)
      // The traffic reports the outcome, and the person sees an error in the window.
      page.goto(url.href, { waitUntil: 'commit', timeout: 0 }).catch(() => undefined)
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      fail(error)
    }
    return { attached, end: await ended.promise, refusedHosts: [...traffic.refusedHosts] }
  }

  claimPage(recipe: ClaimRecipe, url: URL, user: TestUser | undefined): ClaimPage {
    return new RecipeClaimPage(this.#window, recipe, url, user)
  }

  async close(): Promise<void> {
    await this.#window.close()
  }
}
