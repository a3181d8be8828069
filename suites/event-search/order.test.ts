import { requireRecognisable, requireStableIds } from '../../src/check/events/comparable.ts'
import { shortageOfTimes } from '../../src/check/events/shortage.ts'
import { directionOf, distinctMissingFrom } from '../../src/event-hub/reading.ts'
import { check } from './requirements.ts'

check(
  'EVENT-TIME-ORDER',
  'events are in one time order, within pages and across them',
  async ({ readings, rereadings, expect, requireData, basis, inconclusive }) => {
    const everything = await readings.allEvents()
    const all = directionOf(everything.events)
    const { whole, paged } = await rereadings.pageThrough()
    const pages = directionOf(paged.events)
    const distinct = Math.min(all.distinct, pages.distinct)
    requireData(distinct, 2, 'events with different times', shortageOfTimes(everything, paged))
    basis({ events: all.events + pages.events })
    expect.that(
      all.direction !== 'mixed',
      'ascending or descending times',
      'rising and falling times in one search',
    )
    requireStableIds(whole, paged)
    if (distinctMissingFrom(paged.events, whole.events) > 0) requireRecognisable(whole, paged)
    if (distinctMissingFrom(paged.events, whole.events) > 0)
      return inconclusive('the pages lack events', { dependsOn: ['EVENT-PAGINATION'] })
    expect.that(
      pages.direction === all.direction,
      `${all.direction} times from page to page, as on one large page`,
      `${pages.direction} times`,
    )
  },
)

check(
  'EVENT-TIME-ORDER',
  'pages are in the same order by number, regardless of the order of requests',
  async ({ readings, rereadings, expect, requireData, basis, inconclusive }) => {
    const all = await readings.allEvents()
    const other = await rereadings.allEventsBackwards()
    const [expected, found] = [directionOf(all.events), directionOf(other.events)]
    const distinct = Math.min(expected.distinct, found.distinct)
    requireData(distinct, 2, 'events with different times', shortageOfTimes(all, other))
    basis({ pages: other.pages.length, events: found.events })
    requireStableIds(all, other)
    if (distinctMissingFrom(other.events, all.events) > 0) requireRecognisable(all, other)
    if (distinctMissingFrom(other.events, all.events) > 0)
      return inconclusive('the pages lack events', { dependsOn: ['EVENT-PAGINATION'] })
    if (expected.direction === 'mixed') {
      return inconclusive('times rise and fall within one reading, which the other check judges', {
        dependsOn: ['EVENT-TIME-ORDER'],
      })
    }
    expect.sending('searches of one window, the pages from the last one back')
    expect.that(
      found.direction === expected.direction,
      `${expected.direction} times from page to page by number`,
      `${found.direction} times`,
    )
  },
)
