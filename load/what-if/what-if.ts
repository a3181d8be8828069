import { counted, duration, milliseconds, rateText, wrap } from '../../src/text/format.ts'
import type { ProbeResult } from '../result.ts'
import { seeded } from '../seeded.ts'
import {
  type Arrivals,
  type CallTotals,
  documentedRetries,
  type KnownLimiter,
  knownLimiter,
  type Limiter,
  type SearchTotals,
  simulateCalls,
  simulatePollers,
} from './simulation.ts'

/**
 * The throughput that partners can expect behind a limiter. Rates are per second, of all clients on the key together.
 */
interface WhatIf {
  readonly limiter: Pick<KnownLimiter, 'name' | 'capacity' | 'ratePerSecond'>
  readonly seed: number
  readonly retryAfter: boolean
  /** The largest rates at which every simulated call succeeded at the first attempt. */
  readonly safeRates: readonly {
    readonly clients: number
    readonly arrivals: Arrivals
    readonly ratePerSecond: number
  }[]
  /** Results for one client with calls at random times. */
  readonly calls: readonly ({ readonly ratePerSecond: number } & CallTotals)[]
  readonly pollers: readonly ({
    readonly intervalMs: number
    readonly pages: number
    readonly clients: number
  } & SearchTotals)[]
}

/** Random seed: the same limiter always has the same result. */
const seed = 1
/** Numbers of clients on the same key. */
const clientCounts = [1, 2, 5]
/** Number of pages of each search. */
const pages = 3
/** Rates of calls, as shares of the limiter's rate. */
const loads = [0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2, 4]
/** Intervals between the searches of a poller, in milliseconds. */
const intervalsMs = [300_000, 60_000, 30_000, 10_000, 5_000, 2_000, 1_000]
/** Smallest number of simulated calls. */
const leastCalls = 2000
/** Shortest simulated time, as a multiple of `refillMs`. */
const longRunRefills = 4
/** Smallest number of simulated searches of each poller. */
const leastSearches = 200
/** Assumed duration of a response to a search, in milliseconds. */
const serviceTimeMs = 100

/**
 * Simulates, in virtual time, calls and pollers with the documented retries behind the limiter that a probe identified.
 * @returns a sentence with the reason if there is no limiter to simulate
 */
export function whatIf(result: ProbeResult): WhatIf | string {
  const found = result.limiter
  if (found?.result === 'not-throttled') return `no limit was reached: ${found.sentence}`
  if (found?.result !== 'identified') return 'no limiter was identified, so there is nothing to simulate'
  const retryAfter = result.shots.some(({ retryAfterMs }) => retryAfterMs !== undefined)
  const limiter = knownLimiter(found, retryAfter)
  if (!limiter)
    return `a ${found.kind} delays requests instead of refusing them, so there is nothing to simulate`
  const { name, capacity, ratePerSecond } = limiter
  return {
    limiter: { name, capacity, ratePerSecond },
    seed,
    retryAfter,
    // One client is enough for random calls: those of several clients are like those of one client at the total rate.
    safeRates: [
      ...clientCounts.map((clients) => safeRate(limiter, clients, 'even')),
      safeRate(limiter, 1, 'random'),
    ],
    calls: loads.map((load) => {
      const rate = load * ratePerSecond
      return { ratePerSecond: rate, ...callsAt(limiter, rate, 1, 'random') }
    }),
    pollers: intervalsMs.flatMap((intervalMs) =>
      clientCounts.map((clients) => ({
        intervalMs,
        pages,
        clients,
        ...simulatePollers({
          limiter: startOf(limiter, (clients * pages * 1000) / intervalMs),
          intervalMs,
          pages,
          clients,
          searches: Math.max(leastSearches, Math.ceil((longRunRefills * refillMs(limiter)) / intervalMs)),
          serviceTimeMs,
          random: seeded(seed),
        }),
      })),
    ),
  }
}

function callsAt(limiter: KnownLimiter, ratePerSecond: number, clients: number, arrivals: Arrivals) {
  const perRefill = (ratePerSecond * refillMs(limiter)) / 1000
  return simulateCalls({
    limiter: startOf(limiter, ratePerSecond),
    ratePerSecond,
    clients,
    arrivals,
    calls: Math.max(leastCalls, Math.ceil(longRunRefills * perRefill)),
    margin: Math.max(leastCalls / 4, Math.ceil(perRefill)),
    random: seeded(seed),
  })
}

/** Duration of a window, or time to refill an empty bucket, in milliseconds. */
function refillMs({ capacity, ratePerSecond }: KnownLimiter): number {
  return (1000 * capacity) / ratePerSecond
}

/** A limiter near its steady state: used up if the demand exceeds its rate, otherwise fresh. */
function startOf(known: KnownLimiter, demandPerSecond: number): Limiter {
  const limiter = known.create()
  if (demandPerSecond > known.ratePerSecond)
    for (let taken = 0; taken < known.capacity; taken += 1) limiter.decide(0)
  return limiter
}

