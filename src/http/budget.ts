import { setTimeout as sleep } from 'node:timers/promises'
import { isLoopback } from '../target/safety.ts'
import { counted } from '../text/format.ts'
import { EndpointCircuit } from './endpoint-circuit.ts'
import { HttpFailure } from './failures.ts'
import { Pace, type PaceState } from './pace.ts'
import { type HttpResponse, headerIn, type ResponseHeaders } from './response.ts'
import { retryAfterMs } from './retry-after.ts'

export interface BudgetOptions {
  /** Hosts that may receive requests, with the port unless it is the scheme's default. */
  readonly hosts: readonly string[]
  readonly requestsPerSecond: number
  readonly requestBudget: number
  readonly loginBudget: number
  /** Throttled responses after which nothing more is sent; `throttleLimit` by default. */
  readonly throttleLimit?: number
  /** Initial value of `Budget.onPause`. */
  readonly onPause?: Budget['onPause'] | undefined
  /** Cancels waits: waiting and later requests fail with an AbortError and are not sent. */
  readonly signal?: AbortSignal | undefined
}

/**
 * A request that was throttled, or answered with 503. Both members are absent if the sender retries by itself: the failure
 * then counts in the total of the run, but for no endpoint.
 */
interface FailedRequest {
  readonly endpoint?: string
  readonly response?: HttpResponse
}

/** The used part of a run's budget. */
export interface BudgetUsed {
  readonly requests: number
  readonly logins: number
  /** Throttled responses. */
  readonly throttled: number
  /** Requests per second; absent unless throttling has made the run slower than configured. */
  readonly pace?: number
}

/** Longest Retry-After that a run obeys, in milliseconds; after a longer one it sends nothing more. */
export const longestWaitMs = 60_000
/** Throttled responses after which a run sends nothing more. */
export const throttleLimit = 12
/**
 * Longest total time that a run waits before its requests while throttling has slowed its pace, in milliseconds; after it
 * the run sends nothing more.
 */
export const longestThrottlingMs = 15 * 60_000

/**
 * The one budget of a run: allowed hosts, requests, logins, pace, pause for Retry-After, and throttled responses.
 * Preflight, HTTP client and browser share it, so it admits and counts every request of a check. Load requests have their
 * own caps (load/engine/guard.ts) and share its pauses.
 */
export class Budget {
  /** When each request was admitted, in milliseconds since the epoch, on a clock that does not jump. */
  readonly admittedAt: number[] = []
  logins = 0
  /** Throttled responses, including those that the browser received. */
  throttled = 0
  /**
   * Throttled responses, except those to senders that retry by themselves. Those that the browser received have no
   * `exchange`.
   */
  readonly throttledResponses: HttpResponse[] = []
  /**
   * Responses with 503 that do not count as throttled, for example without Retry-After, except those to senders that retry
   * by themselves.
   */
  readonly unavailableResponses: HttpResponse[] = []
  /**
   * Called when a request waits after Retry-After or a failure of the target. `until` is in milliseconds since the
   * epoch.
   */
  onPause: ((until: number) => void) | undefined
  /** Requests of the budget that are kept for undoing changes. */
  #reserved = 0
  readonly #options: BudgetOptions
  #signal: AbortSignal | undefined
  /** Settles when the previous request was admitted or refused. */
  #queue: Promise<unknown> = Promise.resolve()
  /** Stops requests to endpoints that keep failing. */
  readonly circuit = new EndpointCircuit()
  readonly #pace: Pace
  /**
   * By endpoint: the pace before the first of its consecutive throttled responses. Removed when another endpoint
   * throttles.
   */
  readonly #paceBefore = new Map<string, PaceState>()
  /** Time waited before requests while throttling had slowed the pace. */
  #throttledWaitMs = 0
  #nextAt = 0
  #pausedUntil = 0
  /** The end of the last Retry-After of a throttled response. */
  #throttledUntil = 0
  /** Throttled responses that arrived during the wait that an earlier one caused. */
  #throttledTogether = 0

