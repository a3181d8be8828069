import { type Dispatcher, errors } from 'undici'
import { decoded } from '../../src/http/response-limits.ts'
import { retryAfterMs } from '../../src/http/retry-after.ts'
import type { LoadRequest, LoadResponse, Shot } from './shot.ts'

/** Largest body, in bytes. A response with a larger body counts as incomplete. */
const largestBody = 4 * 1024 * 1024

// Why this process aborts a request: time limit, size of the body, or `maySend` returned false.
class TooLong extends Error {}
class TooLarge extends Error {}
class NotSent extends Error {}

export interface InFlightHandlers {
  /** Whether the request may still be sent, now that it has a connection. */
  maySend(): boolean
  /** Called with status and headers; the body may never arrive. */
  onHead(request: InFlightRequest): void
}

/** Most probes send the same request object many times. */
const optionsCache = new WeakMap<LoadRequest, Dispatcher.DispatchOptions>()

function optionsOf(request: LoadRequest): Dispatcher.DispatchOptions {
  const known = optionsCache.get(request)
  if (known) return known
  const { method, url, headers, body } = request
  const options = {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: headers.flat(),
    ...(body !== undefined && { body }),
  }
  optionsCache.set(request, options)
  return options
}

/**
 * One request and its response, as a handler of undici. Streams, signals and timers per request would be too slow at
 * high rates: they would use most of a core. The body is decoded only on access.
 */
export class InFlightRequest implements Dispatcher.DispatchHandler {
  status: number | undefined
  failure: Shot['failure']
  /** Whether `maySend` returned false, so that the request was not sent. */
  wasNeverSent = false
  headers: LoadResponse['headers'] = {}
  readonly #chunks: Buffer[] = []
  #size = 0
  #isComplete = false
  #controller: Dispatcher.DispatchController | undefined
  #settle: (request: InFlightRequest) => void = () => undefined
  readonly #handlers: InFlightHandlers

  constructor(handlers: InFlightHandlers) {
    this.#handlers = handlers
  }

  /** Sends the request, and resolves to this object at its end. The caller applies the time limit with `timeOut`. */
  send(dispatcher: Dispatcher, request: LoadRequest): Promise<InFlightRequest> {
    return new Promise((resolve) => {
      this.#settle = resolve
      dispatcher.dispatch(optionsOf(request), this)
    })
  }

  /** Undefined if the response is incomplete. */
  get response(): LoadResponse | undefined {
    return this.#isComplete ? (this as LoadResponse) : undefined
  }

  /** The body; empty if it cannot be decoded. */
  get text(): string {
    try {
      return decoded(Buffer.concat(this.#chunks), this.headers, largestBody).toString()
    } catch {
      return ''
    }
  }

  get retryAfterMs(): number | undefined {
    return retryAfterOf(this.headers)
  }

  /** Whether the connection ends with this request. */
  get closesConnection(): boolean {
    return !this.#isComplete || closesConnection(this.headers)
  }

  /** Aborts the request. Without effect before it has a connection, since connecting has its own time-out. */
  timeOut(): void {
    this.#controller?.abort(new TooLong())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#handlers.maySend()) return
    this.wasNeverSent = true
    controller.abort(new NotSent())
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: LoadResponse['headers']): void {
    this.status = status
    this.headers = headers
    this.#handlers.onHead(this)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > largestBody) controller.abort(new TooLarge())
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#isComplete = true
    this.#settle(this)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // A response that fails after its headers counts as no response.
    this.status = undefined
    this.failure = failureOf(error)
    this.headers = {}
    this.#settle(this)
  }
}

const timeouts = [TooLong, errors.HeadersTimeoutError, errors.BodyTimeoutError, errors.ConnectTimeoutError]
const refusedCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH'])

function failureOf(error: Error): NonNullable<Shot['failure']> {
  if (error instanceof errors.ClientDestroyedError) return 'ended'
  if (timeouts.some((kind) => error instanceof kind)) return 'timed-out'
  return refusedCodes.has((error as NodeJS.ErrnoException).code ?? '') ? 'refused' : 'reset'
}

/** Retry-After in milliseconds; undefined if it is absent or not valid by RFC 9110. */
export function retryAfterOf(headers: LoadResponse['headers']): number | undefined {
  return retryAfterMs(single(headers['retry-after']), single(headers.date))
}

/** Whether a connection ends with a response (RFC 9112, 9.6). */
export function closesConnection({ connection }: LoadResponse['headers']): boolean {
  return connection !== undefined && /\bclose\b/i.test(String(connection))
}

/** Undefined for a repeated field. */
function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? undefined : value
}