/** The largest whole percentage of the limiter's rate at which all calls succeed at the first attempt, by bisection. */
function safeRate(limiter: KnownLimiter, clients: number, arrivals: Arrivals) {
  const rateOf = (percent: number) => (limiter.ratePerSecond * percent) / 100
  const isSafe = (percent: number) => {
    const { atFirstTry, calls } = callsAt(limiter, rateOf(percent), clients, arrivals)
    return atFirstTry === calls
  }
  let [least, most] = [0, 101]
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2)
    if (isSafe(middle)) least = middle
    else most = middle
  }
  return { clients, arrivals, ratePerSecond: rateOf(least) }
}

/** Rate of calls for which `whatIfSentence` states the failures, as a share of the limiter's rate. */
const overload = 1.25

/** The throughput that partners can expect, in one sentence. */
export function whatIfSentence({ limiter, safeRates, calls }: WhatIf): string {
  const upTo = (arrivals: Arrivals) =>
    safeRates.find((one) => one.arrivals === arrivals && one.clients === 1)?.ratePerSecond ?? 0
  const random = upTo('random')
  const over = calls.find(({ ratePerSecond }) => ratePerSecond >= limiter.ratePerSecond * overload)
  const atRandom = random > 0 ? `and up to ${rateText(random)} calls/s` : 'but at no rate'
  const first = `All calls succeed at the first attempt up to ${rateText(upTo('even'))} calls/s if evenly spaced, ${atRandom} at random times.`
  return [first, ...(over ? [overText(over)] : [])].join(' ')
}

function overText({ ratePerSecond, failed, calls }: WhatIf['calls'][number]): string {
  const outcome =
    failed === 0
      ? `all calls succeed within ${documentedRetries} retries`
      : `${failed === calls ? 'all calls' : `${share(failed, calls)} of the calls`} fail even after ${documentedRetries} retries`
  return `At ${rateText(ratePerSecond)} calls/s at random times, ${outcome}.`
}

/** Tables for a terminal. */
export function whatIfLines(whatIf: WhatIf, width: number): string[] {
  const { limiter, retryAfter, seed, safeRates, calls, pollers } = whatIf
  const clients = [...new Set(pollers.map((one) => one.clients))]
  const intervals = [...new Set(pollers.map(({ intervalMs }) => intervalMs))]
  const pages = pollers[0]?.pages ?? 0
  const late = pollers.some((one) => one.late > 0)
    ? ['    late: started after its time, because the previous search had not ended; may still succeed']
    : []
  return [
    ...wrap(
      `What if: ${limiter.name}, ${limiter.capacity} requests at once, ${rateText(limiter.ratePerSecond)} requests/s on average, ${retryAfter ? 'with' : 'without'} Retry-After (simulation, random seed ${seed})`,
      width,
      2,
    ),
    ...wrap(`  ${whatIfSentence(whatIf)}`, width, 2),
    '',
    `  Calls of one client at random times, back-off from 1 s to 30 s, ${documentedRetries} retries`,
    ...table(
      ['calls/s', 'first attempt', 'after retries', 'failed', 'requests/call', 'waited p50', 'p99'],
      calls.map((one) => [
        rateText(one.ratePerSecond),
        share(one.atFirstTry, one.calls),
        share(one.afterRetries, one.calls),
        share(one.failed, one.calls),
        (one.requests / one.calls).toFixed(2),
        waitText(one.waitedMs?.p50),
        waitText(one.waitedMs?.p99),
      ]),
    ),
    '',
    '  Highest rate without a 429, for evenly spaced calls of clients on the same key',
    ...table(
      ['clients', 'calls/s of all', 'of each'],
      safeRates
        .filter(({ arrivals }) => arrivals === 'even')
        .map((one) => [
          String(one.clients),
          rateText(one.ratePerSecond),
          rateText(one.ratePerSecond / one.clients),
        ]),
    ),
    '',
    `  Pollers on the same key, ${counted(pages, 'page')} per search: share of searches with all pages at first attempt`,
    ...table(
      ['every', ...clients.map((count) => counted(count, 'poller'))],
      intervals.map((intervalMs) => [
        intervalMs < 60_000 ? `${intervalMs / 1000} s` : `${intervalMs / 60_000} min`,
        ...pollers
          .filter((one) => one.intervalMs === intervalMs)
          .map(({ atFirstTry, searches, late }) =>
            late === 0
              ? share(atFirstTry, searches)
              : `${share(atFirstTry, searches)}, ${share(late, searches)} late`,
          ),
      ]),
    ),
    ...late,
  ]
}

/** Empty if too few calls waited for the percentile. */
function waitText(ms: number | null | undefined): string {
  if (typeof ms !== 'number') return ''
  return ms < 100_000 ? milliseconds(ms) : duration(ms)
}

/** A share in percent; `all` and `none` only if exact. */
export function share(part: number, whole: number): string {
  if (part === whole) return 'all'
  if (part === 0) return 'none'
  const percent = (100 * part) / whole
  if (percent < 0.1) return '< 0.1 %'
  if (percent > 99.9) return '> 99.9 %'
  return `${percent < 10 ? percent.toFixed(1) : Math.min(99, percent).toFixed(0)} %`
}

/** Columns are as wide as their widest cell, aligned right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) =>
    [head, ...rows].reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  )
  return [head, ...rows].map(
    (row) => `    ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')}`,
  )
}
