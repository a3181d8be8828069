import type { Exchange } from './exchange.ts'

/**
 * Numbers the exchanges of a run, and adds each to the current collections: that of the running check, and those of the
 * shared data it is fetching.
 */
export class Recorder {
  #count = 0
  readonly #collections = new Set<Exchange[]>()
  /** Origins with a response other than an error. */
  readonly #served = new Set<string>()

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
    if (exchange.response && exchange.response.status < 400)
      this.#served.add(new URL(exchange.request.url).origin)
    this.useAsEvidence([numbered])
    return numbered
  }

  /** Whether the host of an address has returned a response other than an error. */
  hasServed(url: string): boolean {
    return this.#served.has(new URL(url).origin)
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
