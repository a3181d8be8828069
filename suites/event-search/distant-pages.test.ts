import { isSearchAccepted } from '../../src/check/events/answered-search.ts'
import {
  requirePagesAgreeOnTotal,
  requireRecognisable,
  requireStableIds,
  requireUnchanged,
  requireWhole,
} from '../../src/check/events/comparable.ts'
import {
  contentsById,
  countMissingFrom,
  countTimesMissingFrom,
  timeOrderOf,
  type WindowReading,
} from '../../src/check/events/reading.ts'
import { pageOf } from '../../src/check/events/search-steps.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import type { EventPage } from '../../src/event-hub/page.ts'
import { counted } from '../../src/text/format.ts'
import { check } from './requirements.ts'

// `readings` reads all events of the closed window, a window in the past with events. `rereadings` reads that window
// again, in other pages and in parts. `basis` records how much data the verdict is based on.

for (const { pageSize, how, sizeRequirement } of [
  { pageSize: null, how: 'without `pageSize`', sizeRequirement: 'EVENT-PAGE-SIZE-DEFAULT' },
  { pageSize: 1, how: 'with `pageSize=1`', sizeRequirement: 'EVENT-PAGE-SIZE-MAXIMUM' },
] as const) {
  check(
    'EVENT-PAGINATION',
    `a page far from the first, requested ${how}, contains the events at its position`,
    async (context) => {
      const { readings, rereadings, expect, seed, basis } = context
      const all = await readings.allEvents()
      if (contentsById(all.events).ids < all.events.length)
        return notApplicable(
          'needs events that were returned once each, since a repeated event has no definite position',
          'target',
        )
      const { requested, response } = await rereadings.distantPage(pageSize)
      if (requested.page === 0) return notApplicable('needs at least 40 events')
      if (!isSearchAccepted(response))
        return notApplicable(
          `needs an accepted search ${how}; the response had status ${response.status}, which other checks judge`,
          'target',
        )
      const page = pageOf(response, requested)
      basis({ events: page.events.length }, { seed })
      const expectedEvents = all.events.slice(
        requested.page * requested.pageSize,
        (requested.page + 1) * requested.pageSize,
      )
      const missing = countTimesMissingFrom(page.events, expectedEvents)
      const isAsExpected = missing === 0 && page.events.length === expectedEvents.length
      if (!isAsExpected) await requireComparable(context, all, page, sizeRequirement)
      expect.describeRequest(`a search with \`page=${requested.page}\`, ${how}`, response)
      expect.that(
        isAsExpected,
        `the ${counted(expectedEvents.length, 'event')} at that position`,
        `${counted(page.events.length, 'event')}, ${counted(missing, 'expected event')} missing`,
      )
    },
  )
}

/**
 * Rules out every other reason why a page differs from the events at its position in the window.
 * @param all the reading of the whole window
 * @throws {Inconclusive} if the window has changed, or another requirement judges the difference
 */
async function requireComparable(
  { readings, rereadings }: CheckContext,
  all: WindowReading,
  page: EventPage,
  sizeRequirement: RequirementId,
): Promise<void> {
  const { requested, events, pageSize } = page
  if (events.length > requested.pageSize || pageSize !== requested.pageSize)
    return inconclusive('the pageSize of the page is wrong, or the page has more events', [sizeRequirement])
  requireStableIds(all, page)
  requireRecognisable(all, page)
  await requireUnchanged(readings, all)
  requirePagesAgreeOnTotal([...all.pages, page])
  // If the whole reading has too few events, the position of a page in it is unknown, and other checks report the
  // loss.
  requireWhole(all)
  const others = await rereadings.allEventsBackwards()
  if (countMissingFrom(others.events, all.events) > 0)
    return inconclusive('smaller pages of the window lack events, so the position of an event is not known', [
      'EVENT-PAGINATION',
    ])
  if ([all, others].some((reading) => timeOrderOf(reading.events).order === 'mixed'))
    return inconclusive('events are not in order of time', ['EVENT-TIME-ORDER'])
}
