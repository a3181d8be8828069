import { shownAddress } from '../evidence/allow-list.ts'
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
  'timed-out': 'did not respond',
  throttled: 'throttled requests',
  unavailable: 'returned 502, 503 or 504',
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
  isSuspended(endpoint: string): boolean {
    const streak = this.#streaks.get(endpoint)
    return streak !== undefined && streak.times >= maxInARow[streak.failure]
  }

  /** Consecutive failures of an endpoint, all of one kind. */
  failures(endpoint: string): number {
    return this.#streaks.get(endpoint)?.times ?? 0
  }

  /** Throttled requests of the suspended endpoint that throttled the most. */
  get throttledByWorstSuspended(): number {
    const suspended = [...this.#streaks].filter(
      ([endpoint, { failure }]) => failure === 'throttled' && this.isSuspended(endpoint),
    )
    return Math.max(0, ...suspended.map(([, { times }]) => times))
  }

  /** @throws {HttpFailure} if the endpoint is suspended */
  requireNotSuspended(endpoint: string): void {
    const streak = this.#streaks.get(endpoint)
    if (streak === undefined || !this.isSuspended(endpoint)) return
    const { failure, times } = streak
    const what = `${endpoint} ${texts[failure]} ${times} times in a row, so this run sends it no further request`
    throw new HttpFailure(failure, what)
  }

  /** Ends the consecutive failures of an endpoint: it returned a response that does not throttle, with a status other than 502, 503 and 504. */
  recordResponse(endpoint: string): void {
    this.#streaks.delete(endpoint)
  }

  /** Counts a failure of an endpoint. A failure of another kind begins a new count. */
  recordFailure(endpoint: string, failure: TransientFailure): void {
    const before = this.#streaks.get(endpoint)
    const times = before?.failure === failure ? before.times + 1 : 1
    this.#streaks.set(endpoint, { failure, times })
  }
}

/** Method and address without the query: reports use it to group checks that fail at one endpoint. */
export function endpointOf({ method, url }: { readonly method: string; readonly url: URL }): string {
  const endpoint = new URL(url)
  endpoint.search = ''
  endpoint.hash = ''
  return `${method} ${shownAddress(endpoint)}`
}
