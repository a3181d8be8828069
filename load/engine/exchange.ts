import { type Dispatcher, errors } from 'undici'
import { retryAfterMs } from '../../src/http/retry-after.ts'
import { decoded } from './content-coding.ts'
import type { Answer, LoadRequest, Shot } from './shot.ts'

/** Largest body that is read to its end, in bytes. */
const largestBody = 4 * 1024 * 1024

class TooLong extends Error {}
class TooLarge extends Error {}
class HeldBack extends Error {}

/** Who is asked and told of a request on its way. */
export interface Attendant {
  /** Whether it may still leave, now that it has a connection. */
  mayLeave(): boolean
  /** Told of status and headers before the body has come, which it may never do. */
  onHead(exchange: Exchange): void
}

/** Options of requests that are sent again and again. */
const prepared = new WeakMap<LoadRequest, Dispatcher.DispatchOptions>()

function optionsOf(request: LoadRequest): Dispatcher.DispatchOptions {
  const known = prepared.get(request)
  if (known) return known
  const { method, url, headers, body } = request
  const options = {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: headers as string[],
    ...(body !== undefined && { body }),
  }
  prepared.set(request, options)
  return options
}

/**
 * One request and its whole answer, on undici's own level: streams, signals and timers for each request would take most
 * of the time of a core at high rates. It is its own outcome, and reads no more of an answer than is asked for.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  status: number | undefined
  failure: Shot['failure']
  /** It never left. */
  isHeldBack = false
  headers: Answer['headers'] = {}
  readonly #chunks: Buffer[] = []
  #size = 0
  #isWhole = false
  #controller: Dispatcher.DispatchController | undefined
  #settle: (exchange: Exchange) => void = () => undefined
  readonly #attendant: Attendant

  constructor(attendant: Attendant) {
    this.#attendant = attendant
  }

  /** Sends the request. Whoever sends it ends it with `timeOut` where it takes too long. */
  send(dispatcher: Dispatcher, request: LoadRequest): Promise<Exchange> {
    return new Promise((resolve) => {
      this.#settle = resolve
      dispatcher.dispatch(optionsOf(request), this)
    })
  }

  /** The answer; undefined where it did not come in whole. */
  get answer(): Answer | undefined {
    return this.#isWhole ? (this as Answer) : undefined
  }

  /** The body. It is put together when somebody reads it. */
  get text(): string {
    return decoded(Buffer.concat(this.#chunks), this.headers, largestBody).toString()
  }

  /** What the answer asks to wait, where it says so in a form that RFC 9110 knows. */
  get retryAfterMs(): number | undefined {
    return askedWaitMs(this.headers)
  }

  /** Whether the next request over the same connection needs a new one. */
  get endsConnection(): boolean {
    return !this.#isWhole || endsConnection(this.headers)
  }

  /** Gives up. A connection that is not there yet has a time-out of its own. */
  timeOut(): void {
    this.#controller?.abort(new TooLong())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#attendant.mayLeave()) return
    this.isHeldBack = true
    controller.abort(new HeldBack())
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Answer['headers']): void {
    this.status = status
    this.headers = headers
    this.#attendant.onHead(this)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > largestBody) controller.abort(new TooLarge())
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#isWhole = true
    this.#settle(this)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.status = undefined
    this.failure = failureOf(error)
    this.headers = {}
    this.#settle(this)
  }
}

const timeouts = [TooLong, errors.HeadersTimeoutError, errors.BodyTimeoutError, errors.ConnectTimeoutError]
const refusals = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH'])

function failureOf(error: Error): NonNullable<Shot['failure']> {
  if (error instanceof errors.ClientDestroyedError) return 'ended'
  if (timeouts.some((kind) => error instanceof kind)) return 'timed-out'
  return refusals.has((error as NodeJS.ErrnoException).code ?? '') ? 'refused' : 'reset'
}

/** What an answer asks to wait, where it says so in a form that RFC 9110 knows. */
export function askedWaitMs(headers: Answer['headers']): number | undefined {
  if (headers['retry-after'] === undefined) return undefined
  return retryAfterMs(one(headers['retry-after']), one(headers.date))
}

/** Whether a connection ends with an answer (RFC 9112, 9.6). */
export function endsConnection({ connection }: Answer['headers']): boolean {
  return connection !== undefined && /\bclose\b/i.test(String(connection))
}

/** A field that came more than once has no one meaning. */
function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? undefined : value
}
