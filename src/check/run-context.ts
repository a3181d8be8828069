import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright'
import { type Agent, AssetCache, DirectRequests, type JourneyStep, type OpenAgent } from '../browser/index.ts'
import type { Exchange } from '../evidence/exchange.ts'
import { Recorder } from '../evidence/recorder.ts'
import { Vault } from '../evidence/vault.ts'
import { Budget } from '../http/budget.ts'
import { Http } from '../http/http.ts'
import type { Transport } from '../http/transport.ts'
import type { AuthorizationRequest } from '../oauth/authorization-request.ts'
import { IdentityProvider } from '../oauth/identity-provider.ts'
import { type Random, randomFrom } from '../random.ts'
import type { Target } from '../target/target.ts'
import { AuthorizationLog } from './authorization/authorization-log.ts'
import { BlockedRequests } from './blocked-requests.ts'
import { Controls } from './controls.ts'
import { SearchLog } from './events/search-log.ts'
import { RefusalKinds } from './refusal-kinds.ts'
import type { Host, RequirementId } from './requirement.ts'
import { ValidRequests } from './valid-requests.ts'
import type { Cause } from './verdict.ts'

/**
 * Maximum size of all response bodies of a run, in bytes: most stay in memory. An ordinary run reads a few megabytes.
 */
const runBytes = 64 * 1024 * 1024

/** Why all checks of a host are inconclusive. */
export interface UnusableHost {
  /** One sentence. */
  readonly reason: string
  readonly cause: Cause
  /** What to change, if known. */
  readonly advice?: string
}

/** The inputs of a run. */
export interface RunOptions {
  readonly target: Target
  /** The budget that the preflight (the test that the target is reachable) has begun to use; by default a new one. */
  readonly budget?: Budget
  /** Opens windows of a browser; the run does not close the browser. Absent if no selected check needs one. */
  readonly openAgent?: OpenAgent
  /** Milliseconds to wait before each browser step. */
  readonly slowMo?: number
  /** The hosts that the preflight could not reach. */
  readonly unusableHosts?: Readonly<Partial<Record<Host, UnusableHost>>>
}

/** The key of a shared value: the function that makes the value, with a parameter if it makes several values. */
export type SharedKey = Maker | readonly [maker: Maker, parameter: unknown]
type Maker = (...parameters: never[]) => unknown

interface Shared {
  readonly value: Promise<unknown>
  readonly exchanges: Exchange[]
}

/**
 * The state that the checks of a run share: budget, recorder, HTTP client, browser, logs, and the results of shared
 * requests (the signed-in session, tokens, keys, controls).
 */
export class RunContext {
  readonly target: Target
  readonly options: RunOptions
  /** The hosts that the preflight could not reach, or that have begun to refuse all requests. */
  readonly unusableHosts: Partial<Record<Host, UnusableHost>>
  /** Refusals after which Plumbline sent a valid request, to find out whether the host refuses every request. */
  readonly questionedRefusals = new RefusalKinds()
  /** Counts the requests that were repeated because a gateway may have blocked them: see short-block.ts. */
  readonly blockedRequests = new BlockedRequests()
  /** Consecutive logins that did not return to the application. After five, the run does not sign in again. */
  failedLogins = 0
  readonly budget: Budget
  readonly recorder = new Recorder()
  readonly vault = new Vault()
  readonly http: Http
  readonly provider: IdentityProvider
  readonly browser: RunBrowser
  readonly authorizationLog = new AuthorizationLog()
  readonly validRequests = new ValidRequests()
  readonly searchLog = new SearchLog()
  readonly controls = new Controls()
  /** By the key of a finding, the requirement that reports the finding: see `requireFirstFinding`. */
  readonly firstFindings = new Map<string, RequirementId>()
  /** Whether a published key has verified a token, which shows that the address of the key set is correct. */
  keySetVerifies = false
  /** Random seed of this run: SEED, or a random number if SEED is not set. */
  readonly seed: number
  readonly #shared = new Map<Maker, Map<unknown, Shared>>()
  readonly #beforeClaimChange: (() => Promise<void>)[] = []
  readonly #closers: (() => Promise<void>)[] = []

