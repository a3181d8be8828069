import { setTimeout as sleep } from 'node:timers/promises'
import { isLoopback } from '../target/safety.ts'
import { HttpFailure } from './failures.ts'

export interface BudgetOptions {
  /** Hosts, with port unless it is the scheme's default, that may be asked. */
  readonly hosts: readonly string[]
  readonly requestsPerSecond: number
  readonly requestBudget: number
  readonly loginBudget: number
  /** Throttled answers after which nothing more is sent; `throttleLimit` by default. */
  readonly throttleLimit?: number
  /** Where another budget of the same run left off. */
  readonly resumes?: BudgetState
  /** Hears until when the target is not to be asked, in milliseconds since the epoch, when somebody waits for it. */
  readonly onPause?: (until: number) => void
  /** Ends waits: whoever waits then, or asks later, hears of it as an AbortError, and nothing is sent. */
  readonly signal?: AbortSignal
}

/** What a budget has let through, and when it opens next; plain data. */
export interface BudgetState {
  readonly requests: number
  readonly throttled: number
  /** Between two requests, in milliseconds. */
  readonly intervalMs: number
  /** Milliseconds since the epoch. */
  readonly next: number
  readonly notBefore: number
}

const nothingYet = { requests: 0, throttled: 0, next: 0, notBefore: 0 }
/** Least time between two requests once the target has throttled one, in milliseconds. */
const throttledIntervalMs = 100
/** The slowest that throttled answers make a run, in milliseconds between two requests. */
const slowestIntervalMs = 30_000

/** Longest wait that a target may ask for; more means: give up. */
export const longestWaitMs = 60_000
/** After so many throttled answers in a run, nothing more is sent. */
export const throttleLimit = 8

/**
 * The one place every request of a run passes before it leaves: allowed hosts, the hard budget,
 * even pacing, and the time before which a throttled target must not be asked again.
 */
export class Budget {
  requests: number
  logins = 0
  throttled: number
  /** Requests of the budget that are kept for what has to be undone. */
  #reserved = 0
  readonly #options: BudgetOptions
  readonly #throttleLimit: number
  /** Settles when the request before has got through, or was refused. */
  #queue: Promise<unknown> = Promise.resolve()
  #intervalMs: number
  #next: number
  #notBefore: number

  constructor(options: BudgetOptions) {
    this.#options = options
    this.#throttleLimit = options.throttleLimit ?? throttleLimit
    const state = options.resumes ?? { ...nothingYet, intervalMs: 1000 / options.requestsPerSecond }
    this.requests = state.requests
    this.throttled = state.throttled
    this.#intervalMs = state.intervalMs
    this.#next = state.next
    this.#notBefore = state.notBefore
  }

  /** For a budget in another process that takes over. */
  get state(): BudgetState {
    const { requests, throttled } = this
    return { requests, throttled, intervalMs: this.#intervalMs, next: this.#next, notBefore: this.#notBefore }
  }

  /** Requests that the budget still allows. */
  get remaining(): number {
    return this.#options.requestBudget - this.requests - this.#reserved
  }

  /**
   * Whether a host may be asked, in clear only where it is this machine.
   * @param besides hosts that may be asked although they are none of the target's
   */
  allowsHost(url: URL, besides: readonly string[] = []): boolean {
    const secure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
    return secure && [...this.#options.hosts, ...besides].includes(url.host)
  }

  /**
   * Waits for this request's turn and counts it. Whoever gets through may send exactly one request.
   * @param besides hosts that may be asked although they are none of the target's
   * @throws {HttpFailure} host-refused, budget-spent, or throttled when the run has to stop asking
   */
  async pass(url: URL, besides: readonly string[] = []): Promise<void> {
    if (!this.allowsHost(url, besides)) {
      throw new HttpFailure('host-refused', `${url.host} is not a configured host, so nothing was sent to it`)
    }
    const turn = this.#queue.then(() => this.#turn())
    this.#queue = turn.catch(() => undefined)
    await turn
  }

  /** One at a time, so that those who waited for a throttled target do not leave together. */
  async #turn(): Promise<void> {
    for (;;) {
      this.#options.signal?.throwIfAborted()
      this.#mayAsk()
      const now = Date.now()
      if (this.#notBefore - now > longestWaitMs) {
        throw new HttpFailure('throttled', 'the target asked for a longer wait than a run can take')
      }
      const wait = Math.max(this.#next, this.#notBefore) - now
      if (wait <= 0) break
      if (this.#notBefore > now) this.#options.onPause?.(this.#notBefore)
      await sleep(Math.ceil(wait), undefined, this.#options.signal && { signal: this.#options.signal })
    }
    this.count()
    this.#next = Date.now() + this.#intervalMs
  }

  /**
   * Counts a request against the budget without waiting: for those a browser makes by itself.
   * @throws {HttpFailure} budget-spent, throttled
   */
  count(): void {
    this.#mayAsk()
    this.requests += 1
  }

  #mayAsk(): void {
    if (this.throttled >= this.#throttleLimit) {
      throw new HttpFailure(
        'throttled',
        `the target throttled ${this.throttled} requests, so the run stopped asking`,
        { variables: ['REQUESTS_PER_SECOND'], advice: 'lower REQUESTS_PER_SECOND' },
      )
    }
    if (this.remaining <= 0) {
      throw new HttpFailure(
        'budget-spent',
        `the budget of ${this.#options.requestBudget} requests is spent`,
        { variables: ['REQUEST_BUDGET'], advice: 'raise REQUEST_BUDGET' },
      )
    }
  }

  /** Keeps a request of the budget for undoing something, so that it can be undone when all others are spent. */
  reserve(): void {
    this.#reserved += 1
  }

  /** Gives a kept request back to the budget, for the undoing itself. */
  release(): void {
    this.#reserved = Math.max(0, this.#reserved - 1)
  }

  /** Takes one typed login from the budget. @throws {HttpFailure} budget-spent */
  login(): void {
    if (this.logins >= this.#options.loginBudget) {
      throw new HttpFailure('budget-spent', `the budget of ${this.#options.loginBudget} logins is spent`, {
        variables: ['LOGIN_BUDGET'],
        advice: 'raise LOGIN_BUDGET',
      })
    }
    this.logins += 1
  }

  /** Notes a 429: nothing is sent to the target before `waitMs` from now, and what follows comes half as fast. */
  throttle(waitMs: number): void {
    this.throttled += 1
    this.#intervalMs = Math.min(Math.max(2 * this.#intervalMs, throttledIntervalMs), slowestIntervalMs)
    this.pauseFor(waitMs)
  }

  /** Goes back to the pace of the options: for what runs on, after a target that throttled has recovered. */
  recover(): void {
    this.#intervalMs = 1000 / this.#options.requestsPerSecond
  }

  /** Milliseconds until the target may be asked again. */
  get pauseMs(): number {
    return Math.max(0, this.#notBefore - Date.now())
  }

  /** Nothing is sent before `waitMs` from now. */
  pauseFor(waitMs: number): void {
    const until = Date.now() + waitMs
    if (until <= this.#notBefore) return
    this.#notBefore = until
  }
}
