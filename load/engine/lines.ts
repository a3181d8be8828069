import type { Socket } from 'node:net'
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { type Attendant, Exchange } from './exchange.ts'
import type { LoadRequest } from './shot.ts'

/** Connections that a probe holds at most. */
export const maxLines = 10

export interface LineOptions {
  /** Longest wait for the end of an answer. */
  readonly timeoutMs: number
  readonly proxy?: { readonly url: string; readonly bypass: string }
  /** Source address, where the machine has several. */
  readonly localAddress?: string
}

/** One connection, which carries one request at a time, and knows whether the next one has to connect again. */
export class Line {
  readonly #dispatcher: Dispatcher
  busy = false
  #underWay: Exchange | undefined
  #since = 0
  #connected = false
  #everConnected = false
  /** Absent behind a proxy. */
  #socket: Socket | undefined

  constructor({ timeoutMs, proxy, localAddress }: LineOptions) {
    const options = {
      connections: 1,
      pipelining: 1,
      // The lines themselves look after how long answers take.
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(localAddress !== undefined && { localAddress }),
    }
    this.#dispatcher = proxy
      ? new EnvHttpProxyAgent({
          ...options,
          connect: { timeout: timeoutMs },
          httpProxy: proxy.url,
          httpsProxy: proxy.url,
          noProxy: proxy.bypass,
        })
      : new Agent({ ...options, connect: this.#connector(timeoutMs) })
    this.#dispatcher.on('connect', () => {
      this.#connected = true
      this.#everConnected = true
    })
    this.#dispatcher.on('disconnect', () => {
      this.#connected = false
    })
    this.#dispatcher.on('connectionError', () => {
      this.#connected = false
      this.#everConnected = true
    })
  }

  #connector(timeoutMs: number): buildConnector.connector {
    const connect = buildConnector({ timeout: timeoutMs })
    return (options, callback) =>
      connect(options, (...[error, socket]) => {
        this.#socket = socket ?? undefined
        callback(...([error, socket] as Parameters<typeof callback>))
      })
  }

  /** Sends a request; `ended` has to be called when it has come to its end. */
  send(request: LoadRequest, attendant: Attendant): Promise<Exchange> {
    const exchange = new Exchange(attendant)
    this.#underWay = exchange
    this.#since = performance.now()
    return exchange.send(this.#dispatcher, request)
  }

  ended(): void {
    // Known before the end of the connection is seen.
    if (this.#underWay?.endsConnection) this.#connected = false
    this.#underWay = undefined
  }

  /** Gives up what was sent before that moment of `performance.now()`. */
  timeOut(before: number): void {
    if (this.#since < before) this.#underWay?.timeOut()
  }

  destroy(): Promise<void> {
    return this.#dispatcher.destroy()
  }

  /** What a request over this line costs: one more where its connection was lost and has to be made anew. */
  get cost(): 1 | 2 {
    // Of HTTP/1.0, and of bodies that end with their connection, no header says so, and it is heard of late.
    const isLost = !this.#connected || this.#socket?.destroyed === true
    return this.#everConnected && isLost ? 2 : 1
  }
}

/** The connections of a probe, of which the first free one is taken. */
export class Lines {
  readonly #lines: readonly Line[]
  readonly #waiting: ((line: Line) => void)[] = []
  readonly #watch: NodeJS.Timeout

  constructor(options: LineOptions, count: number = maxLines) {
    this.#lines = Array.from({ length: Math.min(count, maxLines) }, () => new Line(options))
    const { timeoutMs } = options
    // One timer for all, instead of one for each request.
    const everyMs = timeoutMs / 20
    let last = performance.now()
    this.#watch = setInterval(() => {
      const now = performance.now()
      // After a pause of this machine, what has come meanwhile is read first.
      const isAwake = now - last < 2 * everyMs
      last = now
      if (isAwake) for (const line of this.#lines) line.timeOut(now - timeoutMs)
    }, everyMs)
  }

  /** A free line, which is then busy; undefined where there is none. */
  free(): Line | undefined {
    const free = this.#lines.find(({ busy }) => !busy)
    if (free) free.busy = true
    return free
  }

  /** The next line that is released; those that wait are served in order. */
  next(): Promise<Line> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  release(line: Line): void {
    line.ended()
    const next = this.#waiting.shift()
    if (next) next(line)
    else line.busy = false
  }

  /** Breaks off what is under way. */
  async destroy(): Promise<void> {
    clearInterval(this.#watch)
    await Promise.all(this.#lines.map((line) => line.destroy()))
  }
}
