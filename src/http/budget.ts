import { setTimeout as sleep } from 'node:timers/promises'
import { isLoopback } from '../target/safety.ts'
import { counted } from '../text/format.ts'
import { EndpointCircuit } from './endpoint-circuit.ts'
import { HttpFailure } from './failures.ts'
import { Pace, type PaceState } from './pace.ts'
import { type HttpResponse, headerIn, type ResponseHeaders } from './response.ts'
import { retryAfterMs } from './retry-after.ts'

export interface BudgetOptions {
  /** Hosts that may receive requests: `idp.example`, or `idp.example:8443` if the port is not the scheme's default. */
  readonly hosts: readonly string[]
  readonly requestsPerSecond: number
  readonly requestBudget: number
  readonly loginBudget: number
  /** Throttled responses after which the run sends nothing more; by default the constant `throttleLimit`. */
  readonly throttleLimit?: number
  /** Initial value of `Budget.onPause`. */
  readonly onPause?: Budget['onPause'] | undefined
  /** After an abort, no request is sent: those that wait and all later ones fail with an AbortError. */
  readonly signal?: AbortSignal | undefined
}

/**
 * A request whose response throttles or is a 503. For a request with `retry: 'never'`, both members are absent: the
 * failure suspends no endpoint, and the response is not kept.
 */
interface FailedRequest {
  readonly endpoint?: string
  readonly response?: HttpResponse
}

export interface BudgetUsed {
  readonly requests: number
  readonly logins: number
  readonly throttled: number
  /** Requests per second; present only if throttling has made the run slower than configured. */
  readonly pace?: number
}

/** Longest time that a request waits for the end of a pause, in milliseconds. Otherwise, it is not sent. */
export const longestWaitMs = 60_000
/** Throttled responses after which a run sends nothing more. */
export const throttleLimit = 12
/** After waiting this long in total at a pace slowed by throttling, in milliseconds, a run sends nothing more. */
export const longestThrottlingMs = 15 * 60_000

/**
 * The budget of a run: allowed hosts, requests, logins, pace, pauses and throttled responses. Preflight, HTTP client
 * and browser share one budget, which counts every request of a check. Load requests have caps of their own
 * (load/engine/guard.ts), but share the pauses of this budget.
 */
export class Budget {
  /** Times at which requests were admitted, in milliseconds since the epoch, on a clock that does not jump. */
  readonly admittedAt: number[] = []
  logins = 0
  /** Throttled responses, including those that the browser received. */
  throttled = 0
  /** Throttled responses, also to the browser, without those to requests with `retry: 'never'`. */
  readonly throttledResponses: HttpResponse[] = []
  /** Responses with 503 that do not throttle, without those to requests with `retry: 'never'`. */
  readonly unavailableResponses: HttpResponse[] = []
  /** Called when a request must wait until a pause ends. `until` is in milliseconds since the epoch. */
  onPause: ((until: number) => void) | undefined
  /** Requests kept for undoing changes. */
  #reserved = 0
  readonly #options: BudgetOptions
  #signal: AbortSignal | undefined
  /** Settles when the budget has admitted or refused the previous request. */
  #queue: Promise<unknown> = Promise.resolve()
  readonly circuit = new EndpointCircuit()
  readonly #pace: Pace
  /** By endpoint, the pace before the endpoint began to throttle. Removed when another endpoint throttles. */
  readonly #paceBefore = new Map<string, PaceState>()
  /** Total wait so far while throttling had slowed the pace, in milliseconds. */
  #throttledWaitMs = 0
  #nextAt = 0
  #pausedUntil = 0
  /** The end of the wait after the last throttled response. */
  #throttledUntil = 0
  /** Throttled responses that arrived during the wait after an earlier throttled response. */
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

  /** Requests that the budget still allows, without those kept for undoing changes. */
  get remaining(): number {
    return this.#options.requestBudget - this.requests - this.#reserved
  }

