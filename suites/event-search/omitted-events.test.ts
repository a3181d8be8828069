import { afterAllChecks } from '../../src/check/check-options.ts'
import { type AnsweredSearch, pagesToJudge } from '../../src/check/events/answered-search.ts'
import {
  requireNothingOutside,
  requireRecognisable,
  requireStableIds,
  requireTotalUnchanged,
  requireWhole,
} from '../../src/check/events/comparable.ts'
import { countMissingFrom, distinctWithin, isWhole, timeOrderOf } from '../../src/check/events/reading.ts'
import { tooFewEvents } from '../../src/check/events/shortage.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, notApplicable, requireData } from '../../src/check/verdict.ts'
import type { HubEvent } from '../../src/event-hub/event.ts'
import { compareLocal } from '../../src/event-hub/local-time.ts'
import { counted } from '../../src/text/format.ts'
import { showInFinding } from './judging.ts'
import { comparedWithEarlier, omittedEvents } from './omissions.ts'
import { check } from './requirements.ts'

// `readings` reads all events of the closed window, a window in the past with events. `rereadings` reads that window
// again, in other pages and in parts. `basis` records how much data the verdict is based on.

check(
  'EVENT-PAGINATION',
  'every page of this run contains all known events between its first and last event',
  afterAllChecks,
  async (context) => {
    const { run, readings, rereadings, expect, basis } = context
    const all = await readings.allEvents()
    const other = await rereadings.allEventsBackwards()
    const orders = [timeOrderOf(all.events).order, timeOrderOf(other.events).order]
    const order = commonOrder(orders)
    // Windows that end after the closed window may receive new events, so they are not judged here.
    const searches = pagesToJudge(run.searchLog.searches).filter(
      ({ requested, events }) =>
        requested && compareLocal(requested.to, all.window.to) <= 0 && events.length > 1,
    )
    requireData(searches.length, 1, 'page with several events', tooFewEvents)
    const known = [...run.searchLog.events.values()]
    basis({ pages: searches.length, events: known.length })
    const wrong = searches.find((search) => omittedEvents(search, known, order).length > 0)
    const omitted = wrong ? omittedEvents(wrong, known, order) : []
    if (wrong) {
      if (orders.includes('mixed'))
        return inconclusive('events are not in order of time', ['EVENT-TIME-ORDER'])
      requireWhole(all, other)
      const inClosed = distinctWithin(omitted, all.window)
      if (countMissingFrom(all.events, inClosed) > 0)
        return inconclusive('a wide window lacks events of narrow ones', ['EVENT-WINDOWS-ADJACENT'])
      await requireComparable(readings, wrong, omitted)
    }
    showInFinding(context, wrong)
    expect.that(
      !wrong,
      'every event between the first and the last one of the page',
      `${counted(omitted.length, 'event')} missing`,
    )
  },
)

check(
  'EVENT-PAGINATION',
  'every recent event that a search returned is also in the later searches of this run',
  afterAllChecks,
  async (context) => {
    const { run, events, readings, expect, basis } = context
    const compared = comparedWithEarlier(pagesToJudge(run.searchLog.searches), events.settledTime())
    if (compared.events === 0)
      return notApplicable('no two searches of this run had the same recent event in their windows', 'target')
    basis({ events: compared.events })
    const { loss } = compared
    if (loss) {
      const { search, earlier } = loss
      requireRecognisable(search, { events: loss.events })
      requireStableIds({ events: loss.events }, search)
      if (search.requested) requireNothingOutside({ window: search.requested, events: search.events })
      // The windows of the two searches may differ. If the window of the earlier search still has the events, that
      // difference is the reason.
      const reread = earlier.requested && (await readings.read(earlier.requested, earlier.requested.pageSize))
      if (reread && countMissingFrom(reread.events, loss.events) < loss.events.length)
        return inconclusive('a search lacks events that another one returns', ['EVENT-WINDOWS-ADJACENT'])
    }
    showInFinding(context, loss?.search)
    expect.that(
      !loss,
      'every event of its window that an earlier search returned',
      `${loss?.events.length} of them missing`,
    )
  },
)

function commonOrder([one, other]: readonly string[]): 'ascending' | 'descending' | undefined {
  return one === other && (one === 'ascending' || one === 'descending') ? one : undefined
}

/** Rules out every other reason why a page lacks events that another response has. @throws {Inconclusive} */
async function requireComparable(
  readings: CheckContext['readings'],
  search: AnsweredSearch,
  omitted: readonly HubEvent[],
): Promise<void> {
  const { requested, page, events } = search
  requireRecognisable({ events: [...events, ...omitted] })
  requireStableIds({ events: omitted }, search)
  if (!requested || !page) return
  // Reads all pages of this window, because the run may have read only some.
  const whole = await readings.read(requested)
  if (whole.complete && isWhole(whole) && countMissingFrom(whole.events, omitted) > 0)
    return inconclusive('a window lacks events of other windows, and does not count them', [
      'EVENT-WINDOWS-ADJACENT',
    ])
  requireNothingOutside({ window: requested, events })
  await requireTotalUnchanged(readings, requested, page.total)
}
