import { isUtf8 } from 'node:buffer'
import type { Exchange } from '../evidence/exchange.ts'
import type { Recorder } from '../evidence/recorder.ts'
import type { ProxySettings } from '../target/target.ts'
import { type Budget, longestWaitMs } from './budget.ts'
import { endpointOf } from './endpoint-circuit.ts'
import { HttpFailure } from './failures.ts'
import type { HttpRequest } from './request.ts'
import { HttpResponse } from './response.ts'
import { refuseExcess } from './response-limits.ts'
import { isTransientStatus, mayRetry, mayRetryWithoutResponse } from './retry.ts'
import { backoffMs, retryAfterMs, waitAfter } from './retry-after.ts'
import { shownRequest, shownResponse } from './shown.ts'
import { Transport } from './transport.ts'

const defaultTimeoutMs = 15_000

export interface HttpOptions {
  /** Time limit for a connection, for the start of a response, and for each further part of its body. */
  readonly timeoutMs?: number
  /** Maximum size of all response bodies together; unlimited by default, for callers that keep no bodies. */
  readonly maxBytes?: number
}

/**
 * Sends the requests of a run within its budget, and records them. The client follows no redirects and stores no
 * cookies. It adds only Content-Type, for `form` and `json`, and the headers that HTTP requires.
 */
export class Http {
  readonly #budget: Budget
  readonly #recorder: Recorder
  readonly transport: Transport
  /** By recorded exchange, its request with its secrets, for `requestOf`. */
  readonly #requests = new WeakMap<Exchange, HttpRequest>()
  /** Rest of `maxBytes`; negative when the responses exceed it. */
  #bytesLeft: number
  #isClosed = false
  #clockOffsetMs: number | undefined

  constructor(
    budget: Budget,
    recorder: Recorder,
    proxy?: ProxySettings,
    { timeoutMs = defaultTimeoutMs, maxBytes = Number.POSITIVE_INFINITY }: HttpOptions = {},
  ) {
    this.#bytesLeft = maxBytes
    this.#budget = budget
    this.#recorder = recorder
    this.transport = new Transport(timeoutMs, proxy)
  }

  /** The target's clock minus the local clock in milliseconds, by the latest Date header; undefined without one. */
  get clockOffsetMs(): number | undefined {
    return this.#clockOffsetMs
  }

  /**
   * Ends pending requests without a retry. A request that still waits for the budget is later admitted and counted,
   * but not sent.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.transport.close()
  }

  /** The request of an exchange; undefined if it has no response, or if this client did not send it. */
  requestOf(exchange: Exchange): HttpRequest | undefined {
    return this.#requests.get(exchange)
  }

  /**
   * Sends a request, and repeats it as its `retry` permits, until a response can be judged. A response cannot be
   * judged if it throttles (`HttpResponse.throttles`), or its status is 408, 421, 425 or 5xx, except 501 with
   * `mayBeMissing`.
   * @throws {HttpFailure} throttled, unavailable, timed-out, unreachable, budget-spent, host-refused
   */
  async send(request: HttpRequest): Promise<HttpResponse> {
    this.#rejectFutile(request)
    await this.#budget.admit(request.url)
    return this.#sendAdmitted(request)
  }

