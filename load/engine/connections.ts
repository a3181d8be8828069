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

/** A connection, which carries one request at a time and tracks whether the next one has to reconnect. */
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
      // The pool applies its own time-out.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: proxy ? { timeout: timeoutMs } : this.#connector(timeoutMs),
      ...(localAddress !== undefined && { localAddress }),
    })
    const isNow = (connected: boolean) => () => {
      this.#isConnected = connected
      this.#wasConnected = true
    }
    this.#dispatcher.on('connect', isNow(true))
    this.#dispatcher.on('disconnect', isNow(false))
    this.#dispatcher.on('connectionError', isNow(false))
  }

  #connector(timeoutMs: number): buildConnector.connector {
    const connect = buildConnector({ timeout: timeoutMs })
    return (options, callback) =>
      connect(options, (...[error, socket]) => {
        this.#socket = socket ?? undefined
        callback(...([error, socket] as Parameters<typeof callback>))
      })
  }

  /** Sends a request; call `ended` when it has ended. */
  send(request: LoadRequest, handlers: InFlightHandlers): Promise<InFlightRequest> {
    this.#inFlight = new InFlightRequest(handlers)
    this.#sentAt = performance.now()
    return this.#inFlight.send(this.#dispatcher, request)
  }

  ended(): void {
    // This is known before undici reports the end of the connection.
    if (this.#inFlight?.closesConnection) this.#isConnected = false
    this.#inFlight = undefined
  }

  /** Aborts a request that was sent before this value of `performance.now()`. */
  timeOut(before: number): void {
    if (this.#sentAt < before) this.#inFlight?.timeOut()
  }

  destroy(): Promise<void> {
    return this.#dispatcher.destroy()
  }

  /** The cost of a request over this connection: 2 if it has to reconnect, otherwise 1. */
  get cost(): 1 | 2 {
    // With HTTP/1.0, or a body that ends with the connection, there is no `Connection: close`, and `disconnect` comes late: so
    // look at the socket.
    const isLost = !this.#isConnected || this.#socket?.destroyed === true
    return this.#wasConnected && isLost ? 2 : 1
  }
}

/** The connections of a probe. A request uses the first free one. */
export class ConnectionPool {
  readonly #connections: readonly Connection[]
  readonly #waiting: ((connection: Connection) => void)[] = []
  readonly #timeouts: NodeJS.Timeout

  constructor(options: ConnectionOptions) {
    this.#connections = Array.from({ length: maxConnections }, () => new Connection(options))
    const { timeoutMs } = options
    // One timer for all, instead of one for each request.
    const everyMs = timeoutMs / 20
    let last = performance.now()
    this.#timeouts = setInterval(() => {
      const now = performance.now()
      // After a pause of this process, read the responses that arrived meanwhile first.
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
