import type { Socket } from 'node:net'
import { buildConnector, type Dispatcher } from 'undici'
import { dispatcherFor } from '../../src/http/transport.ts'
import type { ProxySettings } from '../../src/target/target.ts'
import { type InFlightHandlers, InFlightRequest } from './in-flight.ts'
import type { LoadRequest } from './shot.ts'

/** Largest number of connections of a probe. */
export const maxConnections = 10

export interface ConnectionOptions {
  /** Time limit of a response. */
  readonly timeoutMs: number
  readonly proxy?: ProxySettings
  /** Source address, if the machine has several. */
  readonly localAddress?: string
}

/** A connection that carries one request at a time, and tracks whether the next request has to reconnect. */
export class Connection {
  readonly #dispatcher: Dispatcher
  busy = false
  #inFlight: InFlightRequest | undefined
  #sentAt = 0
  #isConnected = false
  #wasConnected = false
  /** Absent behind a proxy. */
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

  /** Sends a request. The caller must call `ended` after its end. */
  send(request: LoadRequest, handlers: InFlightHandlers): Promise<InFlightRequest> {
    this.#inFlight = new InFlightRequest(handlers)
    this.#sentAt = performance.now()
    return this.#inFlight.send(this.#dispatcher, request)
  }

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

  /** The cost of a request over this connection: 2 if it has to reconnect, otherwise 1. */
  get cost(): 1 | 2 {
    // The socket may show first that the connection ended: HTTP/1.0 needs no `Connection: close`, and undici emits
    // `disconnect` late.
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
    // One timer for all requests.
    const everyMs = timeoutMs / 20
    let last = performance.now()
    this.#timeouts = setInterval(() => {
      const now = performance.now()
      // After a pause of this process, the responses that arrived meanwhile must be read first.
      const isAwake = now - last < 2 * everyMs
      last = now
      if (isAwake) for (const connection of this.#connections) connection.timeOut(now - timeoutMs)
    }, everyMs)
  }

  /** Takes a free connection; undefined if there is none. */
  free(): Connection | undefined {
    const free = this.#connections.find(({ busy }) => !busy)
    if (free) free.busy = true
    return free
  }

  /** Waits for a released connection, in the order of the calls. */
  next(): Promise<Connection> {
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
