import { type Percentiles, percentilesOf } from '../output/percentiles.ts'
import { documentedRetries, waitMs } from './client.ts'
import type { Limiter } from './limiter.ts'

interface PollerOptions {
  readonly limiter: Limiter
  /** From one search to the next, in milliseconds. */
  readonly intervalMs: number
  /** Pages of each search, one after the other. */
  readonly pages: number
  /** Pollers on the same key, evenly apart. */
  readonly clients: number
  /** Searches of each poller. */
  readonly searches: number
  /** How long each answer takes, in milliseconds. */
  readonly serviceTimeMs: number
  readonly random: () => number
}

export interface SearchTotals {
  readonly searches: number
  /** Searches of which every page came at first try. */
  readonly atFirstTry: number
  /** Searches that were given up; the next one asks for the same events again. */
  readonly failed: number
  /** Searches that began late, because the one before was still waiting. */
  readonly late: number
  /** From begin to last page, of searches that succeeded; null where none did. In milliseconds. */
  readonly tookMs: Percentiles | null
}

interface Poller {
  /** When it sends its next request. */
  at: number
  /** When its search was meant to begin. */
  planned: number
  search: number
  page: number
  refusals: number
  clean: boolean
}

/** Polls through the limiter in virtual time: one search an interval, page by page, with the documented retries. */
export function simulatePollers(options: PollerOptions): SearchTotals {
  const { limiter, intervalMs, pages, clients, searches, serviceTimeMs, random } = options
  const took: number[] = []
  let [atFirstTry, failed, late] = [0, 0, 0]
  let polling: Poller[] = Array.from({ length: clients }, (_, index) => {
    const planned = (index * intervalMs) / clients
    return { at: planned, planned, search: 0, page: 0, refusals: 0, clean: true }
  })
  const nextSearch = (poller: Poller, endedAt: number) => {
    const due = poller.planned + intervalMs
    if (endedAt > due) late += 1
    // Ticks that were missed are not made up for.
    const planned = Math.max(endedAt, due)
    Object.assign(poller, {
      at: planned,
      planned,
      search: poller.search + 1,
      page: 0,
      refusals: 0,
      clean: true,
    })
  }
  while (polling.length > 0) {
    const poller = polling.reduce((first, one) => (one.at < first.at ? one : first))
    const decision = limiter.admits(poller.at)
    if (!decision.admitted) {
      poller.clean = false
      const wait = waitMs(decision, poller.refusals, documentedRetries, random)
      if (wait === undefined) {
        failed += 1
        nextSearch(poller, poller.at)
      } else {
        poller.at += wait
        poller.refusals += 1
      }
    } else {
      poller.at += serviceTimeMs
      poller.page += 1
      poller.refusals = 0
      if (poller.page === pages) {
        took.push(poller.at - poller.planned)
        if (poller.clean) atFirstTry += 1
        nextSearch(poller, poller.at)
      }
    }
    if (poller.search === searches) polling = polling.filter((one) => one !== poller)
  }
  return {
    searches: searches * clients,
    atFirstTry,
    failed,
    late,
    tookMs: percentilesOf(Float64Array.from(took).sort()),
  }
}
