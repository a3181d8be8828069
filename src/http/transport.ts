import { createRequire } from 'node:module'
import type { Agent, Dispatcher } from 'undici'
import type { ProxySettings } from '../target/target.ts'
import { endpointOf } from './endpoint-circuit.ts'
import { HttpFailure } from './failures.ts'
import type { ResponseHeaders } from './response.ts'
import { decoded, readBody, responseLimits, tooLarge } from './response-limits.ts'

const requireModule = createRequire(import.meta.url)

/**
 * Idle time after which a connection is not used again, in milliseconds. Servers close idle connections, usually
 * after 5 s, and a request sent at that moment is lost.
 */
const longestIdleMs = 1000

/** Maximum size of the headers of a response in bytes, like that of Chromium. */
const maxHeaderSize = 256 * 1024

/** Time limit for reading a body that is not needed, in milliseconds. */
const unneededBodyMs = 1000

/** Loads undici on first use, since it takes a fifth of the time of a command that lists checks. */
export function loadUndici(): typeof import('undici') {
  return requireModule('undici')
}

/** A dispatcher of undici: a set of connections that sends requests, through the proxy if there is one. */
export function dispatcherFor(proxy: ProxySettings | undefined, options: Agent.Options): Dispatcher {
  const { Agent, EnvHttpProxyAgent } = loadUndici()
  return proxy
    ? new EnvHttpProxyAgent({
        ...options,
        httpProxy: proxy.url,
        httpsProxy: proxy.url,
        noProxy: proxy.bypass,
      })
    : new Agent(options)
}

/** A request as it is sent, with all its headers except those that HTTP requires. */
interface RawRequest {
  readonly method: string
  readonly url: URL
  readonly headers: readonly (readonly [string, string])[]
  readonly body?: string | undefined
  /** Time limit in place of that of the transport, in milliseconds. */
  readonly timeoutMs?: number
  /** Whether the request uses a separate connection. */
  readonly ownConnection?: boolean
  /** Aborts the request. */
  readonly signal?: AbortSignal
  /** Called as soon as the headers of a response have arrived, because its body may be slow or fail. */
  readonly onHeaders?: (status: number, headers: ResponseHeaders) => void
  /** Whether the caller needs only these headers of the response; if so, the body of the result is empty. */
  readonly isComplete?: (status: number, headers: ResponseHeaders) => boolean
}

interface RawResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: Buffer
}

/** Sends single requests and reads their responses within limits, without budget, evidence, retry or redirect. */
export class Transport {
  readonly #timeoutMs: number
  readonly #newDispatcher: () => Dispatcher
  readonly #dispatcher: Dispatcher
  /** Dispatchers of pending requests with separate connections. */
  readonly #ownDispatchers = new Set<Dispatcher>()

  /**
   * @param timeoutMs time limit for a connection, for the start of a response, and for each further part of its body;
   * the whole response may take four times as long
   */
  constructor(timeoutMs: number, proxy: ProxySettings | undefined) {
    this.#timeoutMs = timeoutMs
    const limits = {
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: timeoutMs },
      keepAliveTimeout: longestIdleMs,
      keepAliveMaxTimeout: longestIdleMs,
      maxHeaderSize,
    }
    this.#newDispatcher = () => dispatcherFor(proxy, limits)
    this.#dispatcher = this.#newDispatcher()
  }

  /** @throws {HttpFailure} timed-out, unreachable, or unavailable if the body is too large or cannot be decoded */
  async send(request: RawRequest): Promise<RawResponse> {
    if (!request.ownConnection) return this.#sendOver(this.#dispatcher, request)
    const dispatcher = this.#newDispatcher()
    this.#ownDispatchers.add(dispatcher)
    try {
      return await this.#sendOver(dispatcher, request)
    } finally {
      this.#ownDispatchers.delete(dispatcher)
      await dispatcher.close().catch(() => undefined)
    }
  }

  /** Aborts pending requests. */
  async close(): Promise<void> {
    await Promise.all([this.#dispatcher, ...this.#ownDispatchers].map((dispatcher) => dispatcher.destroy()))
  }

  async #sendOver(dispatcher: Dispatcher, request: RawRequest): Promise<RawResponse> {
    const { url, method, headers, body, signal } = request
    const timeoutMs = request.timeoutMs ?? this.#timeoutMs
    const totalLimit = AbortSignal.timeout(4 * timeoutMs)
    try {
      const response = await dispatcher.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: headers.flat(),
        body: body ?? null,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal: signal ? AbortSignal.any([totalLimit, signal]) : totalLimit,
      })
      const { statusCode: status } = response
      request.onHeaders?.(status, response.headers)
      if (request.isComplete?.(status, response.headers)) {
        // If the body is short, reading it to the end keeps the connection usable. The caller does not wait for this.
        const dumpLimit = AbortSignal.timeout(unneededBodyMs)
        response.body.dump({ limit: responseLimits.bytes, signal: dumpLimit }).catch(() => undefined)
        return { status, headers: response.headers, body: Buffer.alloc(0) }
      }
      const encoded = await readBody(response.body)
      return { status, headers: response.headers, body: decodedBody(encoded, response.headers, request) }
    } catch (error) {
      throw failureOf(error, request, timeoutMs)
    }
  }
}

/** @throws {HttpFailure} unavailable, if the body is too large or cannot be decoded */
function decodedBody(encoded: Buffer, headers: ResponseHeaders, request: RawRequest): Buffer {
  try {
    return decoded(encoded, headers, responseLimits.bytes)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new HttpFailure(
      'unavailable',
      `${endpointOf(request)} returned a body that cannot be decoded (${code})`,
    )
  }
}

/** The code of a library error. Its message may contain secrets in addresses and headers, so it is not used. */
function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name: string }
  return typeof code === 'string' ? code : name
}

function failureOf(error: unknown, request: RawRequest, timeoutMs: number): HttpFailure {
  if (error instanceof HttpFailure) return error
  const code = codeOf(error)
  const where = endpointOf(request)
  if (/TIMEOUT|TIMEDOUT|^TimeoutError$/.test(code)) {
    // A TimeoutError comes from `totalLimit`; the time limits of undici have other codes.
    const limitMs = code === 'TimeoutError' ? 4 * timeoutMs : timeoutMs
    return new HttpFailure(
      'timed-out',
      `${where} sent no complete response within ${limitMs / 1000} s (${code})`,
    )
  }
  const what = `${where} could not be sent, or its response was cut off (${code})`
  return new HttpFailure('unreachable', what, { code })
}
