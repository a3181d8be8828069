import { setTimeout as sleep } from 'node:timers/promises'
import { isLoopback } from '../target/safety.ts'
import { counted } from '../text/format.ts'
import { EndpointCircuit } from './endpoint-circuit.ts'
import { type FailureKind, HttpFailure } from './failures.ts'
import { Pace, type PaceState } from './pace.ts'
import { type HttpResponse, headerIn, type ResponseHeaders } from './response.ts'
import { retryAfterMs } from './retry-after.ts'

export interface BudgetOptions {
  /** Hosts that may receive requests: `idp.example`, or `idp.example:8443` if the port is not the default. */
  readonly hosts: readonly string[]
  readonly requestsPerSecond: number
  /** Maximum number of requests. */
  readonly requestBudget: number
  /** Maximum number of logins. */
  readonly loginBudget: number
  /** Number of throttled responses after which the run sends nothing more; by default the constant `throttleLimit`. */
  readonly throttleLimit?: number
  /** Initial value of `Budget.onPause`. */
  readonly onPause?: Budget['onPause'] | undefined
  /** After it aborts, every request that waits or comes later fails with an AbortError, and is not sent. */
  readonly signal?: AbortSignal | undefined
}

/**
 * A request with a throttled response or a 503. Both members are absent for a request with `retry: 'never'`, which
 * may fail any number of times: its failures then suspend no endpoint, and its responses do not fill the memory.
 */
interface FailedRequest {
  /** Method and address (`endpointOf`). */
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

/** Why the run pauses. A request that comes during a pause of more than `longestWaitMs` fails with this kind. */
type PauseKind = Extract<FailureKind, 'throttled' | 'unavailable'>

/** Longest remaining pause that a request waits for, in milliseconds. During a longer pause, the request fails. */
export const longestWaitMs = 60_000
/**
 * Number of throttled responses, as `Budget` counts them, after which a run sends nothing more. A response is throttled
 * if the target refused the request because of a limit, for example with 429 (`HttpResponse.throttles`).
 */
export const throttleLimit = 12
/** A run sends nothing more after waiting this long in total, in milliseconds, at a pace slowed by throttling. */
export const longestThrottlingMs = 15 * 60_000

/**
 * The budget of a run: allowed hosts, requests, logins, pace, throttled responses, and pauses, during which the run
 * sends no request. Preflight, HTTP client and browser share one budget, which counts every request of a check. Load
 * requests have caps of their own (load/engine/guard.ts), but wait for the pauses of this budget.
 */
export class Budget {
  /** Times at which requests were admitted, in milliseconds since the epoch, on a clock that does not jump. */
  readonly admittedAt: number[] = []
  logins = 0
  /** Number of all throttled responses, including those that the browser received. */
  throttled = 0
  /** The throttled responses, including those that the browser received. Requests with `retry: 'never'` add none. */
  readonly throttledResponses: HttpResponse[] = []
  /** Responses with 503 that are not throttled responses. Requests with `retry: 'never'` add none. */
  readonly unavailableResponses: HttpResponse[] = []
  /** Called when a request must wait until a pause ends. `until` is in milliseconds since the epoch. */
  onPause: ((until: number) => void) | undefined
  /** Number of requests kept for undoing changes, such as deleting a webhook subscription. */
  #reserved = 0
  readonly #options: BudgetOptions
  #signal: AbortSignal | undefined
  /** Settles when the budget has admitted or refused the previous request. */
  #queue: Promise<unknown> = Promise.resolve()
  /** Suspends endpoints that keep failing. */
  readonly circuit = new EndpointCircuit()
  readonly #pace: Pace
  /** By endpoint, the pace before the endpoint began to throttle. Removed when another endpoint throttles. */
  readonly #paceBefore = new Map<string, PaceState>()
  /** Sum of all waits at a pace slowed by throttling, in milliseconds. */
  #slowedWaitMs = 0
  /** When the pace permits the next request. */
  #nextAt = 0
  #pausedUntil = 0
  #pauseKind: PauseKind = 'unavailable'
  /** When the wait after the last throttled response ends. */
  #throttledUntil = 0
  /** Number of throttled responses that arrived during the wait after an earlier throttled response. */
  #throttledDuringWait = 0

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
    const pace = slowed && Math.round(slowed * 100) / 100
    return { requests, logins, throttled, ...(pace !== undefined && { pace }) }
  }

  /** Number of requests that the run may still send, without those kept for undoing changes. */
  get remaining(): number {
    return this.#options.requestBudget - this.requests - this.#reserved
  }

