import { requireRecognisable, requireStableIds } from '../../src/check/events/comparable.ts'
import { countMissingFrom, timeOrderOf } from '../../src/check/events/reading.ts'
import { shortageOfTimes } from '../../src/check/events/shortage.ts'
import { inconclusive, requireData } from '../../src/check/verdict.ts'
import type { Reading } from '../../src/event-hub/paging.ts'
import { check } from './requirements.ts'

// `readings` reads all events of the closed window, a window in the past with events. `rereadings` reads that window
// again, in other pages and in parts. `basis` records how much data the verdict is based on.

check(
  'EVENT-TIME-ORDER',
  'events are sorted by time in one direction, within pages and across them',
  async ({ readings, rereadings, expect, basis }) => {
    const all = await readings.allEvents()
    const times = timeOrderOf(all.events)
    const { whole, paged } = await rereadings.pageThrough()
    const pageTimes = timeOrderOf(paged.events)
    const distinct = Math.min(times.distinct, pageTimes.distinct)
    requireData(distinct, 2, 'events with different times', shortageOfTimes(all, paged))
    basis({ events: times.events + pageTimes.events })
    expect.that(
      times.order !== 'mixed',
      'ascending or descending times',
      'rising and falling times in one search',
    )
    requireSameEvents(whole, paged)
    expect.that(
      pageTimes.order === times.order,
      `${times.order} times from page to page, as on one large page`,
      `${pageTimes.order} times`,
    )
  },
)

check(
  'EVENT-TIME-ORDER',
  'events have the same time order if the pages are requested from the last to the first',
  async ({ readings, rereadings, expect, basis }) => {
    const all = await readings.allEvents()
    const other = await rereadings.allEventsBackwards()
    const [expected, backwards] = [timeOrderOf(all.events), timeOrderOf(other.events)]
    const distinct = Math.min(expected.distinct, backwards.distinct)
    requireData(distinct, 2, 'events with different times', shortageOfTimes(all, other))
    basis({ pages: other.pages.length, events: backwards.events })
    requireSameEvents(all, other)
    if (expected.order === 'mixed') {
      return inconclusive(
        'times rise and fall within one reading, which another check of EVENT-TIME-ORDER judges',
        ['EVENT-TIME-ORDER'],
      )
    }
    expect.describeRequest('searches of one window, from its last page to its first')
    expect.that(
      backwards.order === expected.order,
      `${expected.order} times, in the order of page numbers`,
      `${backwards.order} times`,
    )
  },
)

/** Requires that pages have the events of a reading of the whole window. @throws {Inconclusive} */
function requireSameEvents(whole: Reading, pages: Reading): void {
  requireStableIds(whole, pages)
  if (countMissingFrom(pages.events, whole.events) === 0) return
  requireRecognisable(whole, pages)
  inconclusive('the pages that `total` implies lack events of the window', ['EVENT-PAGINATION'])
}