  /** Whether the run may send requests to the host of a URL. Plain HTTP is allowed only on loopback. */
  allowsHost(url: URL, extraHosts: readonly string[] = []): boolean {
    const secure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
    return secure && [...this.#options.hosts, ...extraHosts].includes(url.host)
  }

  /**
   * Waits until a request may be sent, and counts it.
   * @param requests number of requests sent at the same moment; the next request waits for as many intervals
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

  /** Admits one request at a time, so that requests that wait for the end of a pause are not sent all together. */
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
   * Counts, without a wait, a request that the browser sends by itself: a script, an image or an API call of a page.
   * @throws {HttpFailure} budget-spent, throttled
   */
  admitAtOnce(): void {
    this.#signal?.throwIfAborted()
    this.#requireBudget(1)
    this.admittedAt.push(now())
  }

  #requireBudget(requests: number): void {
    const { requestBudget, throttleLimit: limit = throttleLimit } = this.#options
    // The suspended endpoint that throttled most does not count: if one endpoint throttles every request, the others
    // may still respond.
    if (this.throttled - this.#throttledTogether - this.circuit.throttledByWorstSuspended >= limit) {
      throw new HttpFailure(
        'throttled',
        `the target throttled ${counted(this.throttled, 'request')}, so the run stopped sending requests`,
        { variables: ['REQUESTS_PER_SECOND'], advice: 'lower REQUESTS_PER_SECOND' },
      )
    }
    // With an infinite `throttleLimit`, the caller decides when to stop.
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

  /** Ignores the signal from now on, so that a check that has begun can end. */
  ignoreSignal(): void {
    this.#signal = undefined
  }

  /** Keeps one request for undoing a change, even if all others are spent. */
  reserve(): void {
    this.#reserved += 1
  }

  /** Returns a kept request to the budget, so that the change can be undone. */
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
   * Counts a throttled response. The run sends nothing for `waitMs`, then continues at half the pace. Further throttled
   * responses during that wait do not halve the pace again. An endpoint that throttles 8 requests in a row is
   * suspended. If no other endpoint has throttled meanwhile, the run then returns to its earlier pace.
   */
  recordThrottled(waitMs: number, { endpoint, response }: FailedRequest = {}): void {
    this.throttled += 1
    if (response) this.throttledResponses.push(response)
    for (const other of this.#paceBefore.keys()) if (other !== endpoint) this.#paceBefore.delete(other)
    // Throttled responses that arrive during a wait count as one: their requests were sent before the wait began.
    const isFirst = now() >= this.#throttledUntil
    if (endpoint !== undefined && isFirst) {
      this.circuit.recordFailure(endpoint, 'throttled')
      if (this.circuit.failures(endpoint) === 1) this.#paceBefore.set(endpoint, this.#pace.state)
    }
    if (isFirst) this.#pace.recordThrottled()
    else this.#throttledTogether += 1
    // If no other endpoint has throttled meanwhile, the pace was not the reason.
    if (endpoint !== undefined && this.circuit.isSuspended(endpoint)) {
      const before = this.#paceBefore.get(endpoint)
      if (before) this.#pace.restore(before)
    }
    this.#throttledUntil = now() + waitMs
    this.pauseFor(waitMs)
  }

  /** Records a 503 that does not throttle: the run sends nothing for `waitMs`. */
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
   * Pauses for the Retry-After of a 429 or 503 as soon as its headers arrive, because its body may be slow or fail.
   * When the response is complete, `recordThrottled` or `recordUnavailable` starts the wait again.
   */
  heedHeaders(status: number, headers: ResponseHeaders): void {
    if (status !== 429 && status !== 503) return
    this.pauseFor(retryAfterMs(headerIn(headers, 'retry-after'), headerIn(headers, 'date')) ?? 0)
  }

  pauseFor(waitMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, now() + waitMs)
  }
}

/** Milliseconds since the epoch, on a clock that does not jump. */
function now(): number {
  return performance.timeOrigin + performance.now()
}
