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
  readonly timeoutMs?: number
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
  readonly #requests = new WeakMap<Exchange, HttpRequest>()
  #bytesLeft: number
  #isClosed = false
  #clockOffsetMs: number | undefined

  /**
   * @param timeoutMs time limit for a connection, for the start of a response, and for each further part of its body
   * @param maxBytes maximum size of all bodies together; unlimited by default, for callers that keep no bodies
   */
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

  /** The target's clock minus the local clock, by the latest Date header, in milliseconds. Undefined without a Date. */
  get clockOffsetMs(): number | undefined {
    return this.#clockOffsetMs
  }

  /**
   * Ends pending requests without a retry. A request that still waits for the budget is later admitted and counted, but
   * not sent.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.transport.close()
  }

  /** The request of an exchange with a response; undefined if another client recorded the exchange. */
  requestOf(exchange: Exchange): HttpRequest | undefined {
    return this.#requests.get(exchange)
  }

  /**
   * Sends a request, and repeats it as its `retry` permits, until a response can be judged. A response cannot be judged
   * if it throttles (`HttpResponse.throttles`), or its status is 408, 421, 425 or 5xx, except 501 with `mayBeMissing`.
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
   * @throws {HttpFailure} if the requests may not be sent; failures of sent requests are in the results
   */
  async sendTogether(request: HttpRequest, count: number): Promise<PromiseSettledResult<HttpResponse>[]> {
    this.#rejectFutile(request)
    await this.#budget.admit(request.url, [], count)
    return Promise.allSettled(
      Array.from({ length: count }, () => this.#sendAdmitted({ ...request, ownConnection: true })),
    )
  }

  /**
   * @throws {HttpFailure} if the responses of the run exceed `maxBytes`, or if the endpoint is suspended. With
   * `retry: 'never'`, a suspended endpoint is not refused.
   */
  #rejectFutile(request: HttpRequest): void {
    if (this.#bytesLeft < 0)
      throw new HttpFailure('unavailable', 'the responses of this run exceed the size limit of a run')
    if (request.retry !== 'never') this.#budget.circuit.requireNotSuspended(endpointOf(request))
  }

  /** Sends a request that the budget has admitted. Each retry needs another admission. */
  async #sendAdmitted(request: HttpRequest): Promise<HttpResponse> {
    const endpoint = endpointOf(request)
    // With `never`, the caller may retry without limit. Then no failure suspends the endpoint, and no response is kept.
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
      if (countsFailures && isGatewayError(status))
        this.#budget.circuit.recordFailure(endpoint, 'unavailable')
      else if (countsFailures && !isOverloaded) this.#budget.circuit.recordResponse(endpoint)
      if (!throttles && !isTransientStatus(status, request)) return outcome
      const header = (name: string) => outcome.header(name)
      const waitMs = waitAfter(header, attempt)
      const failed = countsFailures ? { endpoint, response: outcome } : {}
      if (throttles) this.#budget.recordThrottled(waitMs, failed)
      else if (isUnavailable) this.#budget.recordUnavailable(waitMs, failed)
      const isLast = this.#budget.circuit.isSuspended(endpoint) || !mayRetry(request, outcome, attempt)
      if (isLast || waitMs > longestWaitMs) {
        throw new HttpFailure(
          throttles ? 'throttled' : 'unavailable',
          `${endpoint} returned status ${status}${attempt === 0 ? '' : ` after ${attempt + 1} attempts`}${
            waitMs > longestWaitMs ? ` and requires a wait of ${Math.round(waitMs / 1000)} s` : ''
          }`,
          { retryAfterMs: retryAfterMs(header('retry-after'), header('date')) },
        )
      }
      if (!throttles) earlierFailure = `status ${status}`
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
    const recordOf = (outcome: Pick<Exchange, 'response' | 'failure'>): Exchange =>
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
      response.exchange = recordOf({ response: shownResponse(response, this.#recorder.isCollecting) })
      this.#requests.set(response.exchange, request)
      return response
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      recordOf({ failure: error.message })
      return error
    }
  }

  #measureClock(response: HttpResponse, sentAt: number, durationMs: number): void {
    // A response from a cache has the Date of an earlier response (RFC 9111, 5.1).
    if (Number.parseInt(response.header('age') ?? '', 10) > 0) return
    // A proxy may add a second Date.
    const dates = [response.headers.date ?? []].flat().map((value) => Date.parse(value))
    const date = dates.find((time) => !Number.isNaN(time))
    // Date omits the fraction of the second: add its mean, 500 ms.
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
