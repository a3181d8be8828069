import type { Exchange } from './exchange.ts'

type Listener = (exchange: Exchange) => void

/**
 * Numbers the exchanges of a run and hands each to whoever is listening,
 * which is the check that is running.
 */
export class Recorder {
  #count = 0
  readonly #listeners = new Set<Listener>()

  record(exchange: Omit<Exchange, 'number'>): Exchange {
    this.#count += 1
    const numbered = { number: this.#count, ...exchange }
    for (const listener of this.#listeners) listener(numbered)
    return numbered
  }

  /** Collects the exchanges made while `work` runs, in order. */
  async during<T>(work: () => Promise<T>, into: Exchange[]): Promise<T> {
    const listener: Listener = (exchange) => into.push(exchange)
    this.#listeners.add(listener)
    try {
      return await work()
    } finally {
      this.#listeners.delete(listener)
    }
  }
}
