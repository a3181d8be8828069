import { type Exchange, isServiceResponse } from './exchange.ts'

/**
 * Numbers the exchanges of a run, and adds each to all active collections. The running check has one collection, for
 * its evidence. Each request whose response several checks will share has another while it runs (`RunContext.once`).
 */
export class Recorder {
  #count = 0
  readonly #collections = new Set<Exchange[]>()
  /** Origins that have sent a response with a status below 400. */
  readonly #accepted = new Set<string>()
  /** By origin, the number of the last exchange in which the service itself responded (`isServiceResponse`). */
  readonly #lastServed = new Map<string, number>()

  /** Whether a collection is active. If not, the caller may omit costly details, such as the shape of a body. */
  get isCollecting(): boolean {
    return this.#collections.size > 0
  }

  /** Number of the last exchange; 0 before the first one. */
  get count(): number {
    return this.#count
  }

  /** Numbers a new exchange, and adds it to each active collection. */
  record(exchange: Omit<Exchange, 'number'>): Exchange {
    this.#count += 1
    const numbered = { number: this.#count, ...exchange }
    const { request, response } = exchange
    if (response && response.status < 400) {
      const { origin } = new URL(request.url)
      this.#accepted.add(origin)
      if (isServiceResponse(response)) this.#lastServed.set(origin, this.#count)
    }
    this.useAsEvidence([numbered])
    return numbered
  }

  /** Whether the origin of an address has sent a response with a status below 400. */
  hasAccepted(url: string): boolean {
    return this.#accepted.has(new URL(url).origin)
  }

  /** Number of the last exchange in which the service itself responded at the origin of an address; 0 if none. */
  lastServed(url: string): number {
    return this.#lastServed.get(new URL(url).origin) ?? 0
  }

  /** Adds exchanges, also earlier ones that a check reuses, to each active collection that lacks them. */
  useAsEvidence(exchanges: readonly Exchange[]): void {
    for (const collection of this.#collections) {
      for (const exchange of exchanges) if (!collection.includes(exchange)) collection.push(exchange)
    }
  }

  /** Runs `work`. Until it ends, `record` and `useAsEvidence` add their exchanges to the collection. */
  async collectInto<T>(collection: Exchange[], work: () => Promise<T>): Promise<T> {
    this.#collections.add(collection)
    try {
      return await work()
    } finally {
      this.#collections.delete(collection)
    }
  }
}
