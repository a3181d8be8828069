import { address } from '../evidence/allow-list.ts'
import { HttpFailure } from './failures.ts'

/** A failure of the target after which a request may be retried later. */
type TransientFailure = 'timed-out' | 'throttled' | 'unavailable'

/** Consecutive failures after which the run sends an endpoint no further request. */
const maxInARow: Readonly<Record<TransientFailure, number>> = {
  'timed-out': 3,
  throttled: 8,
  unavailable: 8,
}

const texts: Readonly<Record<TransientFailure, string>> = {
  'timed-out': 'did not answer',
  throttled: 'throttled requests',
  unavailable: 'returned 503',
}

/** Consecutive failures of one endpoint, all of one kind. */
interface Streak {
  readonly failure: TransientFailure
  readonly times: number
}

/**
 * Stops requests to endpoints that keep failing, so that one broken endpoint costs neither the time nor the requests of
 * the others.
 */
export class EndpointCircuit {
  readonly #streaks = new Map<string, Streak>()

  /** Whether the run sends an endpoint no further request. */
  isOpen(endpoint: string): boolean {
    const streak = this.#streaks.get(endpoint)
    return streak !== undefined && streak.times >= maxInARow[streak.failure]
  }

  /** Consecutive failures of an endpoint, all of one kind. */
  failures(endpoint: string): number {
    return this.#streaks.get(endpoint)?.times ?? 0
  }

  /** Throttled requests of the open endpoint that throttled the most. */
  get throttledByOpen(): number {
    const open = [...this.#streaks].filter(
      ([endpoint, { failure }]) => failure === 'throttled' && this.isOpen(endpoint),
    )
    return Math.max(0, ...open.map(([, { times }]) => times))
  }

  /** @throws {HttpFailure} if the endpoint is open */
  require(endpoint: string): void {
    const streak = this.#streaks.get(endpoint)
    if (streak === undefined || !this.isOpen(endpoint)) return
    const { failure, times } = streak
    const what = `${endpoint} ${texts[failure]} ${times} times in a row, so this run sends it no further request`
    throw new HttpFailure(failure, what)
  }

  /** Counts the outcome of a request. @param failure undefined for any other outcome, which ends the streak */
  record(endpoint: string, failure: TransientFailure | undefined): void {
    const before = this.#streaks.get(endpoint)
    if (failure === undefined) this.#streaks.delete(endpoint)
    else if (before?.failure === failure) this.#streaks.set(endpoint, { failure, times: before.times + 1 })
    else this.#streaks.set(endpoint, { failure, times: 1 })
  }
}

/** Method and address without the query: reports use it to group checks that fail at one endpoint. */
export function endpointOf({ method, url }: { readonly method: string; readonly url: URL }): string {
  const endpoint = new URL(url)
  endpoint.search = ''
  endpoint.hash = ''
  return `${method} ${address(endpoint)}`
}
