import { afterAllChecks } from '../../src/check/check-options.ts'
import { pagesToJudge } from '../../src/check/events/answered-search.ts'
import { clockMarginMs } from '../../src/check/events/reading-steps.ts'
import type { RunContext } from '../../src/check/run-context.ts'
import { Inconclusive, inconclusive, requireData } from '../../src/check/verdict.ts'
import { localAt, windowsOver } from '../../src/event-hub/clock-changes.ts'
import type { HubEvent } from '../../src/event-hub/event.ts'
import { compareLocal, formatLocal, wallClockMs } from '../../src/event-hub/local-time.ts'
import { causesEvents, emissionsAt } from './emissions.ts'
import { comparedWithEarlier, isWholeWindow } from './omissions.ts'
import { check } from './requirements.ts'

/** Minimum number of searches: fewer cannot show that searches cause events. */
const leastSearches = 8
/**
 * `EventReadingSteps.around` searches up to 15 min after the present. For this number of milliseconds, a search of
 * that kind remains usable: its window still ends at least 10 min after the present.
 */
const usableMs = 5 * 60_000
/**
 * The check uses an earlier search in place of a new one if at most this share of the run's searches came after it.
 */
const maxLaterShare = 0.04

check(
  'EVENT-SEARCH-EMITS-NOTHING',
  'no search of this run emits an event',
  afterAllChecks,
  async ({ run, target, events, readings, rereadings, expect, basis }) => {
    // Sends enough searches, in case this check runs alone: it reads the closed window, a window in the past, in
    // pages.
    await rereadings.allEventsBackwards().catch((error: unknown) => {
      if (!(error instanceof Inconclusive)) throw error
    })
    const searches = [...run.searchLog.searches]
    const accepted = searches.filter((search) => search.accepted)
    const [first, last] = [searches[0], searches.at(-1)]
    const isReadable = pagesToJudge(searches).every(({ page }) => page !== undefined)
    const shortage = [isReadable ? 'EVENT-SEARCH' : 'EVENT-PAGE-SHAPE'] as const
    requireData(accepted.length, leastSearches, 'accepted searches', shortage)
    if (!first || !last) return inconclusive('no search was sent')
    const zone = target.eventTimeZone
    const wallClockAt = (at: number) =>
      wallClockMs(formatLocal(localAt(zone === 'unknown' ? 'UTC' : zone, run.targetTime(at)))) as number
    const period = [run.targetTime(first.from), run.targetTime(last.until)] as const
    const eventTimes = (readRecently(run, ...period) ?? (await readings.around(...period)))
      .flatMap(({ members: { timestamp } }) => wallClockMs(String(timestamp)) ?? [])
      .toSorted((one, other) => one - other)
    const { loss } = comparedWithEarlier(pagesToJudge(run.searchLog.searches), events.settledTime())
    if (loss) return inconclusive('a search lacks events that an earlier one returned', ['EVENT-PAGINATION'])
    const byWallClock = searches.map((search) => {
      const from = wallClockAt(search.from)
      return { ...search, from, until: from + search.until - search.from }
    })
    basis({ 'accepted searches': accepted.length, 'recent events': eventTimes.length })
    // A hub may emit an event for the first page of a search, but not for further pages.
    for (const [groupName, group] of [
      ['accepted searches', byWallClock],
      ['accepted searches of a first page', byWallClock.filter(({ query }) => !query.page)],
      ['refused searches', refusedAsMalformed(byWallClock)],
      ['searches', byWallClock.map((search) => ({ ...search, accepted: true }))],
    ] as const) {
      const { length } = group.filter((search) => search.accepted)
      if (length < leastSearches) continue
      const emissions = emissionsAt(group, eventTimes, zone !== 'unknown')
      const causes = causesEvents(group, emissions)
      if (causes === undefined)
        return inconclusive(
          `${emissions.events} events arrived during the ${length} ${groupName} of this run`,
        )
      expect.describeRequest(`${length} ${groupName}`)
      expect.that(
        !causes,
        'no events caused by searches',
        `an event at the time of ${emissions.matched} of the ${length} searches`,
      )
    }
  },
)

/** The searches with status 400, marked as accepted because `emissionsAt` considers only accepted searches. */
function refusedAsMalformed<T extends { readonly status: number }>(searches: readonly T[]) {
  return searches.filter(({ status }) => status === 400).map((search) => ({ ...search, accepted: true }))
}

/**
 * All events of a period, if one of the last searches of the run returned them; undefined if a new search is necessary.
 * @param fromMs start of the period, like `untilMs` in milliseconds since the epoch by the target's clock
 */
function readRecently(
  { searchLog: { searches }, target }: Pick<RunContext, 'searchLog' | 'target'>,
  fromMs: number,
  untilMs: number,
): readonly HubEvent[] | undefined {
  const marginMs = clockMarginMs - usableMs
  const [window, ...others] = windowsOver(target.eventTimeZone, fromMs - marginMs, untilMs + marginMs)
  if (others.length > 0) return undefined
  const index = searches.findLastIndex(
    (search) =>
      search.requested !== undefined &&
      isWholeWindow(search) &&
      compareLocal(search.requested.from, window.from) <= 0 &&
      compareLocal(search.requested.to, window.to) >= 0,
  )
  const later = searches.length - 1 - index
  return later <= searches.length * maxLaterShare ? searches[index]?.events : undefined
}
