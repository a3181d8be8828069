import { createRequire } from 'node:module'
import type { Dispatcher } from 'undici'
import type { Exchange } from '../evidence/exchange.ts'
import type { Recorder } from '../evidence/recorder.ts'
import type { ProxySettings } from '../target/target.ts'
import { type Budget, longestWaitMs } from './budget.ts'
import { decoded } from './content-coding.ts'
import { endpointOf } from './endpoint-circuit.ts'
import { HttpFailure } from './failures.ts'
import type { HttpRequest } from './request.ts'
import { HttpResponse } from './response.ts'
import { readBody, refuseExcess, responseLimits, tooLarge } from './response-limits.ts'
import { mayRetry, mayRetryWithoutResponse } from './retry.ts'
import { backoffMs, retryAfterMs, waitAfter } from './retry-after.ts'
import { shownRequest, shownResponse } from './shown.ts'

const requireModule = createRequire(import.meta.url)
const defaultTimeoutMs = 15_000

/**
 * A connection that was idle for this long is not used again, in milliseconds: servers close idle connections, usually
 * after 5 s, and a request that leaves at that moment is lost.
 */
const longestIdleMs = 1000

export interface HttpOptions {
  readonly timeoutMs?: number
  readonly maxBytes?: number
}

/**
 * Sends the requests of a run through its budget, and records them. It follows no redirect, stores no cookie, and adds
 * only the headers that HTTP requires.
 */
export class Http {
  readonly #budget: Budget
  readonly #recorder: Recorder
  readonly #dispatcher: Dispatcher
  readonly #newDispatcher: () => Dispatcher
  /** Of requests under way with separate connections. */
  readonly #ownDispatchers = new Set<Dispatcher>()
  readonly #timeoutMs: number
  #bytesLeft: number
  #isClosed = false
  #clockOffsetMs: number | undefined

