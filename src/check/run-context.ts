import { randomInt } from 'node:crypto'
import type { Page } from 'playwright'
import { AssetCache, type JourneyStep, type UserAgent, type Windows } from '../browser/index.ts'
import type { AnsweredSearch } from '../event-hub/answered-search.ts'
import type { HubEvent } from '../event-hub/event.ts'
import { type Random, randomFrom } from '../event-hub/split.ts'
import type { Exchange } from '../evidence/exchange.ts'
import { Recorder } from '../evidence/recorder.ts'
import { Vault } from '../evidence/vault.ts'
import { Budget } from '../http/budget.ts'
import { Http } from '../http/http.ts'
import type { AuthorizationRequest } from '../oauth/authorization-request.ts'
import { IdentityProvider } from '../oauth/identity-provider.ts'
import type { Target } from '../target/target.ts'
import type { SearchViolation } from './events/search-violation.ts'
import type { ReceivedRedirect, RefusedAuthorization } from './landing.ts'
import type { Host } from './requirement.ts'
import { ValidRequests } from './valid-requests.ts'
import type { Cause } from './verdict.ts'

/** Maximum size of all bodies of a run, most of which stay in memory; a lawful run reads a few megabytes. */
const runBytes = 64 * 1024 * 1024

/** A negative check repeats a control that is older than this, in milliseconds. */
export const controlLifetimeMs = 60_000

/** A valid request that the checked requests differ from. */
type Control = 'authorization' | 'code exchange' | 'refresh' | 'userinfo' | 'event search'

/** Why all checks of a host are inconclusive. */
export interface UnreachableHost {
  /** One sentence. */
  readonly reason: string
  readonly cause: Cause
}

/** The inputs of a run. */
export interface RunOptions {
  readonly target: Target
  /** The budget of the run, which its preflight has already used. */
  readonly budget?: Budget
  /** Windows of a browser, which the run does not close. If absent, no selected check needs a browser. */
  readonly windows?: Windows
  /** Milliseconds to wait before each browser step. */
  readonly slowMo?: number
  /** The hosts that the preflight could not reach. */
  readonly unreachableHosts?: Readonly<Partial<Record<Host, UnreachableHost>>>
}

interface Shared {
  readonly value: Promise<unknown>
  readonly exchanges: Exchange[]
}

/**
 * The state that the checks of a run share: budget, recorder, HTTP client, browser, and the results of shared requests
 * (the signed-in session, tokens, keys, controls).
 */
export class RunContext {
  readonly target: Target
  readonly options: RunOptions
  readonly #windows: Windows | undefined
  readonly slowMo: number
  readonly unreachableHosts: Readonly<Partial<Record<Host, UnreachableHost>>>
  readonly budget: Budget
  readonly recorder = new Recorder()
  readonly vault = new Vault()
  readonly http: Http
  readonly provider: IdentityProvider
  /** Authorization requests of the application that did not return a code alone. */
  readonly refusals: RefusedAuthorization[] = []
  /** Every redirect back to the application, in order. */
  readonly redirects: ReceivedRedirect[] = []
  /** Client ids of applications for which a user has completed every page, if any. */
  readonly mayHaveConsentedTo = new Set<string>()
  readonly validRequests = new ValidRequests()
  /** Scripts and style sheets that pages have loaded. */
  readonly assets = new AssetCache()
  /** What was typed and pressed on pages of the target, in order. */
  readonly journeySteps: JourneyStep[] = []
  /** The pages on which the user has cancelled, by their requests. */
  readonly cancelledAt = new Map<AuthorizationRequest, 'login-page' | 'consent-page'>()
  /** Is called with a page that Plumbline does not recognise. */
  onStuck: ((page: Page) => Promise<void>) | undefined
  /** A window without a session that has shown no page, for the next request that needs one. */
  unusedAgent: UserAgent | undefined
  /** Whether a published key has verified a token, so that the address of the key set is correct. */
  keySetVerifies = false
  /** Whether the target shows a login page to users without a session before it refuses their requests. */
  refusesAfterLogin = false
  /** Events in accepted searches, by their content. Other people's data: never to be shown. */
  readonly eventsRead = new Map<string, HubEvent>()
  /** All searches with their responses, in the order of the responses. */
  readonly searches: AnsweredSearch[] = []
  /** Valid searches that the target refuses and no check has reported yet. */
  readonly refusedSearches = new Set<SearchViolation>()
  /** Random seed of this run; SEED repeats it. */
  readonly seed: number
  /** When each control last worked, in milliseconds since the epoch. */
  readonly #lastWorked = new Map<Control, number>()
  readonly #shared = new Map<string, Shared>()
  readonly #beforeClaimChange: (() => Promise<void>)[] = []
  readonly #closers: (() => Promise<void>)[] = []

