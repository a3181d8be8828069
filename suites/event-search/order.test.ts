import { directionOf, distinctMissingFrom, missingFrom } from '../../src/event-hub/reading.ts'
import { check } from './requirements.ts'

check(
  'EVENT-TIME-ORDER',
  'events are in one order of time, within pages and across them',
  async ({ readings, rereadings, expect, needs, basis, inconclusive }) => {
    const all = directionOf((await readings.allEvents()).events)
    const { whole, paged } = await rereadings.pageThrough()
    const pages = directionOf(paged.events)
    needs(Math.min(all.distinct, pages.distinct), 2, 'events with different times')
    basis({ events: all.events + pages.events })
    expect.that(
      all.direction !== 'mixed',
      'ascending or descending times',
      'they rose and fell within a search',
    )
    if (paged.events.length !== whole.events.length || missingFrom(paged.events, whole.events, 'time') > 0) {
      return inconclusive('the pages do not hold each event once', { dependsOn: ['EVENT-PAGINATION'] })
    }
    expect.that(
      pages.direction === all.direction,
      `${all.direction} times from page to page, as in one large page`,
      `they were ${pages.direction}`,
    )
  },
)

check(
  'EVENT-TIME-ORDER',
  'pages are in that order by their numbers, whatever was asked for before',
  async ({ readings, rereadings, expect, needs, basis, inconclusive }) => {
    const all = await readings.allEvents()
    const other = await rereadings.allEventsBackwards()
    const [expected, found] = [directionOf(all.events), directionOf(other.events)]
    needs(Math.min(expected.distinct, found.distinct), 2, 'events with different times')
    basis({ pages: other.pages.length, events: found.events })
    if (distinctMissingFrom(other.events, all.events) > 0) {
      return inconclusive('the pages do not hold each event once', { dependsOn: ['EVENT-PAGINATION'] })
    }
    if (expected.direction === 'mixed') {
      return inconclusive('times rise and fall within one reading, which the other check judges')
    }
    expect.sending('searches of one window, the pages from the last one back')
    expect.that(
      found.direction === expected.direction,
      `${expected.direction} times from page to page by their numbers`,
      `they were ${found.direction}`,
    )
  },
)
