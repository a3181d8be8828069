import { directionOf } from '../../src/event-hub/reading.ts'
import { check } from './requirements.ts'

check(
  'EVENT-TIME-ORDER',
  'events are in one order of time, within pages and across them',
  async ({ events, expect, needs, basis }) => {
    const all = directionOf((await events.allEvents()).events)
    const paged = directionOf((await events.pageThrough()).paged.events)
    needs(Math.min(all.distinct, paged.distinct), 2, 'events with different times')
    basis({ events: all.events + paged.events })
    expect.that(
      all.direction !== 'mixed',
      'ascending or descending times',
      'they rose and fell within a search',
    )
    expect.that(
      paged.direction === all.direction,
      `${all.direction} times from page to page, as in one large page`,
      `they were ${paged.direction}`,
    )
  },
)
