import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Certificate } from './certificate.ts'
import type { Delivery } from './delivery.ts'

/** The response of a receiver; `hang-up` closes the connection without a response. */
export type DeliveryResponse = { readonly status: number; readonly afterMs?: number } | 'hang-up'

export type DeliveryHandler = (delivery: Delivery) => DeliveryResponse | Promise<DeliveryResponse>

export interface ListenerOptions {
  /** The port; any free one by default. */
  readonly port?: number
  /** The address to listen on; loopback by default. */
  readonly host?: string
  /** With a certificate, the listener uses HTTPS, otherwise HTTP. */
  readonly certificate?: Certificate
  /** Maximum size of a body in bytes; the response to a larger one is 413. */
  readonly bodyLimit?: number
  /** Maximum size in bytes of all bodies in memory; the response to a request beyond it is 503. */
  readonly bodiesLimit?: number
}

export interface Listener {
  readonly port: number
  /** Stops listening, and responds to pending requests without further delay. */
  close(): Promise<void>
}

const defaultBodyLimit = 1024 * 1024
const defaultBodiesLimit = 64 * defaultBodyLimit
/** Time limit for receiving a request; the rest of the 10 s is for the response. */
const requestTimeoutMs = 5000

/**
 * Listens for deliveries, passes each with its raw body to `handler`, and sends the response that it returns.
 * @throws Error with code EADDRINUSE if the port is in use
 */
export async function listen(handler: DeliveryHandler, options: ListenerOptions = {}): Promise<Listener> {
  const { port = 0, host = '127.0.0.1', certificate } = options
  const closing = new AbortController()
  const room = new BodyMemory(
    options.bodyLimit ?? defaultBodyLimit,
    options.bodiesLimit ?? defaultBodiesLimit,
  )
  const respond: RequestListener = (request, response) => {
    answer(request, response, handler, room, closing.signal).catch(() => response.destroy())
  }
  const timeouts = { requestTimeout: requestTimeoutMs, connectionsCheckingInterval: 1000 }
  // Imported here, since each of them takes a tenth of the time of a command that lists checks.
  const server: Server = certificate
    ? (await import('node:https')).createServer(
        { ...timeouts, handshakeTimeout: requestTimeoutMs, ...certificate },
        respond,
      )
    : (await import('node:http')).createServer(timeouts, respond)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const isNoHttp = error.code?.startsWith('HPE_') && socket.writable
    if (isNoHttp) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    // A sender would not retry after a 408.
    else socket.destroy()
  })
  await once(server.listen(port, host), 'listening')
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
  handler: DeliveryHandler,
  room: BodyMemory,
  closing: AbortSignal,
): Promise<void> {
  // An open connection would keep the listener from closing.
  response.setHeader('Connection', 'close')
  const body = new Body(room)
  try {
    const refused = await body.read(request)
    if (refused === undefined) await respondTo(request, response, body.bytes, handler, closing)
    else response.writeHead(refused).end()
  } finally {
    body.release()
  }
}

async function respondTo(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  handler: DeliveryHandler,
  closing: AbortSignal,
): Promise<void> {
  const decided = await handler({
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

/** Memory limits of bodies: of each, and of all together. */
class BodyMemory {
  readonly each: number
  readonly #all: number
  #taken = 0

  constructor(each: number, all: number) {
    this.each = each
    this.#all = all
  }

  /** @returns false if the limit is exceeded */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#all) return false
    this.#taken += bytes
    return true
  }

  release(bytes: number): void {
    this.#taken -= bytes
  }
}

/** A raw body in memory. */
class Body {
  readonly #room: BodyMemory
  #chunks: Buffer[] = []
  #kept = 0

  constructor(room: BodyMemory) {
    this.#room = room
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** @returns the status to reject the request with: 413 if the body is too large, 503 if memory is exhausted */
  async read(request: IncomingMessage): Promise<413 | 503 | undefined> {
    const { each } = this.#room
    let size = 0
    let refused: 413 | 503 | undefined
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > each) refused = 413
      else if (refused === undefined && !this.#keep(chunk)) refused = 503
      if (refused !== undefined) this.release()
      // Reads on without storing, so that the sender gets the response.
      if (size > 4 * each) return refused
    }
    return refused
  }

  release(): void {
    this.#room.release(this.#kept)
    this.#kept = 0
    this.#chunks = []
  }

  #keep(chunk: Buffer): boolean {
    if (!this.#room.take(chunk.length)) return false
    this.#kept += chunk.length
    this.#chunks.push(chunk)
    return true
  }
}
