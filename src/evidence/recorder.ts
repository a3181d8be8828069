import { type Exchange, isServiceResponse } from './exchange.ts'

/**
 * Numbers the exchanges of a run, and adds each to all active collections: one for the running check, and one for each
 * shared value that is being fetched.
 */
export class Recorder {
  #count = 0
  readonly #collections = new Set<Exchange[]>()
  /** Origins that have sent a response with a status below 400. */
  readonly #accepted = new Set<string>()
  /** By origin, the number of the last exchange in which the service itself responded (`isServiceResponse`). */
  readonly #lastServed = new Map<string, number>()

  /** Whether a collection is active. If not, the caller may omit costly details. */
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
      if (isServiceResponse(response)) this.#lastServed.set(origin, this.#count)
    }
    this.useAsEvidence([numbered])
    return numbered
  }

  /** Whether the origin of an address has sent a response with a status below 400. */
  hasAccepted(url: string): boolean {
    return this.#accepted.has(new URL(url).origin)
  }

  /** Number of the last exchange in which the service at this origin responded (`isServiceResponse`); 0 before the first. */
  lastServed(url: string): number {
    return this.#lastServed.get(new URL(url).origin) ?? 0
  }

  /** Adds exchanges to each active collection that lacks them. */
  useAsEvidence(exchanges: readonly Exchange[]): void {
    for (const collection of this.#collections) {
      for (const exchange of exchanges) if (!collection.includes(exchange)) collection.push(exchange)
    }
  }

  /** Runs `work`. Meanwhile, collects the exchanges that are recorded or reused, in order. */
  async collectInto<T>(collection: Exchange[], work: () => Promise<T>): Promise<T> {
    this.#collections.add(collection)
    try {
      return await work()
    } finally {
      this.#collections.delete(collection)
    }
  }
}
