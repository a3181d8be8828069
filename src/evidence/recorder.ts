import { type Exchange, isServed } from './exchange.ts'

/**
 * Numbers the exchanges of a run, and adds each to the current collections: that of the running check, and those of the
 * shared data it is fetching.
 */
export class Recorder {
  #count = 0
  readonly #collections = new Set<Exchange[]>()
  /** Origins with a response other than an error. */
  readonly #accepted = new Set<string>()
  /** Number of the last exchange of an origin that its service served. */
  readonly #lastServed = new Map<string, number>()

  /** Whether there is a collection; without one, costly details may be omitted. */
  get isCollecting(): boolean {
    return this.#collections.size > 0
  }

  /** Number of the last exchange; 0 before the first one. */
  get count(): number {
    return this.#count
  }

  record(exchange: Omit<Exchange, 'number'>): Exchange {
    this.#count += 1
    const numbered = { number: this.#count, ...exchange }
    const { request, response } = exchange
    if (response && response.status < 400) {
      const { origin } = new URL(request.url)
      this.#accepted.add(origin)
      if (isServed(response)) this.#lastServed.set(origin, this.#count)
    }
    this.useAsEvidence([numbered])
    return numbered
  }

  /** Whether the host of an address has returned a response other than an error. */
  hasAccepted(url: string): boolean {
    return this.#accepted.has(new URL(url).origin)
  }

  /** Number of the last exchange with the host of an address that its service served; 0 before the first. */
  lastServed(url: string): number {
    return this.#lastServed.get(new URL(url).origin) ?? 0
  }

  /** Adds earlier exchanges to the current collections that lack them. */
  useAsEvidence(exchanges: readonly Exchange[]): void {
    for (const collection of this.#collections) {
      for (const exchange of exchanges) if (!collection.includes(exchange)) collection.push(exchange)
    }
  }

  /** Runs `work`, and collects the exchanges that are recorded or used again meanwhile, in order. */
  async collectInto<T>(collection: Exchange[], work: () => Promise<T>): Promise<T> {
    this.#collections.add(collection)
    try {
      return await work()
    } finally {
      this.#collections.delete(collection)
    }
  }
}
