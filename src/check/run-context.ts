import { randomInt } from 'node:crypto'
import { BroadcastChannel } from 'node:worker_threads'
import {
  AssetCache,
  connectBrowser,
  type JourneyStep,
  newWindows,
  type UserAgent,
  type Windows,
} from '../browser/index.ts'
import type { HubEvent } from '../event-hub/event.ts'
import type { EventPage } from '../event-hub/page.ts'
import { type Random, randomFrom } from '../event-hub/split.ts'
import type { Exchange } from '../evidence/exchange.ts'
import { Recorder } from '../evidence/recorder.ts'
import { Vault } from '../evidence/vault.ts'
import { Budget, type BudgetState } from '../http/budget.ts'
import { Http } from '../http/http.ts'
import { IdentityProvider } from '../oauth/identity-provider.ts'
import type { Target } from '../target/target.ts'
import type { Refusal } from './landing.ts'
import type { Host } from './requirement.ts'
import type { Cause } from './verdict.ts'

/** Bodies that a run reads in all: its checks keep much of them in memory, and a lawful run reads a few megabytes. */
const runBytes = 64 * 1024 * 1024

/** A control older than this is made anew before a negative check relies on it. */
const controlLifetimeMs = 60_000

/** A valid request that refused ones differ from. */
type Control = 'authorization' | 'code exchange' | 'userinfo' | 'event search'

/** Why no check of a host can be decided. */
export interface OutOfReach {
  /** One sentence. */
  readonly reason: string
  readonly cause: Cause
}

/** What a run is made of. */
export interface RunOptions {
  readonly target: Target
  /** Of the run: its preflight may have used it already. */
  readonly budget?: Budget
  /** Windows of a browser of this process, which outlives the run. */
  readonly windows?: Windows
  /** Where the browser of another process listens. Without either, no selected check needs one. */
  readonly browserEndpoint?: string
  /** Milliseconds that the browser waits before each step, for people who watch. */
  readonly slowMo?: number
  /** Hosts that the preflight could not reach. */
  readonly outOfReach?: Readonly<Partial<Record<Host, OutOfReach>>>
  /** Name of a BroadcastChannel for waits: until when no request is sent, in milliseconds since the epoch. */
  readonly waits?: string
}

/** A run that a worker goes on with, in one message; plain data, with secrets. */
export interface RunMessage extends Omit<RunOptions, 'budget' | 'windows'> {
  readonly budget: BudgetState
}

interface SentSearch {
  readonly from: number
  readonly until: number
  readonly accepted: boolean
  readonly page: unknown
}

interface Shared {
  readonly value: Promise<unknown>
  readonly exchanges: Exchange[]
}

/**
 * Everything the checks of a run share: one budget, one recorder, one HTTP client, one browser,
 * and what was learned once (the signed-in session, tokens, keys, controls).
 */
export class RunContext {
  readonly target: Target
  readonly options: RunOptions
  #windows: Promise<Windows> | undefined
  readonly slowMo: number
  readonly outOfReach: Readonly<Partial<Record<Host, OutOfReach>>>
  readonly budget: Budget
  readonly recorder = new Recorder()
  readonly vault = new Vault()
  readonly http: Http
  readonly provider: IdentityProvider
  /** Authorization requests of the application that did not return a code alone. */
  readonly refusals: Refusal[] = []
  /** Scripts and style sheets that pages have loaded. */
  readonly assets = new AssetCache()
  /** What was typed and pressed on pages of the target, in order. */
  readonly journeySteps: JourneyStep[] = []
  /** A window without a session that has shown no page, for the next request that needs one. */
  unusedAgent: UserAgent | undefined
  /** Events that were read, by their content. Other people's data: never to be shown. */
  readonly eventsRead = new Map<string, HubEvent>()
  /** Pages that were read, by their window, in the order in which they were asked for. */
  readonly pagesRead = new Map<string, EventPage[]>()
  /** When searches were sent and answered, in milliseconds since the epoch, by our clock. */
  readonly searches: SentSearch[] = []
  /** What chance is made of in this run; SEED repeats it. */
  readonly seed: number
  /** When each control last worked, in milliseconds since the epoch. */
  readonly #lastWorked = new Map<Control, number>()
  readonly #shared = new Map<string, Shared>()
  readonly #beforeClaimChange: (() => Promise<void>)[] = []
  readonly #closers: (() => Promise<void>)[] = []