  /**
   * @param timeoutMs time limit for a connection, for the start of a response, and for each further part of its body; the
   * whole response may take four times as long
   * @param maxBytes of all bodies together; no limit by default, for callers that keep no body
   */
  constructor(
    budget: Budget,
    recorder: Recorder,
    proxy?: ProxySettings,
    { timeoutMs = defaultTimeoutMs, maxBytes = Number.POSITIVE_INFINITY }: HttpOptions = {},
  ) {
    this.#timeoutMs = timeoutMs
    this.#bytesLeft = maxBytes
    this.#budget = budget
    this.#recorder = recorder
    const limits = {
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: timeoutMs },
      keepAliveTimeout: longestIdleMs,
      keepAliveMaxTimeout: longestIdleMs,
    }
    // Loaded here, since it takes a fifth of the time of a command that lists checks.
    const { Agent, EnvHttpProxyAgent } = requireModule('undici') as typeof import('undici')
    this.#newDispatcher = () =>
      proxy
        ? new EnvHttpProxyAgent({
            ...limits,
            httpProxy: proxy.url,
            httpsProxy: proxy.url,
            noProxy: proxy.bypass,
          })
        : new Agent(limits)
    this.#dispatcher = this.#newDispatcher()
  }

  /** Target's clock minus ours in milliseconds, from the latest Date header; undefined before the first. */
  get clockOffsetMs(): number | undefined {
    return this.#clockOffsetMs
  }

  /** Ends requests under way without a retry. A request that waits for the budget is counted, and fails. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([this.#dispatcher, ...this.#ownDispatchers].map((dispatcher) => dispatcher.destroy()))
  }

  /**
   * Sends a request until its response can be judged: any status except 429 and 5xx, and any error except
   * `temporarily_unavailable`.
   * @throws {HttpFailure} throttled, unavailable, timed-out, unreachable, budget-spent, host-refused
   */
  async send(request: HttpRequest): Promise<HttpResponse> {
    this.#rejectFutile(request)
    await this.#budget.admit(request.url)
    return this.#sendAdmitted(request)
  }

  /**
   * Sends a request several times at the same moment, each time over a separate connection. It ends when all have ended:
   * no response is lost because another request failed. @throws as `send`, for all of them
   */
  async sendTogether(request: HttpRequest, count: number): Promise<PromiseSettledResult<HttpResponse>[]> {
    this.#rejectFutile(request)
    await this.#budget.admit(request.url, [], count)
    return Promise.allSettled(
      Array.from({ length: count }, () => this.#sendAdmitted({ ...request, ownConnection: true })),
    )
  }

  /** Sends a request that the budget has admitted. Each retry needs another admission. */
  async #sendAdmitted(request: HttpRequest): Promise<HttpResponse> {
    if (!request.ownConnection) return this.#sendUntilJudged(request, this.#dispatcher)
    const dispatcher = this.#newDispatcher()
    this.#ownDispatchers.add(dispatcher)
    try {
      return await this.#sendUntilJudged(request, dispatcher)
    } finally {
      this.#ownDispatchers.delete(dispatcher)
      await dispatcher.close().catch(() => undefined)
    }
  }

  /**
   * @throws {HttpFailure} if the endpoint keeps failing or the run has read too much. A caller that retries by itself may
   * send requests to an endpoint that keeps failing.
   */
  #rejectFutile(request: HttpRequest): void {
    if (this.#bytesLeft < 0)
      throw new HttpFailure('unavailable', 'the responses of this run are larger than a run may read')
    if (request.retry !== 'never') this.#budget.circuit.requireNotSuspended(endpointOf(request))
  }

  async #sendUntilJudged(request: HttpRequest, dispatcher: Dispatcher): Promise<HttpResponse> {
    const endpoint = endpointOf(request)
    // A sender that retries by itself may do so without limit: its failures do not count, and no response is kept.
    const countsFailures = request.retry !== 'never'
    for (let attempt = 0; ; attempt += 1) {
      if (attempt > 0) await this.#budget.admit(request.url)
      const outcome = await this.#sendOnce(request, dispatcher)
      if (outcome instanceof HttpFailure) {
        if (outcome.kind === 'timed-out' && countsFailures)
          this.#budget.circuit.recordFailure(endpoint, 'timed-out')
        if (this.#isClosed || !mayRetryWithoutResponse(request, attempt)) throw outcome
        this.#budget.pauseFor(backoffMs(attempt))
        continue
      }
      const { status, throttles } = outcome
      if (countsFailures && !throttles && status !== 503) this.#budget.circuit.recordResponse(endpoint)
      if (!throttles && status < 500) return outcome
      const header = (name: string) => outcome.header(name)
      const wait = waitAfter(header, attempt)
      if (throttles) this.#budget.throttle(wait, countsFailures ? { endpoint, response: outcome } : {})
      else if (status === 503) this.#budget.unavailable(wait, countsFailures ? endpoint : undefined)
      const isLast = this.#budget.circuit.isSuspended(endpoint) || !mayRetry(request, outcome, attempt)
      if (isLast || wait > longestWaitMs) {
        throw new HttpFailure(
          throttles ? 'throttled' : 'unavailable',
          `${endpoint} returned status ${status} ${timesText(attempt + 1)}${
            wait > longestWaitMs ? ` and asks to wait ${Math.round(wait / 1000)} s` : ''
          }`,
          { retryAfterMs: retryAfterMs(header('retry-after'), header('date')) },
        )
      }
      if (!throttles && status !== 503) this.#budget.pauseFor(wait)
    }
  }

  async #sendOnce(request: HttpRequest, dispatcher: Dispatcher): Promise<HttpResponse | HttpFailure> {
    const sentAt = Date.now()
    const started = performance.now()
    const body =
      request.raw ??
      (request.form && formBody(request.form)) ??
      (request.json && JSON.stringify(request.json))
    const headers = [...(request.headers ?? [])]
    if (request.form) headers.push(['Content-Type', 'application/x-www-form-urlencoded'])
    if (request.json) headers.push(['Content-Type', 'application/json'])
    const timeoutMs = request.timeoutMs ?? this.#timeoutMs
    const recordOf = (rest: Pick<Exchange, 'response' | 'failure'>): Exchange =>
      this.#recorder.record({
        sentAt,
        durationMs: Math.round(performance.now() - started),
        by: 'http',
        ...shownRequest({ ...request, headers }),
        ...rest,
      })
    try {
      const received = await dispatcher.request({
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: request.method,
        headers: headers.flat(),
        ...(body !== undefined && { body }),
        ...(request.timeoutMs !== undefined && { headersTimeout: timeoutMs, bodyTimeout: timeoutMs }),
        signal: AbortSignal.timeout(4 * timeoutMs),
      })
      const text = decoded(await readBody(received.body), received.headers, responseLimits.bytes).toString(
        'utf8',
      )
      refuseExcess(text, request.maxMembers)
      this.#bytesLeft -= Buffer.byteLength(text)
      const response = new HttpResponse(received.statusCode, received.headers, text)
      this.#measureClock(response, sentAt, performance.now() - started)
      response.exchange = recordOf({ response: shownResponse(response, this.#recorder.isCollecting) })
      return response
    } catch (error) {
      const failure = failureOf(error, request, timeoutMs)
      recordOf({ failure: failure.message })
      return failure
    }
  }

  #measureClock(response: HttpResponse, sentAt: number, durationMs: number): void {
    // A proxy may add a second Date.
    const dates = [response.headers.date ?? []].flat().map((value) => Date.parse(value))
    const date = dates.find((time) => !Number.isNaN(time))
    // Date has whole seconds: add the mean of the rest.
    if (date !== undefined) this.#clockOffsetMs = date + 500 - (sentAt + durationMs / 2)
  }
}

function formBody(form: readonly (readonly [string, string])[]): string {
  return new URLSearchParams(form.map(([name, value]) => [name, value])).toString()
}

function timesText(times: number): string {
  return ['once', 'twice'][times - 1] ?? `${times} times`
}

/** Library errors contain addresses and sometimes headers: keep only their code. */
function failureOf(error: unknown, request: HttpRequest, timeoutMs: number): HttpFailure {
  if (error instanceof HttpFailure) return error
  const { code: known, name } = error as { code?: unknown; name: string }
  const code = typeof known === 'string' ? known : name
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge()
  const where = endpointOf(request)
  if (/TIMEOUT|TIMEDOUT|^TimeoutError$/.test(code)) {
    // The limit for the whole response.
    const limitMs = code === 'TimeoutError' ? 4 * timeoutMs : timeoutMs
    return new HttpFailure(
      'timed-out',
      `${where} sent no complete response within ${limitMs / 1000} s (${code})`,
    )
  }
  const what = `${where} could not be sent, or its response was cut off (${code})`
  return new HttpFailure('unreachable', what, { code })
}
