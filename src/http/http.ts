import { type Duplex, pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { address } from '../evidence/allow-list.ts'
import type { Exchange } from '../evidence/exchange.ts'
import type { Recorder } from '../evidence/recorder.ts'
import { type Budget, longestWaitMs } from './budget.ts'
import { HttpFailure } from './failures.ts'
import { HttpResponse } from './response.ts'
import { backoffMs, retryAfterMs } from './retry-after.ts'
import { shownRequest, shownResponse } from './shown.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: URL
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** Form members in order, duplicates kept; sent as application/x-www-form-urlencoded. */
  readonly form?: readonly (readonly [name: string, value: string])[]
  /** A JSON object, sent as application/json. */
  readonly json?: Readonly<Record<string, unknown>>
  /** Exact bytes in place of `form`, for malformed bodies; `headers` has to name the media type. */
  readonly raw?: string
  /**
   * `reads` may be asked again after any transient failure. `once` changes something: it is asked
   * again only after a definite 429 or 503, which say that nothing was done. `never` leaves asking
   * again, and the wait before it, to the caller.
   */
  readonly repeat: 'reads' | 'once' | 'never'
  /** Uses a connection of its own, which closes afterwards. */
  readonly ownConnection?: boolean
  /** Longest wait in milliseconds, where an answer is known to take longer than others. */
  readonly timeoutMs?: number
}

const attempts = 5
const defaultTimeoutMs = 15_000
const largestBody = 8 * 1024 * 1024

/**
 * Sends requests for the whole run: every one through the budget, every one recorded.
 * Follows no redirect, keeps no cookie, adds no header but what HTTP needs.
 */
export class Http {
  readonly #budget: Budget
  readonly #recorder: Recorder
  readonly #dispatcher: Dispatcher
  readonly #newDispatcher: () => Dispatcher
  readonly #timeoutMs: number
  /**
   * Every 429 that was answered here, in order; those the browser met are not among them, nor those of senders that
   * wait by themselves, who may go on for ever.
   */
  readonly throttledAnswers: HttpResponse[] = []
  #clockOffsetMs: number | undefined

  /**
   * @param timeoutMs longest wait for a connection, for an answer to begin and for more of its body; an answer
   * that comes in drops ends after four times as long
   */
  constructor(
    budget: Budget,
    recorder: Recorder,
    proxy?: { readonly url: string; readonly bypass: string },
    timeoutMs = defaultTimeoutMs,
  ) {
    this.#timeoutMs = timeoutMs
    this.#budget = budget
    this.#recorder = recorder
    const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connect: { timeout: timeoutMs } }
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

  async close(): Promise<void> {
    await this.#dispatcher.destroy()
  }

  /**
   * Sends a request until it has an answer that can be judged: any status but 429 and 5xx.
   * @throws {HttpFailure} throttled, unavailable, timed-out, unreachable, budget-spent, host-refused
   */
  async send(request: HttpRequest): Promise<HttpResponse> {
    const dispatcher = request.ownConnection ? this.#newDispatcher() : this.#dispatcher
    try {
      return await this.#sendUntilJudged(request, dispatcher)
    } finally {
      if (request.ownConnection) await dispatcher.close()
    }
  }