  constructor(options: RunOptions) {
    const { target, budget = new Budget(target), windows, slowMo = 0, unreachableHosts = {} } = options
    this.options = options
    this.target = target
    this.budget = budget
    this.#windows = windows
    this.slowMo = slowMo
    this.unreachableHosts = unreachableHosts
    this.seed = target.seed ?? randomInt(2 ** 32)
    this.http = new Http(this.budget, this.recorder, target.proxy, { maxBytes: runBytes })
    this.provider = new IdentityProvider(this.http, target, (token) => this.vault.add(token))
    const { application, secondApplication, partner, unentitledPartner, user } = target
    this.vault.add(application?.secret, secondApplication?.secret, partner?.secret, unentitledPartner?.secret)
    this.vault.add(user?.name, user?.password, user?.totpSecret)
    this.vault.add(target.secondUser?.name, target.secondUser?.password)
  }

  /**
   * Makes a value once per run, and caches it or its failure with its exchanges, which become evidence of every check
   * that uses it.
   */
  async once<T>(name: string, make: () => Promise<T>): Promise<T> {
    let entry = this.#shared.get(name)
    if (!entry) {
      const exchanges: Exchange[] = []
      entry = { value: this.recorder.during(make, exchanges), exchanges }
      this.#shared.set(name, entry)
    }
    try {
      return (await entry.value) as T
    } finally {
      this.recorder.recall(entry.exchanges)
    }
  }

  /** The windows of the run's browser. @throws if no browser was launched: a check that needs one must declare the effect `login` */
  get windows(): Windows {
    if (this.#windows === undefined) throw new Error('a check that needs a browser declares no login effect')
    return this.#windows
  }

  /** Random numbers for one purpose, which depend only on the seed and the purpose. */
  random(purpose: string): Random {
    return randomFrom(this.seed, purpose)
  }

  /** Removes a shared value from the cache, so that the next use makes a new one. */
  forget(name: string): void {
    this.#shared.delete(name)
  }

  /**
   * Registers a preparation for the change of the test user's claim, which happens once per run. Later registrations
   * have no effect.
   */
  beforeClaimChange(prepare: () => Promise<void>): void {
    this.#beforeClaimChange.push(prepare)
  }

  /** Runs the registered preparations in order. A failed one does not affect the others. */
  async prepareClaimChange(): Promise<void> {
    for (const prepare of this.#beforeClaimChange) await prepare().catch(() => undefined)
  }

  /**
   * Converts a local time to the target's clock, if its offset is known.
   * @param at milliseconds since the epoch, like the result
   */
  targetTime(at = Date.now()): number {
    return at + (this.http.clockOffsetMs ?? 0)
  }

  /** Notes that a control has just been accepted. */
  controlWorked(name: Control): void {
    this.#lastWorked.set(name, Date.now())
  }

  /** Whether a control has worked, but too long ago to judge a refusal. */
  controlIsStale(name: Control): boolean {
    const last = this.#lastWorked.get(name)
    return last !== undefined && Date.now() - last > controlLifetimeMs
  }

  /** Whether a control has worked within the last minute. */
  controlIsRecent(name: Control): boolean {
    return this.#lastWorked.has(name) && !this.controlIsStale(name)
  }

  /** Registers a function to call at the end of the run, last registered first. Its errors are ignored. */
  onClose(close: () => Promise<void>): void {
    this.#closers.unshift(close)
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close().catch(() => undefined)
    await this.http.close()
  }
}
