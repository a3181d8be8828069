import type { Browser, BrowserContext, Page } from 'playwright'
import type { Recorder } from '../evidence/recorder.ts'
import type { Budget } from '../http/budget.ts'
import { causeOf, HttpFailure } from '../http/failures.ts'
import type { TestUser } from '../target/target.ts'
import type { Act as RecordedAct } from './capture/acts.ts'
import { Recording } from './capture/recording.ts'
import { ClaimPage } from './claim-page.ts'
import type { ClaimRecipe } from './claim-recipe.ts'
import { Journey, type JourneyStep } from './journey.ts'
import type { Landing } from './landing.ts'
import type { Act } from './lookout.ts'
import { type LoginRecipe, loadLoginRecipe } from './recipe.ts'
import { Traffic, type TrafficEnd } from './traffic.ts'

export interface UserAgentOptions {
  readonly budget: Budget
  readonly recorder: Recorder
  /** The target's hosts, with port unless it is the scheme's default. A recipe may add some. */
  readonly hosts: readonly string[]
  /** Registered redirect URIs. None of them is ever loaded. */
  readonly redirectUris: readonly string[]
  /** Path of a login recipe; absent: the built-in heuristic. */
  readonly recipe?: string
  /** For one authorization request, in milliseconds. Waiting for the budget or for a one-time password is extra. */
  readonly timeoutMs?: number
}

export interface AuthorizeOptions {
  /** The redirect URI of this request, registered or not. */
  readonly redirectUri: string
  readonly act: Act
  readonly user?: TestUser
  /** The request has to come back: a page that asks for nothing is waited for until the time is over. */
  readonly patient?: boolean
  /** Hears of everything that is typed and pressed. */
  readonly onStep?: (step: JourneyStep) => void
}

export interface RecordOptions {
  readonly redirectUri: string
  readonly user?: TestUser
  /** Is handed the window when it is open. */
  readonly onWindow?: (page: Page) => void
}

/** What somebody did in a window, and where it ended: undefined where the window was closed. */
export interface WatchedLogin {
  readonly acts: readonly RecordedAct[]
  /** What of it no recipe can hold: sentences. */
  readonly beyond: readonly string[]
  readonly end: TrafficEnd | undefined
  /** Hosts that pages asked for, in vain. */
  readonly refusedHosts: readonly string[]
}

/** A browser window with a cookie jar of its own: one user agent in the sense of RFC 6749. */
export class UserAgent {
  readonly #context: BrowserContext
  readonly #page: Page
  readonly #traffic: Traffic
  readonly #options: UserAgentOptions
  readonly #recipe: LoginRecipe | undefined

  private constructor(
    context: BrowserContext,
    page: Page,
    traffic: Traffic,
    options: UserAgentOptions,
    recipe: LoginRecipe | undefined,
  ) {
    this.#context = context
    this.#page = page
    this.#traffic = traffic
    this.#options = options
    this.#recipe = recipe
  }

  /**
   * Opens a window without cookies, storage or cache. Close it after use.
   * @throws {SetupError} for a login recipe that cannot be used
   */
  static async open(browser: Browser, options: UserAgentOptions): Promise<UserAgent> {
    const recipe = options.recipe === undefined ? undefined : loadLoginRecipe(options.recipe)
    const hosts = [...options.hosts, ...(recipe?.hosts ?? [])]
    const context = await browser.newContext({ serviceWorkers: 'block', acceptDownloads: false })
    const page = await context.newPage()
    // Windows that a page opens by itself are no part of the journey.
    context.on('page', (opened) => opened.close().catch(() => undefined))
    const traffic = await Traffic.watch(context, page, { ...options, hosts })
    return new UserAgent(context, page, traffic, options, recipe)
  }

  /**
   * Sends an authorization request and follows it to where it ends. Never throws for anything the target does.
   * One at a time: a user agent has one window.
   */
  async authorize(
    url: URL,
    { redirectUri, act, user, onStep, patient = false }: AuthorizeOptions,
  ): Promise<Landing> {
    this.#traffic.begin([...this.#options.redirectUris, redirectUri])
    const journey = new Journey({
      page: this.#page,
      traffic: this.#traffic,
      budget: this.#options.budget,
      act,
      patient,
      timeoutMs: this.#options.timeoutMs ?? 15_000,
      ...(user && { user }),
      ...(onStep && { onStep }),
      ...(this.#recipe && { recipe: this.#recipe }),
    })
    try {
      return await journey.run(url)
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      return { kind: 'failed', failure: error.kind, cause: causeOf(error), reason: error.message }
    }
  }

  /** Sends an authorization request, and looks on while somebody else answers its pages in the window. */
  async record(url: URL, { redirectUri, user, onWindow }: RecordOptions): Promise<WatchedLogin> {
    const page = this.#page
    const ended = Promise.withResolvers<TrafficEnd | undefined>()
    this.#traffic.begin([...this.#options.redirectUris, redirectUri])
    void this.#traffic.end.then(ended.resolve)
    page.once('close', () => ended.resolve(undefined))
    const recording = await Recording.start({
      page,
      budget: this.#options.budget,
      ...(user && { user }),
      onFailure: (failure) => ended.resolve({ failure }),
    })
    onWindow?.(page)
    try {
      await this.#traffic.pass(url.href)
      // Where it leads is the traffic's to tell, and what the window shows is the user's to see.
      page.goto(url.href, { waitUntil: 'commit', timeout: 0 }).catch(() => undefined)
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      ended.resolve({ failure: error })
    }
    const end = await ended.promise
    return { ...(await recording.end()), end, refusedHosts: [...this.#traffic.refusedHosts] }
  }

  /** The page on which the user of this window changes a claim. */
  claimPage(recipe: ClaimRecipe, url: URL, user: TestUser | undefined): ClaimPage {
    return new ClaimPage({
      page: this.#page,
      traffic: this.#traffic,
      budget: this.#options.budget,
      recipe,
      url,
      timeoutMs: this.#options.timeoutMs ?? 15_000,
      ...(user && { user }),
    })
  }

  async close(): Promise<void> {
    await this.#context.close()
  }
}