  /**
   * Sends a request several times at the same moment, each time over a separate connection. Returns when all requests
   * have ended, so that no response is lost because another request failed.
   * @throws {HttpFailure} if the requests may not be sent; a request that fails later is a rejected result
   */
  async sendTogether(request: HttpRequest, count: number): Promise<PromiseSettledResult<HttpResponse>[]> {
    this.#rejectFutile(request)
    await this.#budget.admit(request.url, [], count)
    return Promise.allSettled(
      Array.from({ length: count }, () => this.#sendAdmitted({ ...request, ownConnection: true })),
    )
  }

  /**
   * @throws {HttpFailure} if the responses of the run exceed `maxBytes`, or if the endpoint is suspended after
   * repeated failures (endpoint-circuit.ts). A request with `retry: 'never'` may be sent to a suspended endpoint.
   */
  #rejectFutile(request: HttpRequest): void {
    if (this.#bytesLeft < 0)
      throw new HttpFailure('unavailable', 'the responses of this run exceed the size limit of a run')
    if (request.retry !== 'never') this.#budget.circuit.requireNotSuspended(endpointOf(request))
  }

  /** Sends a request that the budget has admitted. Each retry needs another admission. */
  async #sendAdmitted(request: HttpRequest): Promise<HttpResponse> {
    const endpoint = endpointOf(request)
    // With `never`, the caller may retry without limit: no failure suspends the endpoint, and the budget keeps no
    // response for checks of throttling.
    const countsFailures = request.retry !== 'never'
    let earlierFailure: string | undefined
    for (let attempt = 0; ; attempt += 1) {
      if (attempt > 0) await this.#budget.admit(request.url)
      const outcome = await this.#sendOnce(request)
      if (outcome instanceof HttpFailure) {
        if (outcome.kind === 'timed-out' && countsFailures)
          this.#budget.circuit.recordFailure(endpoint, 'timed-out')
        if (this.#isClosed || !mayRetryWithoutResponse(request, attempt)) throw outcome
        this.#budget.pauseFor(backoffMs(attempt))
        earlierFailure = outcome.message
        continue
      }
      outcome.earlierFailure = earlierFailure
      const { status, throttles } = outcome
      const isUnavailable = !throttles && status === 503
      const isOverloaded = throttles || isUnavailable
      // `recordThrottled` and `recordUnavailable` below count the failures of an overloaded endpoint.
      if (countsFailures && isGatewayError(status))
        this.#budget.circuit.recordFailure(endpoint, 'unavailable')
      else if (countsFailures && !isOverloaded) this.#budget.circuit.recordResponse(endpoint)
      if (!throttles && !isTransientStatus(status, request)) return outcome
      const header = (name: string) => outcome.header(name)
      const waitMs = waitAfter(header, attempt)
      const failedRequest = countsFailures ? { endpoint, response: outcome } : {}
      if (throttles) this.#budget.recordThrottled(waitMs, failedRequest)
      else if (isUnavailable) this.#budget.recordUnavailable(waitMs, failedRequest)
      const isWaitTooLong = waitMs > longestWaitMs
      if (
        this.#budget.circuit.isSuspended(endpoint) ||
        !mayRetry(request, outcome, attempt) ||
        isWaitTooLong
      ) {
        throw new HttpFailure(
          throttles ? 'throttled' : 'unavailable',
          `${endpoint} returned status ${status}${attempt === 0 ? '' : ` after ${attempt + 1} attempts`}${
            isWaitTooLong ? ` and requires a wait of ${Math.round(waitMs / 1000)} s` : ''
          }`,
          { retryAfterMs: retryAfterMs(header('retry-after'), header('date')) },
        )
      }
      // The target has not processed a throttled request, so that attempt does not count as a failure.
      if (!throttles) earlierFailure = `status ${status}`
      // `recordThrottled` and `recordUnavailable` have already paused for an overloaded endpoint.
      if (!isOverloaded) this.#budget.pauseFor(waitMs)
    }
  }

  async #sendOnce(request: HttpRequest): Promise<HttpResponse | HttpFailure> {
    const sentAt = Date.now()
    const started = performance.now()
    const body =
      request.raw ??
      (request.form && formBody(request.form)) ??
      (request.json && JSON.stringify(request.json))
    const headers = [...(request.headers ?? [])]
    if (request.form) headers.push(['Content-Type', 'application/x-www-form-urlencoded'])
    if (request.json) headers.push(['Content-Type', 'application/json'])
    const record = (outcome: Pick<Exchange, 'response' | 'failure'>): Exchange =>
      this.#recorder.record({
        sentAt,
        durationMs: Math.round(performance.now() - started),
        by: 'http',
        ...shownRequest({ ...request, headers }),
        ...outcome,
      })
    try {
      const received = await this.transport.send({
        ...request,
        headers,
        body,
        onHeaders: (status, fields) => this.#budget.heedHeaders(status, fields),
      })
      const text = received.body.toString('utf8')
      refuseExcess(text, request.maxMembers)
      this.#bytesLeft -= Buffer.byteLength(text)
      const response = new HttpResponse(received.status, received.headers, text, isUtf8(received.body))
      this.#measureClock(response, sentAt, performance.now() - started)
      response.exchange = record({ response: shownResponse(response, this.#recorder.isCollecting) })
      this.#requests.set(response.exchange, request)
      return response
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      record({ failure: error.message })
      return error
    }
  }

  /** Sets `clockOffsetMs`, if the response shows the target's clock. */
  #measureClock(response: HttpResponse, sentAt: number, durationMs: number): void {
    // With Age, the response is from a cache, and its Date is that of an earlier response (RFC 9111, 5.1).
    if (Number.parseInt(response.header('age') ?? '', 10) > 0) return
    // A proxy may add a second Date: use the first valid one.
    const dates = [response.headers.date ?? []].flat().map((value) => Date.parse(value))
    const date = dates.find((time) => !Number.isNaN(time))
    // Date omits the fraction of the second: add its mean, 500 ms. Subtract the middle of the exchange, when the
    // target probably wrote Date.
    if (date !== undefined) this.#clockOffsetMs = date + 500 - (sentAt + durationMs / 2)
  }
}

/** 502 Bad Gateway, 504 Gateway Timeout. */
function isGatewayError(status: number): boolean {
  return status === 502 || status === 504
}

function formBody(form: readonly (readonly [string, string])[]): string {
  return new URLSearchParams(form.map(([name, value]) => [name, value])).toString()
}