  constructor(options: RunOptions) {
    const { target, budget = new Budget(target), windows, slowMo = 0, outOfReach = {}, waits } = options
    this.options = options
    this.target = target
    this.budget = budget
    this.#windows = windows && Promise.resolve(windows)
    this.slowMo = slowMo
    this.outOfReach = outOfReach
    this.seed = target.seed ?? randomInt(2 ** 32)
    if (waits !== undefined) {
      const channel = new BroadcastChannel(waits)
      // It keeps no process alive.
      channel.unref()
      this.budget.onPause = (until) => channel.postMessage(until)
      this.onClose(async () => channel.close())
    }
    this.http = new Http(this.budget, this.recorder, target.proxy, { mostBytes: runBytes })
    this.provider = new IdentityProvider(this.http, target, (token) => this.vault.add(token))
    const { application, secondApplication, partner, unentitledPartner, user } = target
    this.vault.add(application.secret, secondApplication?.secret, partner?.secret, unentitledPartner?.secret)
    this.vault.add(user?.name, user?.password, user?.totpSecret)
    this.vault.add(target.secondUser?.name, target.secondUser?.password)
  }

  /** Goes on with a run of the main process. */
  static from({ budget, ...options }: RunMessage): RunContext {
    return new RunContext({ ...options, budget: new Budget(options.target, budget) })
  }

  /**
   * Makes something once a run and remembers it, failures included, with the exchanges it took,
   * which become evidence of every check that uses it.
   */
  async shared<T>(name: string, make: () => Promise<T>): Promise<T> {
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

  /** Windows of the browser of the run. @throws where none was launched: a check that needs it has to declare the effect login */
  windows(): Promise<Windows> {
    this.#windows ??= this.#connect()
    return this.#windows
  }

  async #connect(): Promise<Windows> {
    const { browserEndpoint } = this.options
    if (browserEndpoint === undefined)
      throw new Error('a check that needs a browser declares no login effect')
    const connected = await connectBrowser(browserEndpoint, this.slowMo)
    this.onClose(() => connected.close())
    return newWindows(connected)
  }

  /** Numbers by chance for one purpose: the same for the same seed, whatever else was chosen before. */
  random(purpose: string): Random {
    return randomFrom(this.seed, purpose)
  }

  /** Forgets something shared, so that the next use makes it anew. */
  forget(name: string): void {
    this.#shared.delete(name)
  }

  /**
   * Registers what has to be ready before the test user's claim is changed, which happens once a run. Whoever registers
   * after that comes too late.
   */
  beforeClaimChange(prepare: () => Promise<void>): void {
    this.#beforeClaimChange.push(prepare)
  }

  /** Runs what was registered, in order. One that fails keeps it to itself: others wait for the same change. */
  async prepareClaimChange(): Promise<void> {
    for (const prepare of this.#beforeClaimChange) await prepare().catch(() => undefined)
  }

  /**
   * A moment of ours by the target's clock, as far as that is known.
   * @param at milliseconds since the epoch, as the result is
   */
  targetTime(at = Date.now()): number {
    return at + (this.http.clockOffsetMs ?? 0)
  }

  /** Notes that a control has just been accepted. */
  controlWorked(name: Control): void {
    this.#lastWorked.set(name, Date.now())
  }

  /** Whether a control has worked, but too long ago to hold a refusal against it. */
  controlIsStale(name: Control): boolean {
    const last = this.#lastWorked.get(name)
    return last !== undefined && Date.now() - last > controlLifetimeMs
  }

  /** Runs when the run ends, last registered first. What cannot be closed any more is left to the end of the process. */
  onClose(close: () => Promise<void>): void {
    this.#closers.unshift(close)
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close().catch(() => undefined)
    await this.http.close()
  }
}
