import { isSearchAccepted } from '../../src/check/events/answered-search.ts'
import {
  requireNothingOutside,
  requireRecognisable,
  requireStableIds,
} from '../../src/check/events/comparable.ts'
import { distinctWithin } from '../../src/check/events/reading.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import { type HubEvent, identityOf } from '../../src/event-hub/event.ts'
import { type PageQuery, readPage } from '../../src/event-hub/page.ts'

// `readings` reads all events of the closed window, a window in the past with events. `rereadings` reads that window
// again, in other pages and in parts.

type ReadingSteps = Pick<CheckContext, 'readings' | 'rereadings'>

/** The page of the closed window after the last page that `total` implies. */
interface PastEnd {
  readonly requested: PageQuery
  readonly total: number
  /** Events of the window on that page that `total` does not count. */
  readonly events: readonly HubEvent[]
}

/**
 * Events on the page past the last one that are on no other page, so that `total` does not count them.
 * @throws {Inconclusive} if events cannot be recognised
 */
export async function uncountedEvents({ readings, rereadings }: ReadingSteps): Promise<PastEnd> {
  const { requested, total, response } = await rereadings.pagePastEnd('partial')
  const page = isSearchAccepted(response) ? readPage(response.json, requested) : undefined
  const withoutEvents = { requested, total, events: [] }
  if (!page || page.events.length === 0 || page.pageSize !== requested.pageSize) return withoutEvents
  const all = await readings.allEvents()
  if (all.pages[0]?.total !== total) return withoutEvents
  requireRecognisable(all, page)
  requireStableIds(all, page)
  requireNothingOutside({ window: requested, events: page.events })
  // The first `total` different events are those that `total` counts.
  const counted = new Set([...new Set(all.events.map(identityOf))].slice(0, total))
  const events = distinctWithin(page.events, requested).filter((event) => !counted.has(identityOf(event)))
  return { ...withoutEvents, events }
}

/** Requires that `total` counts all events of the closed window. @throws {Inconclusive} if it does not */
export async function requireTotalCountsAllEvents(reading: ReadingSteps): Promise<void> {
  const { events } = await uncountedEvents(reading)
  if (events.length > 0)
    throw new Inconclusive('total does not count all events of a window', ['EVENT-TOTAL'])
}