  /**
   * Whether the run may send requests to the host of a URL. Plain HTTP is allowed only on loopback.
   * @param extraHosts hosts allowed for this request too, such as those that a login recipe adds for the browser
   */
  allowsHost(url: URL, extraHosts: readonly string[] = []): boolean {
    const secure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
    return secure && [...this.#options.hosts, ...extraHosts].includes(url.host)
  }

  /**
   * Waits until a request may be sent, and counts it.
   * @param extraHosts see `allowsHost`
   * @param requests number of requests that the caller sends at the same moment. The next request waits for as many
   * intervals of the pace.
   * @throws {HttpFailure} host-refused or budget-spent; throttled or unavailable if the run must stop sending requests
   */
  async admit(url: URL, extraHosts: readonly string[] = [], requests = 1): Promise<void> {
    if (!this.allowsHost(url, extraHosts)) {
      throw new HttpFailure('host-refused', `${url.host} is not a configured host, so nothing was sent to it`)
    }
    const admission = this.#queue.then(() => this.#admitNext(requests))
    this.#queue = admission.catch(() => undefined)
    await admission
  }

  /** `admit` calls this for one request after another. Otherwise, all that wait would be sent when a pause ends. */
  async #admitNext(requests: number): Promise<void> {
    // A response that arrives during the sleep may begin or extend a pause: check again afterwards.
    for (;;) {
      const signal = this.#signal
      signal?.throwIfAborted()
      this.#requireBudget(requests)
      if (this.pauseMs > longestWaitMs) {
        throw new HttpFailure(this.#pauseKind, 'the target requested a longer wait than a run allows')
      }
      const waitMs = Math.max(this.#nextAt, this.#pausedUntil) - now()
      if (waitMs <= 0) break
      if (this.pauseMs > 0) this.onPause?.(this.#pausedUntil)
      if (this.#pace.slowed !== undefined) this.#slowedWaitMs += waitMs
      await sleep(Math.ceil(waitMs), undefined, signal && { signal })
    }
    this.admittedAt.push(...Array<number>(requests).fill(now()))
    this.#nextAt = now() + requests * this.#pace.intervalMs
    this.#pace.recordSent()
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
    // Responses during one wait count as one. Of the suspended endpoints, the one that throttled most does not count:
    // if one endpoint throttles every request, others may still respond.
    if (this.throttled - this.#throttledDuringWait - this.circuit.throttledByWorstSuspended >= limit) {
      throw new HttpFailure(
        'throttled',
        `the target throttled ${counted(this.throttled, 'request')}, so the run stopped sending requests`,
        { variables: ['REQUESTS_PER_SECOND'], advice: 'lower REQUESTS_PER_SECOND' },
      )
    }
    // With an infinite `throttleLimit`, the caller decides when to stop.
    if (this.#slowedWaitMs > longestThrottlingMs && Number.isFinite(limit)) {
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

  /** From now on, requests are admitted even after an abort, so that the current check can end and undo its changes. */
  ignoreSignal(): void {
    this.#signal = undefined
  }

  /** Keeps one request for undoing a change: other requests cannot use it. */
  reserve(): void {
    this.#reserved += 1
  }

  /** Makes a kept request available again. Call this just before you send the request that undoes the change. */
  release(): void {
    this.#reserved = Math.max(0, this.#reserved - 1)
  }

  /** Counts one login: a password that Plumbline or a user types on a page. @throws {HttpFailure} budget-spent */
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
   * Counts a throttled response. The run sends nothing for `waitMs`, then continues at half the pace. Further
   * throttled responses during that wait do not halve the pace again. After throttling 8 requests in a row, an
   * endpoint receives no more: it is suspended. If only this endpoint has throttled meanwhile, the run returns to its
   * earlier pace.
   */
  recordThrottled(waitMs: number, { endpoint, response }: FailedRequest = {}): void {
    this.throttled += 1
    if (response) this.throttledResponses.push(response)
    for (const other of this.#paceBefore.keys()) if (other !== endpoint) this.#paceBefore.delete(other)
    // Further responses during the wait do not count against the pace, the endpoint or the limit: their requests were
    // sent before the wait began.
    const isFirst = now() >= this.#throttledUntil
    if (endpoint !== undefined && isFirst) {
      this.circuit.recordFailure(endpoint, 'throttled')
      if (this.circuit.failures(endpoint) === 1) this.#paceBefore.set(endpoint, this.#pace.state)
    }
    if (isFirst) this.#pace.recordThrottled()
    else this.#throttledDuringWait += 1
    // Returns to the earlier pace, unless another endpoint has throttled meanwhile: then `#paceBefore` has no entry, since
    // the pace may be the reason.
    if (endpoint !== undefined && this.circuit.isSuspended(endpoint)) {
      const before = this.#paceBefore.get(endpoint)
      if (before) this.#pace.restore(before)
    }
    this.#throttledUntil = now() + waitMs
    this.pauseFor(waitMs, 'throttled')
  }

  /** Records a 503 that is not a throttled response: the run sends nothing for `waitMs`. */
  recordUnavailable(waitMs: number, { endpoint, response }: FailedRequest = {}): void {
    if (response) this.unavailableResponses.push(response)
    if (endpoint !== undefined) this.circuit.recordFailure(endpoint, 'unavailable')
    this.pauseFor(waitMs)
  }

  /** Returns to the configured pace. `events --follow`, which has no end, calls this when it has read new events. */
  recover(): void {
    this.#pace.recover()
  }

  /** Milliseconds until the pause ends; 0 without a pause. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntil - now())
  }

  /**
   * Pauses for the Retry-After of a 429 or 503 as soon as its headers arrive, because its body may be slow or fail.
   * When the response is complete, `recordThrottled` or `recordUnavailable` restarts the wait from that moment.
   */
  heedHeaders(status: number, headers: ResponseHeaders): void {
    if (status !== 429 && status !== 503) return
    const waitMs = retryAfterMs(headerIn(headers, 'retry-after'), headerIn(headers, 'date')) ?? 0
    this.pauseFor(waitMs, status === 429 ? 'throttled' : 'unavailable')
  }

  /** Sends nothing for `waitMs`. A pause that ends later continues. */
  pauseFor(waitMs: number, kind: PauseKind = 'unavailable'): void {
    const until = now() + waitMs
    if (until < this.#pausedUntil) return
    this.#pausedUntil = until
    this.#pauseKind = kind
  }
}

/** Milliseconds since the epoch, on a clock that does not jump. */
function now(): number {
  return performance.timeOrigin + performance.now()
}
