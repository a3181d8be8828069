import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Certificate } from './certificate.ts'
import type { Delivery } from './delivery.ts'

/** The response of a receiver, after a delay of `afterMs`; `hang-up` closes the connection without a response. */
export type DeliveryResponse = { readonly status: number; readonly afterMs?: number } | 'hang-up'

export type DeliveryHandler = (delivery: Delivery) => DeliveryResponse | Promise<DeliveryResponse>

export interface ListenerOptions {
  /** The port; any free one by default. */
  readonly port?: number
  /** The address to listen on; loopback by default. */
  readonly host?: string
  /** With a certificate, the listener uses HTTPS, otherwise HTTP. */
  readonly certificate?: Certificate
  /** Maximum size of a body in bytes, by default 1 MiB. The response to a larger body is 413. */
  readonly bodyLimit?: number
  /** Maximum size of all bodies in memory together in bytes, by default 64 MiB. Beyond it, the response is 503. */
  readonly bodiesLimit?: number
}

export interface Listener {
  readonly port: number
  /** Stops listening, and responds to pending requests without further delay. */
  close(): Promise<void>
}

const defaultBodyLimit = 1024 * 1024
const defaultBodiesLimit = 64 * defaultBodyLimit
/** Time limit for receiving a request. A sender waits 10 s for the response, so the handler has the other 5 s. */
const requestTimeoutMs = 5000

/**
 * Listens for deliveries, and sends the response that `handler` returns for each.
 * @throws Error with code EADDRINUSE if the port is in use
 */
export async function listen(handler: DeliveryHandler, options: ListenerOptions = {}): Promise<Listener> {
  const { port = 0, host = '127.0.0.1', certificate } = options
  const closing = new AbortController()
  const memory = new BodyMemory(
    options.bodyLimit ?? defaultBodyLimit,
    options.bodiesLimit ?? defaultBodiesLimit,
  )
  const respond: RequestListener = (request, response) => {
    answer(request, response, handler, memory, closing.signal).catch(() => response.destroy())
  }
  const timeouts = { requestTimeout: requestTimeoutMs, connectionsCheckingInterval: 1000 }
  // Imported on first use: each module takes 10% of the time of a command that lists checks.
  const server: Server = certificate
    ? (await import('node:https')).createServer(
        { ...timeouts, handshakeTimeout: requestTimeoutMs, ...certificate },
        respond,
      )
    : (await import('node:http')).createServer(timeouts, respond)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const isNotHttp = error.code?.startsWith('HPE_') && socket.writable
    if (isNotHttp) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    // Node would respond 408, after which a sender does not retry.
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
  memory: BodyMemory,
  closing: AbortSignal,
): Promise<void> {
  // An open connection would delay `close`.
  response.setHeader('Connection', 'close')
  const body = new Body(memory)
  try {
    const refusal = await body.read(request)
    if (refusal === undefined) await respondTo(request, response, body.bytes, handler, closing)
    else response.writeHead(refusal).end()
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
  const decision = await handler({
    method: request.method ?? '',
    path: request.url ?? '',
    headers: Object.fromEntries(
      Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.join(', ')]),
    ),
    body,
    receivedAt: Date.now(),
  })
  if (decision === 'hang-up') {
    request.socket.destroy()
    return
  }
  if (decision.afterMs !== undefined) {
    await sleep(decision.afterMs, undefined, { signal: closing }).catch(() => undefined)
  }
  response.writeHead(decision.status).end()
}

/** Limits the memory of each body, and of all bodies together. */
class BodyMemory {
  readonly bodyLimit: number
  readonly #totalLimit: number
  #taken = 0

  constructor(bodyLimit: number, totalLimit: number) {
    this.bodyLimit = bodyLimit
    this.#totalLimit = totalLimit
  }

  /** @returns false if `bytes` would exceed the limit of all bodies */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#totalLimit) return false
    this.#taken += bytes
    return true
  }

  release(bytes: number): void {
    this.#taken -= bytes
  }
}

/** The body of one request, in memory until `release`. */
class Body {
  readonly #memory: BodyMemory
  #chunks: Buffer[] = []
  #keptBytes = 0

  constructor(memory: BodyMemory) {
    this.#memory = memory
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** @returns undefined, or the status of a refusal: 413 if the body is too large, 503 if all bodies together are */
  async read(request: IncomingMessage): Promise<413 | 503 | undefined> {
    const { bodyLimit } = this.#memory
    let size = 0
    let refusal: 413 | 503 | undefined
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > bodyLimit) refusal = 413
      else if (refusal === undefined && !this.#keep(chunk)) refusal = 503
      if (refusal !== undefined) this.release()
      // A sender may read the response only after it has sent the whole body, so read on, up to four times the limit.
      if (size > 4 * bodyLimit) return refusal
    }
    return refusal
  }

  release(): void {
    this.#memory.release(this.#keptBytes)
    this.#keptBytes = 0
    this.#chunks = []
  }

  #keep(chunk: Buffer): boolean {
    if (!this.#memory.take(chunk.length)) return false
    this.#keptBytes += chunk.length
    this.#chunks.push(chunk)
    return true
  }
}
