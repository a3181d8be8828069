import TinyQueue from 'tinyqueue'
import { longestWaitMs } from '../../src/http/budget.ts'
import { backoffMs } from '../../src/http/retry-after.ts'
import { type Identified, limiterName, simulationOf } from '../limiter/index.ts'
import { type Percentiles, percentilesOf } from '../output/percentiles.ts'

/** A limiter in virtual time. */
export interface Limiter {
  /** Decides on a request at the time `at` (milliseconds), which must not be before that of the last call. */
  decide(at: number): Decision
}

interface Decision {
  readonly admitted: boolean
  /** Retry-After of a refusal, if present. */
  readonly retryAfterMs?: number
}

/** An identified limiter. Each simulation creates a fresh copy. */
export interface KnownLimiter {
  readonly name: string
  /** Number of requests that the fresh limiter admits at once. */
  readonly capacity: number
  /** Requests per second that the limiter admits in the long run. */
  readonly ratePerSecond: number
  create(): Limiter
}

/**
 * The limiter that a probe identified.
 * @param retryAfter whether refusals contain Retry-After, in whole seconds (RFC 9110, 10.2.3)
 * @returns undefined for a queue, which delays requests instead of refusing them
 */
export function knownLimiter(found: Identified, retryAfter: boolean): KnownLimiter | undefined {
  const fresh = simulationOf(found)
  if (fresh === undefined || found.capacity === undefined) return undefined
  return {
    name: limiterName(found),
    capacity: found.capacity,
    ratePerSecond: found.rate,
    create() {
      const simulation = fresh.copy()
      return {
        decide(at) {
          const next = simulation.nextAdmission(at)
          const admitted = next <= at
          simulation.record(at, admitted)
          return {
            admitted,
            ...(!admitted && retryAfter && { retryAfterMs: Math.ceil((next - at) / 1000) * 1000 }),
          }
        },
      }
    },
  }
}

/** Number of retries of a call after 429 or 503 (the specification's sample of client behaviour). */
export const documentedRetries = 4

/**
 * The wait of a client before a retry, in milliseconds: Retry-After, otherwise exponential back-off with jitter, from
 * 1 s to 30 s. Each call waits separately, as in HTTP libraries.
 * @param refusals number of earlier refusals of this call
 * @returns undefined if the call fails: too many retries, or a wait of more than 1 min
 */
function waitMs(
  { retryAfterMs = 0 }: Decision,
  refusals: number,
  retries: number,
  random: () => number,
): number | undefined {
  if (refusals >= retries || retryAfterMs > longestWaitMs) return undefined
  // The client waits even if Retry-After is 0.
  return retryAfterMs || backoffMs(refusals, random)
}

/** Evenly spaced calls, or random ones with the same mean rate (a Poisson process). */
export type Arrivals = 'even' | 'random'

export interface CallsOptions {
  readonly limiter: Limiter
  /** Calls per second of all clients together. */
  readonly ratePerSecond: number
  /** Clients on the same key, each with the same share of the calls. */
  readonly clients: number
  readonly arrivals: Arrivals
  /** Number of counted calls. */
  readonly calls: number
  /** Number of uncounted calls before the counted calls, to reach the steady state, and after them, to keep it. */
  readonly margin: number
  readonly retries?: number
  readonly random: () => number
}

export interface CallTotals {
  readonly calls: number
  /** Number of requests, including retries. */
  readonly requests: number
  readonly atFirstTry: number
  readonly afterRetries: number
  readonly failed: number
  /** Total wait of calls that succeeded, in milliseconds; null if none did. */
  readonly waitedMs: Percentiles | null
}

interface Attempt {
  readonly at: number
  readonly arrivedAt: number
  readonly refusals: number
  readonly counted: boolean
}

