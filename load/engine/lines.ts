import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'

/** Connections that a probe holds at most. */
export const maxLines = 10

export interface LineOptions {
  readonly timeoutMs: number
  readonly proxy?: { readonly url: string; readonly bypass: string }
  /** Source address, where the machine has several. */
  readonly localAddress?: string
}

/** One connection, which carries one request at a time, and knows whether the next one has to connect again. */
export class Line {
  readonly dispatcher: Dispatcher
  busy = false
  #connected = false
  #everConnected = false

  constructor({ timeoutMs, proxy, localAddress }: LineOptions) {
    const options = {
      connections: 1,
      pipelining: 1,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: timeoutMs },
      ...(localAddress !== undefined && { localAddress }),
    }
    this.dispatcher = proxy
      ? new EnvHttpProxyAgent({
          ...options,
          httpProxy: proxy.url,
          httpsProxy: proxy.url,
          noProxy: proxy.bypass,
        })
      : new Agent(options)
    this.dispatcher.on('connect', () => {
      this.#connected = true
      this.#everConnected = true
    })
    this.dispatcher.on('disconnect', () => {
      this.#connected = false
    })
    this.dispatcher.on('connectionError', () => {
      this.#connected = false
      this.#everConnected = true
    })
  }

  /** Notes that the connection does not outlive the answer, before its end is seen. */
  lose(): void {
    this.#connected = false
  }

  /** What a request over this line costs: one more where its connection was lost and has to be made anew. */
  get cost(): 1 | 2 {
    return this.#everConnected && !this.#connected ? 2 : 1
  }
}

/** The connections of a probe, of which the first free one is taken. */
export class Lines {
  readonly #lines: readonly Line[]
  readonly #waiting: ((line: Line) => void)[] = []

  constructor(options: LineOptions, count: number = maxLines) {
    this.#lines = Array.from({ length: Math.min(count, maxLines) }, () => new Line(options))
  }

  /** A free line, which is then busy; those that wait are served in order. */
  take(): Promise<Line> {
    const free = this.#lines.find(({ busy }) => !busy)
    if (!free) return new Promise((resolve) => this.#waiting.push(resolve))
    free.busy = true
    return Promise.resolve(free)
  }

  release(line: Line): void {
    const next = this.#waiting.shift()
    if (next) next(line)
    else line.busy = false
  }

  /** Breaks off what is under way. */
  async destroy(): Promise<void> {
    await Promise.all(this.#lines.map(({ dispatcher }) => dispatcher.destroy()))
  }
}