  async #sendUntilJudged(request: HttpRequest, dispatcher: Dispatcher): Promise<HttpResponse> {
    for (let attempt = 0; ; attempt += 1) {
      const last = attempt + 1 >= attempts
      const outcome = await this.#sendOnce(request, dispatcher)
      if (outcome instanceof HttpFailure) {
        // One repetition tells a hiccup from an outage; the run has other checks to wait for.
        if (request.repeat !== 'reads' || attempt >= 1) throw outcome
        this.#budget.pauseFor(backoffMs(attempt))
        continue
      }
      const { status } = outcome
      if (status !== 429 && status < 500) return outcome
      // Asked to come back at once, a run still waits a little: it must never ask in a tight loop.
      const asked = retryAfterMs(outcome.header('retry-after'), outcome.header('date'))
      const wait = asked || backoffMs(attempt)
      if (status === 429) {
        if (request.repeat !== 'never') this.throttledAnswers.push(outcome)
        this.#budget.throttle(wait)
      } else if (status === 503) this.#budget.pauseFor(wait)
      const repeatable =
        request.repeat !== 'never' &&
        (status === 429 || status === 503 || (request.repeat === 'reads' && attempt === 0))
      if (last || !repeatable || wait > longestWaitMs) {
        throw new HttpFailure(
          status === 429 ? 'throttled' : 'unavailable',
          `${endpointOf(request)} was answered ${status} ${counted(attempt + 1)}${
            wait > longestWaitMs ? ` and asks to wait ${Math.round(wait / 1000)} s` : ''
          }`,
          { retryAfterMs: asked },
        )
      }
      if (status !== 429 && status !== 503) this.#budget.pauseFor(wait)
    }
  }

  async #sendOnce(request: HttpRequest, dispatcher: Dispatcher): Promise<HttpResponse | HttpFailure> {
    await this.#budget.pass(request.url)
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
      const answer = await dispatcher.request({
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: request.method,
        headers: headers.flat(),
        ...(body !== undefined && { body }),
        ...(request.timeoutMs !== undefined && { headersTimeout: timeoutMs, bodyTimeout: timeoutMs }),
        signal: AbortSignal.timeout(4 * timeoutMs),
      })
      const text = await readBody(decoded(answer.body, answer.headers['content-encoding']))
      const response = new HttpResponse(answer.statusCode, answer.headers, text)
      this.#measureClock(response, sentAt, performance.now() - started)
      response.exchange = recordOf({
        response: shownResponse(response, answer.headers, this.#recorder.isListenedTo),
      })
      return response
    } catch (error) {
      const failure = failureOf(error, request, timeoutMs)
      recordOf({ failure: failure.message })
      return failure
    }
  }

  #measureClock(response: HttpResponse, sentAt: number, durationMs: number): void {
    const date = Date.parse(response.header('date') ?? '')
    // Date has whole seconds: half a second is the best guess for what was cut off.
    if (!Number.isNaN(date)) this.#clockOffsetMs = date + 500 - (sentAt + durationMs / 2)
  }
}

function formBody(form: readonly (readonly [string, string])[]): string {
  return new URLSearchParams(form.map(([name, value]) => [name, value])).toString()
}

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/** Nobody asks for a content coding, and a server may choose one all the same (RFC 9110, 12.5.3). */
function decoded(body: Readable, coding: string | string[] | undefined): Readable {
  const decoder = decoders[String(coding ?? '').toLowerCase()]?.()
  // Errors of either end come out of the decoder.
  return decoder ? pipeline(body, decoder, () => undefined) : body
}

async function readBody(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > largestBody)
      throw new HttpFailure('unavailable', `the answer is larger than ${largestBody} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** What was asked, without the query: checks that fail at one endpoint are told together. */
function endpointOf({ method, url }: HttpRequest): string {
  return `${method} ${address(new URL(url.pathname, url.origin))}`
}

function counted(times: number): string {
  return times === 1 ? 'once' : `${times} times`
}

/** Library errors carry addresses and sometimes headers: only their code is kept. */
function failureOf(error: unknown, request: HttpRequest, timeoutMs: number): HttpFailure {
  if (error instanceof HttpFailure) return error
  const { code: known, name } = error as { code?: unknown; name: string }
  const code = typeof known === 'string' ? known : name
  const where = endpointOf(request)
  if (/TIMEOUT|TIMEDOUT|^TimeoutError$/.test(code))
    return new HttpFailure(
      'timed-out',
      `${where} had no complete answer within ${timeoutMs / 1000} s (${code})`,
    )
  return new HttpFailure('unreachable', `${where} could not be sent or its answer broke off (${code})`)
}