  constructor(options: BudgetOptions) {
    this.#options = options
    this.onPause = options.onPause
    this.#signal = options.signal
    this.#pace = new Pace(options.requestsPerSecond)
  }

  get requests(): number {
    return this.admittedAt.length
  }

  /** The budget used so far. */
  get used(): BudgetUsed {
    const { requests, logins, throttled } = this
    const { slowed } = this.#pace
    return {
      requests,
      logins,
      throttled,
      ...(slowed !== undefined && { pace: Math.round(slowed * 100) / 100 }),
    }
  }

  /** Requests that the budget still allows. */
  get remaining(): number {
    return this.#options.requestBudget - this.requests - this.#reserved
  }

  /**
   * Whether the run may send requests to a host; over plain HTTP only on loopback.
   * @param extraHosts hosts that are allowed in addition
   */
  allowsHost(url: URL, extraHosts: readonly string[] = []): boolean {
    const secure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
    return secure && [...this.#options.hosts, ...extraHosts].includes(url.host)
  }

  /**
   * Waits until a request may be sent, and counts it.
   * @param extraHosts hosts that are allowed in addition
   * @param requests how many leave at the same moment; the next request then waits for as many intervals
   * @throws {HttpFailure} host-refused, budget-spent, or throttled if the run must stop sending requests
   */
  async admit(url: URL, extraHosts: readonly string[] = [], requests = 1): Promise<void> {
    if (!this.allowsHost(url, extraHosts)) {
      throw new HttpFailure('host-refused', `${url.host} is not a configured host, so nothing was sent to it`)
    }
    const admission = this.#queue.then(() => this.#admitNext(requests))
    this.#queue = admission.catch(() => undefined)
    await admission
  }

  /** Runs one at a time, so that requests that wait for a throttling target do not leave together. */
  async #admitNext(requests: number): Promise<void> {
    for (;;) {
      const signal = this.#signal
      signal?.throwIfAborted()
      this.#requireBudget(requests)
      if (this.pauseMs > longestWaitMs) {
        throw new HttpFailure('throttled', 'the target requested a longer wait than a run allows')
      }
      const waitMs = Math.max(this.#nextAt, this.#pausedUntil) - now()
      if (waitMs <= 0) break
      if (this.pauseMs > 0) this.onPause?.(this.#pausedUntil)
      if (this.#pace.slowed !== undefined) this.#throttledWaitMs += waitMs
      await sleep(Math.ceil(waitMs), undefined, signal && { signal })
    }
    this.admittedAt.push(...Array<number>(requests).fill(now()))
    this.#nextAt = now() + requests * this.#pace.intervalMs
    this.#pace.sent()
  }

  /**
   * Counts a request without waiting, for what a browser sends by itself: the assets and calls of a page.
   * @throws {HttpFailure} budget-spent, throttled
   */
  admitAtOnce(): void {
    this.#signal?.throwIfAborted()
    this.#requireBudget(1)
    this.admittedAt.push(now())
  }

  #requireBudget(requests: number): void {
    const { requestBudget, throttleLimit: limit = throttleLimit } = this.#options
    // The responses of one suspended endpoint, the one that throttled most, do not count: one endpoint that throttles
    // every request does not show that the others throttle, too.
    if (this.throttled - this.#throttledTogether - this.circuit.throttledByWorstSuspended >= limit) {
      throw new HttpFailure(
        'throttled',
        `the target throttled ${counted(this.throttled, 'request')}, so the run stopped sending requests`,
        { variables: ['REQUESTS_PER_SECOND'], advice: 'lower REQUESTS_PER_SECOND' },
      )
    }
    // Without a limit of throttled responses, the caller decides when to stop.
    if (this.#throttledWaitMs > longestThrottlingMs && Number.isFinite(limit)) {
      const minutes = longestThrottlingMs / 60_000
      throw new HttpFailure(
        'throttled',
        `the run waited ${minutes} min for a target that throttles, so it stopped sending requests`,
      )
    }
    if (this.remaining < requests) {
      throw new HttpFailure('budget-spent', `the budget of ${counted(requestBudget, 'request')} is spent`, {
        variables: ['REQUEST_BUDGET'],
        advice: 'raise REQUEST_BUDGET',
      })
    }
  }

  /** From now on, the signal cancels no wait and refuses no request: what has begun can end. */
  ignoreSignal(): void {
    this.#signal = undefined
  }

  /** Keeps one request of the budget for undoing a change after all others are spent. */
  reserve(): void {
    this.#reserved += 1
  }

  /** Returns a kept request to the budget, to undo the change. */
  release(): void {
    this.#reserved = Math.max(0, this.#reserved - 1)
  }

  /** Counts one typed login. @throws {HttpFailure} budget-spent */
  countLogin(): void {
    const { loginBudget } = this.#options
    if (this.logins >= loginBudget) {
      throw new HttpFailure('budget-spent', `the budget of ${counted(loginBudget, 'login')} is spent`, {
        variables: ['LOGIN_BUDGET'],
        advice: 'raise LOGIN_BUDGET',
      })
    }
    this.logins += 1
  }

  /**
   * Counts a throttled response. The run sends nothing for `waitMs`, then continues at half the pace; responses that
   * arrive during that wait do not halve it again. After several in a row an endpoint is suspended, and the run returns to
   * the pace before the first of them.
   * @param request as far as known
   */
  recordThrottled(waitMs: number, { endpoint, response }: FailedRequest = {}): void {
    this.throttled += 1
    if (response) this.throttledResponses.push(response)
    for (const other of this.#paceBefore.keys()) if (other !== endpoint) this.#paceBefore.delete(other)
    // Responses that arrive during the wait after an earlier one count as one with it: their requests had left before.
    const isFirst = now() >= this.#throttledUntil
    if (endpoint !== undefined && isFirst) {
      this.circuit.recordFailure(endpoint, 'throttled')
      if (this.circuit.failures(endpoint) === 1) this.#paceBefore.set(endpoint, this.#pace.state)
    }
    if (isFirst) this.#pace.recordThrottled()
    else this.#throttledTogether += 1
    // An endpoint that throttles every request does not show that the pace is too fast, unless others have throttled too.
    if (endpoint !== undefined && this.circuit.isSuspended(endpoint)) {
      const before = this.#paceBefore.get(endpoint)
      if (before) this.#pace.restore(before)
    }
    this.#throttledUntil = now() + waitMs
    this.pauseFor(waitMs)
  }

  /** Counts a 503: the run sends nothing for `waitMs`. @param request as far as known */
  recordUnavailable(waitMs: number, { endpoint, response }: FailedRequest = {}): void {
    if (response) this.unavailableResponses.push(response)
    if (endpoint !== undefined) this.circuit.recordFailure(endpoint, 'unavailable')
    this.pauseFor(waitMs)
  }

  /** Returns to the configured pace, for a process that continues after a throttling target has recovered. */
  recover(): void {
    this.#pace.recover()
  }

  /** Milliseconds until requests may be sent again. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntil - now())
  }

  /**
   * Pauses for the Retry-After of a 429 or 503 at once: its body may be slow, or fail. When the response is complete, it
   * counts, and its wait begins again.
   */
  heedHeaders(status: number, headers: ResponseHeaders): void {
    if (status !== 429 && status !== 503) return
    this.pauseFor(retryAfterMs(headerIn(headers, 'retry-after'), headerIn(headers, 'date')) ?? 0)
  }

  /** Sends nothing for `waitMs` from now. */
  pauseFor(waitMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, now() + waitMs)
  }
}

/** Milliseconds since the epoch, on a clock that does not jump. */
function now(): number {
  return performance.timeOrigin + performance.now()
}
