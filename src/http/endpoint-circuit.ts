import { shownAddress } from '../evidence/allow-list.ts'
import { HttpFailure } from './failures.ts'

/** A failure that may be over when the request is sent again later. */
type TransientFailure = 'timed-out' | 'throttled' | 'unavailable'

/** Consecutive failures after which an endpoint is suspended: the run sends it no further request. */
const maxInARow: Readonly<Record<TransientFailure, number>> = {
  'timed-out': 3,
  throttled: 8,
  unavailable: 8,
}

const failureTexts: Readonly<Record<TransientFailure, string>> = {
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
 * A circuit breaker for each endpoint: suspends endpoints that keep failing, so that one broken endpoint does not use
 * up the time and budget of a run.
 */
export class EndpointCircuit {
  readonly #streaks = new Map<string, Streak>()

  isSuspended(endpoint: string): boolean {
    const streak = this.#streaks.get(endpoint)
    return streak !== undefined && streak.times >= maxInARow[streak.failure]
  }

  /** Number of consecutive failures of an endpoint, all of the same kind. */
  failures(endpoint: string): number {
    return this.#streaks.get(endpoint)?.times ?? 0
  }

  /**
   * The largest number of requests in a row that one suspended endpoint has throttled; 0 if throttling has suspended
   * none.
   */
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
    const what = `${endpoint} ${failureTexts[failure]} ${times} times in a row, so this run sends it no further request`
    throw new HttpFailure(failure, what)
  }

  /** Ends the streak of an endpoint. Call this after a response that neither throttles nor is a 502, 503 or 504. */
  recordResponse(endpoint: string): void {
    this.#streaks.delete(endpoint)
  }

  /** Counts a failure of an endpoint. A failure of another kind starts a new streak. */
  recordFailure(endpoint: string, failure: TransientFailure): void {
    const before = this.#streaks.get(endpoint)
    const times = before?.failure === failure ? before.times + 1 : 1
    this.#streaks.set(endpoint, { failure, times })
  }
}

/** The key of an endpoint: method and address without query, such as `GET https://idp.example/userinfo`. */
export function endpointOf({ method, url }: { readonly method: string; readonly url: URL }): string {
  const endpoint = new URL(url)
  endpoint.search = ''
  endpoint.hash = ''
  return `${method} ${shownAddress(endpoint)}`
}
