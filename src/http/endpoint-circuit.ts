import { address } from '../evidence/allow-list.ts'
import { HttpFailure } from './failures.ts'

/** Why a response cannot be judged and its request may be sent again later. */
type Refusal = 'timed-out' | 'throttled' | 'unavailable'

/** After so many refusals in a row an endpoint receives no further request of the run. */
const most: Readonly<Record<Refusal, number>> = { 'timed-out': 3, throttled: 8, unavailable: 8 }

const texts: Readonly<Record<Refusal, string>> = {
  'timed-out': 'did not answer',
  throttled: 'throttled requests',
  unavailable: 'returned 503',
}

/** Refusals of one endpoint in a row, of one kind. */
interface Streak {
  readonly refusal: Refusal
  readonly times: number
}

/** What a circuit knows, as plain data: the streaks by endpoint. */
export type CircuitState = readonly (readonly [endpoint: string, streak: Streak])[]

/**
 * The endpoints that refuse for ever: after some refusals in a row they receive no further request of the run, so that
 * one broken endpoint costs neither the time nor the requests of the others.
 */
export class EndpointCircuit {
  readonly #streaks: Map<string, Streak>

  constructor(state: CircuitState = []) {
    this.#streaks = new Map(state)
  }

  get state(): CircuitState {
    return [...this.#streaks]
  }

  /** Whether an endpoint receives no further request. */
  isOpen(endpoint: string): boolean {
    const streak = this.#streaks.get(endpoint)
    return streak !== undefined && streak.times >= most[streak.refusal]
  }

  /** Refusals of an endpoint since its last response that can be judged. */
  refusals(endpoint: string): number {
    return this.#streaks.get(endpoint)?.times ?? 0
  }

  /** Throttled requests of one endpoint that receives no further request: the one with the most. */
  get throttledByOpen(): number {
    const open = [...this.#streaks].filter(
      ([endpoint, { refusal }]) => refusal === 'throttled' && this.isOpen(endpoint),
    )
    return Math.max(0, ...open.map(([, { times }]) => times))
  }

  /** @throws {HttpFailure} if the endpoint receives no further request */
  require(endpoint: string): void {
    const streak = this.#streaks.get(endpoint)
    if (streak === undefined || !this.isOpen(endpoint)) return
    const { refusal, times } = streak
    const what = `${endpoint} ${texts[refusal]} ${times} times in a row, so this run sends it no further request`
    throw new HttpFailure(refusal, what)
  }

  /** Counts the outcome of a request. @param refusal undefined for a response that can be judged */
  count(endpoint: string, refusal: Refusal | undefined): void {
    const before = this.#streaks.get(endpoint)
    if (refusal === undefined) this.#streaks.delete(endpoint)
    else if (before?.refusal === refusal) this.#streaks.set(endpoint, { refusal, times: before.times + 1 })
    else this.#streaks.set(endpoint, { refusal, times: 1 })
  }
}

/** Method and address without the query: reports group checks that fail at one endpoint. */
export function endpointOf({ method, url }: { readonly method: string; readonly url: URL }): string {
  const endpoint = new URL(url)
  endpoint.search = ''
  endpoint.hash = ''
  return `${method} ${address(endpoint)}`
}
