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
  /** Bytes of all bodies that are read or wait for their answers; what goes beyond it is answered 503. */
  readonly bodiesLimit?: number
}

export interface Listener {
  readonly port: number
  /** Takes no more, answers what has come, and ends; waits that were asked for are cut short. */
  close(): Promise<void>
}

const defaultBodyLimit = 1024 * 1024
const defaultBodiesLimit = 64 * defaultBodyLimit
/** For a request to come in whole: what is left of the ten seconds is for the answer. */
const requestTimeoutMs = 5000

/**
 * Listens for deliveries, reads the bytes of each, and answers as it is told.
 * @throws Error with code EADDRINUSE where the port is taken
 */
export async function listen(answering: Answering, options: ListenerOptions = {}): Promise<Listener> {
  const { port = 0, host = '127.0.0.1', certificate } = options
  const closing = new AbortController()
  const room = new Room(options.bodyLimit ?? defaultBodyLimit, options.bodiesLimit ?? defaultBodiesLimit)
  const respond: RequestListener = (request, response) => {
    answer(request, response, answering, room, closing.signal).catch(() => response.destroy())
  }
  const timeouts = { requestTimeout: requestTimeoutMs, connectionsCheckingInterval: 1000 }
  const server: Server = certificate
    ? createSecureServer({ ...timeouts, handshakeTimeout: requestTimeoutMs, ...certificate }, respond)
    : createServer(timeouts, respond)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const isNoHttp = error.code?.startsWith('HPE_') && socket.writable
    if (isNoHttp) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    // Answered 408, a sender would take a delivery for refused, and never try it again.
    else socket.destroy()
  })
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
  room: Room,
  closing: AbortSignal,
): Promise<void> {
  // Senders reuse connections, and one that stays open would keep the listener from ending.
  response.setHeader('Connection', 'close')
  const body = new Body(room)
  try {
    const refused = await body.read(request)
    if (refused === undefined) await answerBody(request, response, body.bytes, answering, closing)
    else response.writeHead(refused).end()
  } finally {
    body.release()
  }
}

async function answerBody(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  answering: Answering,
  closing: AbortSignal,
): Promise<void> {
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

/** What bodies may take of memory: each, and all at once. */
class Room {
  readonly each: number
  readonly #all: number
  #taken = 0

  constructor(each: number, all: number) {
    this.each = each
    this.#all = all
  }

  /** @returns whether there was so much room */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#all) return false
    this.#taken += bytes
    return true
  }

  release(bytes: number): void {
    this.#taken -= bytes
  }
}

/** The bytes of a body as they came. */
class Body {
  readonly #room: Room
  #chunks: Buffer[] = []
  #kept = 0

  constructor(room: Room) {
    this.#room = room
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** @returns the status to refuse it with: 413 where it is too large, 503 where others leave no room for it */
  async read(request: IncomingMessage): Promise<413 | 503 | undefined> {
    const { each } = this.#room
    let size = 0
    let refused: 413 | 503 | undefined
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > each) refused = 413
      else if (refused === undefined && !this.#keep(chunk)) refused = 503
      if (refused !== undefined) this.release()
      // Read to its end, so that the answer gets through, but not kept.
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
