import type { ProbeResult } from '../result.ts'
import { type Arrivals, type CallTotals, simulateCalls } from './calls.ts'
import { type KnownLimiter, knownLimiter, type Limiter } from './limiter.ts'
import { type SearchTotals, simulatePollers } from './poller.ts'
import { seeded } from './seeded.ts'

/** What partners can count on behind a limiter. Rates are of all clients on the key together, a second. */
export interface WhatIf {
  readonly limiter: Pick<KnownLimiter, 'name' | 'capacity' | 'ratePerSecond'>
  readonly seed: number
  readonly retryAfter: boolean
  /** The greatest rates at which every simulated call succeeded at first try. */
  readonly clean: readonly {
    readonly clients: number
    readonly arrivals: Arrivals
    readonly ratePerSecond: number
  }[]
  /** One client, calls at random times. */
  readonly calls: readonly ({ readonly ratePerSecond: number } & CallTotals)[]
  readonly pollers: readonly ({
    readonly intervalMs: number
    readonly pages: number
    readonly clients: number
  } & SearchTotals)[]
}

/** What chance is made of: the same limiter is told the same each time. */
const seed = 1
/** Numbers of clients on the same key that are tried. */
const clientCounts = [1, 2, 5]
/** Pages of each search of a poller. */
const pages = 3
/** Rates that are tried, as parts of what the limiter admits in the long run. */
const loads = [0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2, 4]
const intervalsMs = [300_000, 60_000, 30_000, 10_000, 5_000, 2_000, 1_000]
const leastCalls = 2000
/** As many windows, or times in which a bucket fills, say how it is in the long run. */
const windows = 4
const leastSearches = 200
const serviceTimeMs = 100

/**
 * Runs the documented client and the poller against the limiter that a probe identified, in virtual time.
 * @returns a sentence where nothing can be said: the probe identified no limiter that refuses
 */
export function whatIf(result: ProbeResult): WhatIf | string {
  const found = result.limiter
  if (found?.result === 'not-throttled')
    return `nothing was throttled, so nothing limits what partners can count on up to there: ${found.sentence}`
  if (found?.result !== 'identified') return 'no limiter was identified, so nothing can be reckoned with'
  const retryAfter = result.shots.some(({ retryAfterMs }) => retryAfterMs !== undefined)
  const limiter = knownLimiter(found, retryAfter)
  if (!limiter) return `a ${found.kind} that delays instead of refusing cannot be reckoned with`
  const { name, capacity, ratePerSecond } = limiter
  return {
    limiter: { name, capacity, ratePerSecond },
    seed,
    retryAfter,
    // At random times clients together are one: how many there are makes no difference.
    clean: [...clientCounts.map((clients) => clean(limiter, clients, 'even')), clean(limiter, 1, 'random')],
    calls: loads.map((load) => {
      const rate = load * ratePerSecond
      return { ratePerSecond: rate, ...callsAt(limiter, rate, 1, 'random') }
    }),
    pollers: intervalsMs.flatMap((intervalMs) =>
      clientCounts.map((clients) => ({
        intervalMs,
        pages,
        clients,
        ...pollersAt(limiter, intervalMs, clients),
      })),
    ),
  }
}

function pollersAt(limiter: KnownLimiter, intervalMs: number, clients: number) {
  return simulatePollers({
    limiter: startOf(limiter, (clients * pages * 1000) / intervalMs),
    intervalMs,
    pages,
    clients,
    searches: Math.max(leastSearches, Math.ceil((windows * windowMs(limiter)) / intervalMs)),
    serviceTimeMs,
    random: seeded(seed),
  })
}

function callsAt(limiter: KnownLimiter, ratePerSecond: number, clients: number, arrivals: Arrivals) {
  const perWindow = (ratePerSecond * windowMs(limiter)) / 1000
  return simulateCalls({
    limiter: startOf(limiter, ratePerSecond),
    ratePerSecond,
    clients,
    arrivals,
    calls: Math.max(leastCalls, Math.ceil(windows * perWindow)),
    margin: Math.max(leastCalls / 4, Math.ceil(perWindow)),
    random: seeded(seed),
  })
}

/** How long a limiter that has nothing left needs to have all again, in milliseconds. */
function windowMs({ capacity, ratePerSecond }: KnownLimiter): number {
  return (1000 * capacity) / ratePerSecond
}

/** A limiter near the state that a demand brings it to: at rest, or with nothing left, which takes long to come. */
function startOf(known: KnownLimiter, demandPerSecond: number): Limiter {
  const limiter = known.create()
  if (demandPerSecond > known.ratePerSecond)
    for (let taken = 0; taken < known.capacity; taken += 1) limiter.admits(0)
  return limiter
}

/** The greatest whole percentage of the limiter's rate at which all calls succeed at first try, by bisection. */
function clean(limiter: KnownLimiter, clients: number, arrivals: Arrivals) {
  const rateOf = (percent: number) => (limiter.ratePerSecond * percent) / 100
  const isClean = (percent: number) => {
    const { atFirstTry, calls } = callsAt(limiter, rateOf(percent), clients, arrivals)
    return atFirstTry === calls
  }
  let [least, most] = [0, 101]
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2)
    if (isClean(middle)) least = middle
    else most = middle
  }
  return { clients, arrivals, ratePerSecond: rateOf(least) }
}
