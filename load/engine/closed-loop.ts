import type { EventEmitter } from 'node:events'
import { contentCodings } from '../../src/http/response-limits.ts'
import { maxConnections } from './connections.ts'
import type { Engine } from './engine.ts'
import { closesConnection, retryAfterOf } from './in-flight.ts'
import type { LoadRequest, LoadResponse, Shot } from './shot.ts'

/**
 * A client of autocannon 9: one connection, which autocannon reopens if it is lost. Its types omit some members.
 * autocannon reports neither reconnects nor requests that are lost with a connection, so `putUnderGuard` replaces
 * `_connect` and `_doRequest`.
 */
interface AutocannonClient extends EventEmitter {
  readonly destroyed: boolean
  readonly reqsMade: number
  /** Number of requests that this client should send: its part of `amount`. */
  readonly responseMax: number
  destroy(): void
  _connect(): void
  _doRequest(): void
}

/**
 * Sends all remaining requests in a closed model: each of up to ten connections sends its next request after the previous
 * response. It neither paces requests nor waits for Retry-After. The guard (`guard.ts`) admits each request and
 * reconnect within LOAD_MAX_REQUESTS and LOAD_MAX_SECONDS.
 */
export async function closedLoop(engine: Engine, request: LoadRequest, signal: AbortSignal): Promise<void> {
  const amount = engine.guard.remaining
  if (amount < 1) return
  const { default: autocannon } = await import('autocannon')
  const clients: AutocannonClient[] = []
  const stop = () => {
    for (const client of clients) if (!client.destroyed) client.destroy()
  }
  // The latest response: autocannon calls `onResponse` just before the client emits `response`.
  let response: LoadResponse | undefined
  const running = autocannon({
    url: request.url.href,
    connections: Math.min(maxConnections, amount),
    amount,
    timeout: engine.timeoutMs / 1000,
    requests: [
      {
        method: request.method,
        headers: Object.fromEntries(request.headers),
        onResponse: (status, text, _, headers = {}) => {
          response = { status, headers: inLowerCase(headers), text }
        },
      },
    ],
    setupClient: (made) => {
      const client = made as unknown as AutocannonClient
      clients.push(client)
      putUnderGuard(client, engine, request, () => response)
    },
  })
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  await running
  signal.removeEventListener('abort', stop)
}

/** Makes a client ask the guard before each request and reconnect, and records the outcomes. */
function putUnderGuard(
  client: AutocannonClient,
  engine: Engine,
  request: LoadRequest,
  latestResponse: () => LoadResponse | undefined,
): void {
  const { _connect: connect, _doRequest: send } = client
  let sentAt: number | undefined
  let wasConnected = false
  let isClosing = false
  let failure: NonNullable<Shot['failure']> = 'reset'
  /** Records the request in flight, if there is one, as a request without a response. */
  const recordLoss = (why: typeof failure) => {
    if (sentAt === undefined) return
    const endedAt = engine.now()
    // autocannon emits `timeout` too late: only after it has reconnected.
    const isTimeOut = endedAt - sentAt > 0.95 * engine.timeoutMs
    const shot: Shot = { intendedAt: sentAt, sentAt, endedAt, failure: isTimeOut ? 'timed-out' : why }
    sentAt = undefined
    engine.recordUnpaced(request, shot)
  }
  const admit = (kind: 'request' | 'reconnect') => {
    const isAdmitted = engine.admitUnpaced(kind)
    // Delayed, because autocannon listens to the end of a client only after the first `_connect` has returned.
    if (!isAdmitted) queueMicrotask(() => !client.destroyed && client.destroy())
    return isAdmitted
  }
  client._connect = () => {
    recordLoss(failure)
    isClosing = false
    failure = 'reset'
    if (client.destroyed || (wasConnected && !admit('reconnect'))) return
    wasConnected = true
    connect.call(client)
  }
  client._doRequest = () => {
    if (client.destroyed || isClosing) return
    // After its last request, the client only closes the connection.
    if (client.reqsMade < client.responseMax) {
      if (!admit('request')) return
      sentAt = engine.now()
    }
    send.call(client)
  }
  client.on('connError', (error: NodeJS.ErrnoException) => {
    failure = error.code === 'ECONNREFUSED' ? 'refused' : 'reset'
  })
  client.on('response', (status: number) => {
    const response = latestResponse()
    if (sentAt === undefined || !response) return
    const retryAfterMs = retryAfterOf(response.headers)
    const shot = { intendedAt: sentAt, sentAt, endedAt: engine.now(), status }
    sentAt = undefined
    // autocannon would otherwise send the next request over a connection that is about to close.
    isClosing = closesConnection(response.headers)
    // autocannon has decoded the body as text, so a content coding can no longer be removed.
    const readable = contentCodings(response.headers).length === 0 ? response : undefined
    engine.recordUnpaced(request, { ...shot, ...(retryAfterMs !== undefined && { retryAfterMs }) }, readable)
  })
  // If the guard has ended the probe, the target did not fail: the probe did not wait for the response.
  client.on('done', () => recordLoss(engine.guard.endReason === undefined ? failure : 'ended'))
}

/** autocannon reports header names as they were sent. */
function inLowerCase(headers: object): LoadResponse['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