/** Simulates calls through the limiter, with the documented retries. Responses take no time. */
export function simulateCalls(options: CallsOptions): CallTotals {
  const { limiter, calls, margin, retries = documentedRetries, random } = options
  const waiting = new TinyQueue<Attempt>([], (one, other) => one.at - other.at)
  const waited: number[] = []
  let [requests, atFirstTry, failed] = [0, 0, 0]
  const send = ({ at, arrivedAt, refusals, counted }: Attempt) => {
    const decision = limiter.decide(at)
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
  const waitedMs = percentilesOf(waited)
  return { calls, requests, atFirstTry, afterRetries: waited.length - atFirstTry, failed, waitedMs }
}

/** Start times of calls in order, in milliseconds. */
function* arrivalTimes({ ratePerSecond, clients, arrivals, calls, margin, random }: CallsOptions) {
  const interval = 1000 / ratePerSecond
  const all = calls + 2 * margin
  if (arrivals === 'random') {
    // Random calls of several clients are like those of one client at the total rate.
    let at = 0
    for (let index = 0; index < all; index += 1) {
      at -= interval * Math.log(1 - random())
      yield at
    }
    return
  }
  // The calls of each client are evenly spaced; the phases of clients are random.
  const phases = Array.from({ length: clients }, random).sort((one, other) => one - other)
  for (let index = 0; index < all; index += 1) {
    const round = Math.floor(index / clients)
    yield (round + (phases[index % clients] as number)) * interval * clients
  }
}

interface PollersOptions {
  readonly limiter: Limiter
  /** Interval between searches of a poller, in milliseconds. */
  readonly intervalMs: number
  /** Number of pages of each search, read in order. */
  readonly pages: number
  /** Number of pollers on the same key, at even offsets. */
  readonly clients: number
  readonly searches: number
  /** Duration of each response, in milliseconds. */
  readonly serviceTimeMs: number
  readonly random: () => number
}

export interface SearchTotals {
  readonly searches: number
  /** Searches with all pages at the first attempt. */
  readonly atFirstTry: number
  /** Failed searches; the next search requests the same events again. */
  readonly failed: number
  /** Searches that started late, because the previous one was still waiting. */
  readonly late: number
  /** Duration of searches that succeeded, in milliseconds; null if none did. */
  readonly tookMs: Percentiles | null
}

interface Search {
  /** When the next request is sent. */
  at: number
  readonly dueAt: number
  readonly number: number
  page: number
  refusals: number
  atFirstTry: boolean
}

function search(dueAt: number, number: number): Search {
  return { at: dueAt, dueAt, number, page: 0, refusals: 0, atFirstTry: true }
}

/** Simulates polling through the limiter: one search per interval, page by page, with the documented retries. */
export function simulatePollers(options: PollersOptions): SearchTotals {
  const { limiter, intervalMs, pages, clients, searches, serviceTimeMs, random } = options
  const took: number[] = []
  let [atFirstTry, failed, late] = [0, 0, 0]
  const current = Array.from({ length: clients }, (_, index) => search((index * intervalMs) / clients, 0))
  const endSearch = (ended: Search) => {
    const due = ended.dueAt + intervalMs
    if (ended.at > due) late += 1
    const index = current.indexOf(ended)
    if (ended.number + 1 === searches) current.splice(index, 1)
    // A search that is already due starts now, in place of all searches that were due meanwhile.
    else current[index] = search(Math.max(ended.at, due), ended.number + 1)
  }
  while (current.length > 0) {
    const next = current.reduce((first, one) => (one.at < first.at ? one : first))
    const decision = limiter.decide(next.at)
    if (!decision.admitted) {
      next.atFirstTry = false
      const wait = waitMs(decision, next.refusals, documentedRetries, random)
      next.at += wait ?? 0
      next.refusals += 1
      if (wait !== undefined) continue
      failed += 1
      endSearch(next)
      continue
    }
    next.at += serviceTimeMs
    next.page += 1
    next.refusals = 0
    if (next.page < pages) continue
    took.push(next.at - next.dueAt)
    if (next.atFirstTry) atFirstTry += 1
    endSearch(next)
  }
  return { searches: searches * clients, atFirstTry, failed, late, tookMs: percentilesOf(took) }
}
