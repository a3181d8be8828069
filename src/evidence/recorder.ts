import type { Exchange } from './exchange.ts'

/**
 * Numbers the exchanges of a run and hands each to whoever collects at the moment: the check that is
 * running, and whatever shared thing it is making.
 */
export class Recorder {
  #count = 0
  readonly #collections = new Set<Exchange[]>()

  /** Whether anybody keeps what is recorded now: where not, what costs time to tell may be left out. */
  get isCollecting(): boolean {
    return this.#collections.size > 0
  }

  record(exchange: Omit<Exchange, 'number'>): Exchange {
    this.#count += 1
    const numbered = { number: this.#count, ...exchange }
    this.recall([numbered])
    return numbered
  }

  /** Hands out exchanges of earlier once more, to those who do not have them yet. */
  recall(exchanges: readonly Exchange[]): void {
    for (const collection of this.#collections) {
      for (const exchange of exchanges) if (!collection.includes(exchange)) collection.push(exchange)
    }
  }

  /** Collects the exchanges made or recalled while `work` runs, in order. */
  async during<T>(work: () => Promise<T>, into: Exchange[]): Promise<T> {
    this.#collections.add(into)
    try {
      return await work()
    } finally {
      this.#collections.delete(into)
    }
  }
}