  constructor(options: RunOptions) {
    const { target, budget = new Budget(target), openAgent, slowMo = 0, unusableHosts = {} } = options
    this.options = options
    this.target = target
    this.budget = budget
    this.unusableHosts = { ...unusableHosts }
    this.seed = target.seed ?? randomInt(2 ** 32)
    this.http = new Http(this.budget, this.recorder, target.proxy, { maxBytes: runBytes })
    this.browser = new RunBrowser(openAgent, slowMo, this.http.transport)
    this.provider = new IdentityProvider(this.http, target, (token) => this.vault.add(token))
    const { application, secondApplication, partner, unentitledPartner, user } = target
    this.vault.add(application?.secret, secondApplication?.secret, partner?.secret, unentitledPartner?.secret)
    this.vault.add(user?.name, user?.password, user?.totpSecret)
    this.vault.add(target.secondUser?.name, target.secondUser?.password)
  }

  /** Called when a check begins to wait. */
  onWait: ((waitMs: number, why: string) => void) | undefined

  /**
   * Waits before a check continues.
   * @param why for the progress of the run; follows "waits 60 s"
   */
  async wait(waitMs: number, why: string): Promise<void> {
    if (waitMs <= 0) return
    this.onWait?.(waitMs, why)
    await sleep(waitMs)
  }

  /**
   * Makes a value once per run, and caches the value or the failure. The exchanges become evidence of every check that
   * uses the value.
   */
  async once<T>(key: SharedKey, make: () => Promise<T>): Promise<T> {
    const [maker, parameter] = partsOf(key)
    const values = this.#shared.get(maker) ?? new Map<unknown, Shared>()
    this.#shared.set(maker, values)
    let entry = values.get(parameter)
    if (!entry) {
      const exchanges: Exchange[] = []
      entry = { value: this.recorder.collectInto(exchanges, make), exchanges }
      values.set(parameter, entry)
    }
    try {
      return (await entry.value) as T
    } finally {
      this.recorder.useAsEvidence(entry.exchanges)
    }
  }

  /** Like `once`, but does not cache a failure: the next check tries again. */
  async onceSuccessful<T>(key: SharedKey, make: () => Promise<T>): Promise<T> {
    try {
      return await this.once(key, make)
    } catch (error) {
      this.forget(key)
      throw error
    }
  }

  /** Random numbers that depend only on the seed and the purpose. */
  random(purpose: string): Random {
    return randomFrom(this.seed, purpose)
  }

  /** Removes a shared value from the cache, so that the next use makes a new one. */
  forget(key: SharedKey): void {
    const [maker, parameter] = partsOf(key)
    this.#shared.get(maker)?.delete(parameter)
  }

  /** Registers a step to execute before the change of the test user's claim, which happens once per run. */
  beforeClaimChange(prepare: () => Promise<void>): void {
    this.#beforeClaimChange.push(prepare)
  }

  /** Executes the steps of `beforeClaimChange` in order, and ignores their failures. */
  async prepareClaimChange(): Promise<void> {
    for (const prepare of this.#beforeClaimChange) await prepare().catch(() => undefined)
  }

  /**
   * Converts a local time to the target's clock. If the offset is unknown, returns the local time.
   * @param at milliseconds since the epoch, like the result
   */
  targetTime(at = Date.now()): number {
    return at + (this.http.clockOffsetMs ?? 0)
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

function partsOf(key: SharedKey): readonly [maker: Maker, parameter?: unknown] {
  return typeof key === 'function' ? [key] : key
}

/** The browser of a run: the state that its user agents share, and a record of what they did. */
class RunBrowser {
  /** Milliseconds to wait before each browser step. */
  readonly slowMo: number
  /** Scripts and style sheets that pages have loaded. */
  readonly assets = new AssetCache()
  /** Sends authorization requests without a page. */
  readonly directRequests: DirectRequests
  /** What Plumbline typed and pressed on pages, in order. */
  readonly steps: JourneyStep[] = []
  /** For each authorization request that Plumbline cancelled as the user: the page on which it did so. */
  readonly cancelledAt = new Map<AuthorizationRequest, 'login-page' | 'consent-page'>()
  /** Called with a page that Plumbline does not recognise. */
  onStuck: ((page: Page) => Promise<void>) | undefined
  /** A user agent that has no session and has shown no page, for the next request without a session. */
  reusableAgent: Agent | undefined
  readonly #openAgent: OpenAgent | undefined

  constructor(openAgent: OpenAgent | undefined, slowMo: number, transport: Transport) {
    this.directRequests = new DirectRequests(transport)
    this.#openAgent = openAgent
    this.slowMo = slowMo
  }

  /** @throws if no browser was launched: a check that needs a browser must declare the effect `login` */
  get openAgent(): OpenAgent {
    if (this.#openAgent === undefined)
      throw new Error('a check that needs a browser declares no login effect')
    return this.#openAgent
  }
}
