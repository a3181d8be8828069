import type { Socket } from 'node:net'
import { buildConnector, type Dispatcher } from 'undici'
import { dispatcherFor } from '../../src/http/transport.ts'
import type { ProxySettings } from '../../src/target/target.ts'
import { type InFlightHandlers, InFlightRequest } from './in-flight.ts'
import type { LoadRequest } from './shot.ts'

/** Largest number of connections of a probe from one source address. */
export const maxConnections = 10

export interface ConnectionOptions {
  /** Time limit of a response. */
  readonly timeoutMs: number
  readonly proxy?: ProxySettings
  /** Source address, if the machine has several. */
  readonly localAddress?: string
}

/** A connection that carries one request at a time. `cost` shows whether the next request has to reconnect. */
export class Connection {
  readonly #dispatcher: Dispatcher
  busy = false
  #inFlight: InFlightRequest | undefined
  #sentAt = 0
  #isConnected = false
  #wasConnected = false
  /** Shows early that the connection is lost; unknown behind a proxy. */
  #socket: Socket | undefined

  constructor({ timeoutMs, proxy, localAddress }: ConnectionOptions) {
    this.#dispatcher = dispatcherFor(proxy, {
      connections: 1,
      pipelining: 1,
      // `ConnectionPool` applies its own time-out.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: proxy ? { timeout: timeoutMs } : this.#connector(timeoutMs),
      ...(localAddress !== undefined && { localAddress }),
    })
    const setConnected = (connected: boolean) => () => {
      this.#isConnected = connected
      this.#wasConnected = true
    }
    this.#dispatcher.on('connect', setConnected(true))
    this.#dispatcher.on('disconnect', setConnected(false))
    this.#dispatcher.on('connectionError', setConnected(false))
  }

  #connector(timeoutMs: number): buildConnector.connector {
    const connect = buildConnector({ timeout: timeoutMs })
    return (options, callback) =>
      connect(options, (...[error, socket]) => {
        this.#socket = socket ?? undefined
        callback(...([error, socket] as Parameters<typeof callback>))
      })
  }

  /** Sends a request. At its end, the caller must call `ConnectionPool.release`. */
  send(request: LoadRequest, handlers: InFlightHandlers): Promise<InFlightRequest> {
    this.#inFlight = new InFlightRequest(handlers)
    this.#sentAt = performance.now()
    return this.#inFlight.send(this.#dispatcher, request)
  }

  /** Called by `ConnectionPool.release`. */
  ended(): void {
    // The response may show that the connection ends, before undici emits `disconnect`.
    if (this.#inFlight?.closesConnection) this.#isConnected = false
    this.#inFlight = undefined
  }

  /** Aborts the request in flight if it was sent before this value of `performance.now()`. */
  timeOut(before: number): void {
    if (this.#sentAt < before) this.#inFlight?.timeOut()
  }

  destroy(): Promise<void> {
    return this.#dispatcher.destroy()
  }

  /** What the next request counts against LOAD_MAX_REQUESTS: 2 if it has to reconnect, otherwise 1. */
  get cost(): 1 | 2 {
    // The socket shows first that the connection ended: undici emits `disconnect` late, and HTTP/1.0 may end it without
    // `Connection: close`.
    const isLost = !this.#isConnected || this.#socket?.destroyed === true
    return this.#wasConnected && isLost ? 2 : 1
  }
}

/** The connections of a probe. A request uses the first free connection. */
export class ConnectionPool {
  readonly #connections: readonly Connection[]
  readonly #waiting: ((connection: Connection) => void)[] = []
  readonly #timeouts: NodeJS.Timeout

  constructor(options: ConnectionOptions) {
    this.#connections = Array.from({ length: maxConnections }, () => new Connection(options))
    const { timeoutMs } = options
    // One timer for all requests, since a timer per request is slow. So a time-out may be late by a twentieth.
    const everyMs = timeoutMs / 20
    let last = performance.now()
    this.#timeouts = setInterval(() => {
      const now = performance.now()
      // After a pause of this process, no request times out yet: its response may have arrived unread.
      const isAwake = now - last < 2 * everyMs
      last = now
      if (isAwake) for (const connection of this.#connections) connection.timeOut(now - timeoutMs)
    }, everyMs)
  }

  /** Takes a free connection; undefined if there is none. */
  takeFree(): Connection | undefined {
    const free = this.#connections.find(({ busy }) => !busy)
    if (free) free.busy = true
    return free
  }

  /** Waits for a connection that another request releases, in the order of the calls, and takes it. */
  takeNext(): Promise<Connection> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  release(connection: Connection): void {
    connection.ended()
    const next = this.#waiting.shift()
    if (next) next(connection)
    else connection.busy = false
  }

  /** Aborts every request in flight. */
  async destroy(): Promise<void> {
    clearInterval(this.#timeouts)
    await Promise.all(this.#connections.map((connection) => connection.destroy()))
  }
}
