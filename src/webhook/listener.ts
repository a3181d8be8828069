import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Certificate } from './certificate.ts'
import type { Delivery } from './delivery.ts'

/** What a receiver answers; `hang-up` ends the connection without an answer. */
export type DeliveryAnswer = { readonly status: number; readonly afterMs?: number } | 'hang-up'

export type Answering = (delivery: Delivery) => DeliveryAnswer | Promise<DeliveryAnswer>

export interface ListenerOptions {
  /** Any free one by default. */
  readonly port?: number
  /** Loopback by default. */
  readonly host?: string
  /** HTTPS with it, HTTP without. */
  readonly certificate?: Certificate
  /** Largest body in bytes; a larger one is answered 413. */
  readonly bodyLimit?: number
}

export interface Listener {
  readonly port: number
  /** Takes no more, answers what has come, and ends; waits that were asked for are cut short. */
  close(): Promise<void>
}

const defaultBodyLimit = 1024 * 1024
/** For a request to come in whole: what is left of the ten seconds is for the answer. */
const requestTimeoutMs = 5000

/**
 * Listens for deliveries, reads the bytes of each, and answers as it is told.
 * @throws Error with code EADDRINUSE where the port is taken
 */
export async function listen(answering: Answering, options: ListenerOptions = {}): Promise<Listener> {
  const { port = 0, host = '127.0.0.1', certificate, bodyLimit = defaultBodyLimit } = options
  const closing = new AbortController()
  const respond: RequestListener = (request, response) => {
    answer(request, response, answering, bodyLimit, closing.signal).catch(() => response.destroy())
  }
  const timeouts = { requestTimeout: requestTimeoutMs, connectionsCheckingInterval: 1000 }
  const server: Server = certificate
    ? createSecureServer({ ...timeouts, ...certificate }, respond)
    : createServer(timeouts, respond)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      closing.abort()
      server.closeIdleConnections()
      await closed
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  answering: Answering,
  bodyLimit: number,
  closing: AbortSignal,
): Promise<void> {
  // Senders reuse connections, and one that stays open would keep the listener from ending.
  response.setHeader('Connection', 'close')
  const body = await readBody(request, bodyLimit)
  if (body === undefined) {
    response.writeHead(413).end()
    return
  }
  const decided = await answering({
    method: request.method ?? '',
    path: request.url ?? '',
    headers: Object.fromEntries(
      Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.join(', ')]),
    ),
    body,
    receivedAt: Date.now(),
  })
  if (decided === 'hang-up') {
    request.socket.destroy()
    return
  }
  if (decided.afterMs !== undefined) {
    await sleep(decided.afterMs, undefined, { signal: closing }).catch(() => undefined)
  }
  response.writeHead(decided.status).end()
}

/** The bytes of a body as they came; undefined where they are more than the limit. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    // Read to its end, so that the answer gets through, but not kept.
    if (size <= limit) chunks.push(chunk)
    else if (size > 4 * limit) return undefined
  }
  return size > limit ? undefined : Buffer.concat(chunks)
}
