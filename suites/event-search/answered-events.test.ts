import { afterAllChecks } from '../../src/check/check-options.ts'
import { type AnsweredSearch, pagesToJudge } from '../../src/check/events/answered-search.ts'
import {
  requireNothingOutside,
  requirePagesAgreeOnTotal,
  requireRecognisable,
  requireStableIds,
  requireUnchanged,
  requireWhole,
} from '../../src/check/events/comparable.ts'
import {
  countMissingFrom,
  distinctWithin,
  hasEventsOutside,
  timeOrderOf,
  type WindowReading,
} from '../../src/check/events/reading.ts'
import { shortageOfTimesIn, tooFewEvents } from '../../src/check/events/shortage.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { requireData } from '../../src/check/verdict.ts'
import { type EventWindow, isSameWindow, isWithin } from '../../src/event-hub/window.ts'
import { ignoreIfPagesWereRead, showInFinding } from './judging.ts'
import { isWholeWindow, withoutBounds } from './omissions.ts'
import { check } from './requirements.ts'

// `readings` reads all events of the closed window, a window in the past with events. `rereadings` reads that window
// again, in other pages and in parts. `basis` records how much data the verdict is based on.

check(
  'EVENT-WINDOW-RESPECTED',
  'no search of this run returned an event outside its window',
  afterAllChecks,
  async (context) => {
    const { run, readings, expect, basis } = context
    await readings.allEvents().catch(ignoreIfPagesWereRead(run))
    const pages = pagesToJudge(run.searchLog.searches)
    const searches = pages.filter(({ events }) => events.some(({ time }) => time))
    const shortage = shortageOfTimesIn(pages.flatMap(({ events }) => events))
    requireData(searches.length, 1, 'page with the time of an event', shortage)
    basis({ pages: searches.length })
    // Searches for an empty window, whose `to` is not after `from`.
    const forEmptyWindows = run.searchLog.searches.filter(({ requestedEmptyWindow }) => requestedEmptyWindow)
    const wrong = [...searches, ...forEmptyWindows].find(({ requested, requestedEmptyWindow, events }) => {
      const window = requested ?? requestedEmptyWindow
      return window && hasEventsOutside({ window, events })
    })
    showInFinding(context, wrong)
    expect.that(!wrong, 'no event before from or after to', 'an event before from or after to')
  },
)

check(
  'EVENT-TIME-ORDER',
  'every page of this run is in the same time order',
  afterAllChecks,
  async (context) => {
    const { run, readings, expect, basis } = context
    await readings.allEvents().catch(ignoreIfPagesWereRead(run))
    const pages = pagesToJudge(run.searchLog.searches)
    const searches = pages
      .map((search) => ({ search, ...timeOrderOf(search.events) }))
      .filter(({ order }) => order !== 'constant')
    const shortage = shortageOfTimesIn(pages.flatMap(({ events }) => events))
    requireData(searches.length, 1, 'page with different times', shortage)
    basis({ pages: searches.length })
    const [first] = searches
    const wrong = searches.find(({ order }) => order === 'mixed' || order !== first?.order)
    showInFinding(context, wrong?.search)
    expect.that(
      !wrong,
      first?.order === 'mixed' ? 'ascending or descending times' : `${first?.order} times, as on other pages`,
      wrong?.order === 'mixed' ? 'rising and falling times on one page' : `${wrong?.order} times`,
    )
  },
)

check(
  'EVENT-WINDOWS-ADJACENT',
  'every search of a narrower window returned all events that a wider window has in that period',
  afterAllChecks,
  async (context) => {
    const { run, readings, rereadings, expect, basis } = context
    const all = await readings.allEvents()
    await rereadings.pageThrough()
    // Before the first search of the closed window, a search may lack events that arrived only later.
    const start = run.searchLog.searches.findIndex(
      ({ requested }) => requested && isSameWindow(requested, all.window),
    )
    const inside = pagesToJudge(run.searchLog.searches.slice(start)).filter((search) =>
      isWholeWithin(search, all.window),
    )
    requireData(inside.length, 1, 'window within a wider one', tooFewEvents)
    basis({ windows: inside.length, events: all.events.length })
    const wrong = inside.find((search) => lackingIn(search, all) > 0)
    if (wrong) await requireComparable(readings, all, wrong)
    showInFinding(context, wrong)
    expect.that(
      !wrong,
      'the events that a wider window has in that period',
      `${wrong && lackingIn(wrong, all)} of them missing`,
    )
  },
)

/** Whether a search returned all events of its window, and this window is a part of a wider one. */
function isWholeWithin(search: AnsweredSearch, wide: EventWindow): boolean {
  const { requested } = search
  if (!requested || !isWholeWindow(search)) return false
  return isWithin(requested, wide) && !isSameWindow(requested, wide)
}

/** Number of events of its window that a search did not return. Events at the bounds of the window do not count. */
function lackingIn({ requested, events }: AnsweredSearch, all: WindowReading): number {
  return requested ? countMissingFrom(events, distinctWithin(all.events, withoutBounds(requested))) : 0
}

/** Rules out every other reason why a narrow window lacks events of a wide one. @throws {Inconclusive} */
async function requireComparable(
  readings: CheckContext['readings'],
  all: WindowReading,
  narrow: AnsweredSearch,
): Promise<void> {
  requireRecognisable(all, narrow)
  requireStableIds(all, narrow)
  requireWhole(all)
  requireNothingOutside(all)
  if (narrow.requested) requirePagesAgreeOnTotal(readings.pagesRead(narrow.requested))
  await requireUnchanged(readings, all)
}
