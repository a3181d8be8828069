import TinyQueue from 'tinyqueue'
import { type Percentiles, percentilesOf } from '../output/percentiles.ts'
import { documentedRetries, waitMs } from './client.ts'
import type { Limiter } from './limiter.ts'

/** When calls come: evenly spaced, or at random times with the same mean rate (a Poisson process). */
export type Arrivals = 'even' | 'random'

export interface CallsOptions {
  readonly limiter: Limiter
  /** Calls a second of all clients together. */
  readonly ratePerSecond: number
  /** Clients on the same key, each with the same share of the calls. */
  readonly clients: number
  readonly arrivals: Arrivals
  /** Calls that are counted. */
  readonly calls: number
  /** Calls before those, which bring the limiter into its steady state, and as many after, which keep it there. */
  readonly margin: number
  readonly retries?: number
  readonly random: () => number
}

/** What became of calls; shares are between 0 and 1. */
export interface CallTotals {
  readonly calls: number
  /** Requests that were sent for them, each retry one more. */
  readonly requests: number
  readonly atFirstTry: number
  readonly afterRetries: number
  readonly failed: number
  /** Added by waiting, of calls that succeeded; null where none did. In milliseconds. */
  readonly waitedMs: Percentiles | null
}

interface Attempt {
  readonly at: number
  readonly arrivedAt: number
  readonly refusals: number
  readonly counted: boolean
}

/** Sends calls through the limiter in virtual time, with the documented retries. A response takes no time. */
export function simulateCalls(options: CallsOptions): CallTotals {
  const { limiter, calls, margin, retries = documentedRetries, random } = options
  const waiting = new TinyQueue<Attempt>([], (one, other) => one.at - other.at)
  const waited: number[] = []
  let [requests, atFirstTry, failed] = [0, 0, 0]
  const send = ({ at, arrivedAt, refusals, counted }: Attempt) => {
    const decision = limiter.admits(at)
    if (counted) requests += 1
    if (decision.admitted) {
      if (!counted) return
      waited.push(at - arrivedAt)
      if (refusals === 0) atFirstTry += 1
      return
    }
    const wait = waitMs(decision, refusals, retries, random)
    if (wait !== undefined) waiting.push({ at: at + wait, arrivedAt, refusals: refusals + 1, counted })
    else if (counted) failed += 1
  }
  const sendWaiting = (until: number) => {
    for (let next = waiting.peek(); next && next.at <= until; next = waiting.peek())
      send(waiting.pop() as Attempt)
  }
  let index = 0
  for (const at of arrivalTimes(options)) {
    sendWaiting(at)
    send({ at, arrivedAt: at, refusals: 0, counted: index >= margin && index < margin + calls })
    index += 1
  }
  sendWaiting(Number.POSITIVE_INFINITY)
  return {
    calls,
    requests,
    atFirstTry,
    afterRetries: waited.length - atFirstTry,
    failed,
    waitedMs: percentilesOf(Float64Array.from(waited).sort()),
  }
}

/** Arrival times in order, in milliseconds. */
function* arrivalTimes({ ratePerSecond, clients, arrivals, calls, margin, random }: CallsOptions) {
  const interval = 1000 / ratePerSecond
  const all = calls + 2 * margin
  if (arrivals === 'random') {
    // Independent clients at random times together are one at their joint rate.
    let at = 0
    for (let index = 0; index < all; index += 1) {
      at -= interval * Math.log(1 - random())
      yield at
    }
    return
  }
  // Each client is even in itself; how they lie to each other is chance.
  const phases = Array.from({ length: clients }, random).sort((one, other) => one - other)
  for (let index = 0; index < all; index += 1) {
    const round = Math.floor(index / clients)
    yield (round + (phases[index % clients] as number)) * interval * clients
  }
}
