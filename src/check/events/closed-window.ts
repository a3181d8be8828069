import type { LocalDateTime } from '../../event-hub/local-time.ts'
import { type EventWindow, newestPart, windowsBack } from '../../event-hub/window.ts'
import { Inconclusive } from '../verdict.ts'
import { isAccepted } from './refused-search.ts'
import { type EventSearchSteps, pageOf } from './search-steps.ts'

/** Page sizes that are tried, largest first: the largest lawful one is not documented. */
const pageSizes = [1000, 100, 10] as const
/** The search for a window with events looks at so many windows, and stops at one with enough of them. */
const windowsLookedAt = 5
const enoughEvents = 30
/** Pages of one search at most; a window with more events is narrowed. */
export const pageLimit = 12

/** A window in the past that holds events, with the largest page size that a search of it may ask for. */
export interface ClosedWindow extends EventWindow {
  readonly total: number
  readonly pageSize: number
  /** Page size in the answer to a request for `pageSize`. */
  readonly answeredPageSize: number
  /** A larger page size that the hub refused, if it did. */
  readonly refusedPageSize: number | undefined
}

/**
 * Looks back from `end` for a window with events, never wider than 24 hours, and narrows one that holds more than
 * a run reads.
 * @param earliest where the search stops, if there is such a time
 * @throws {Inconclusive} where there are no events
 */
export async function findClosedWindow(
  events: EventSearchSteps,
  end: LocalDateTime,
  earliest: LocalDateTime | undefined,
): Promise<ClosedWindow> {
  let best: ClosedWindow | undefined
  for (const window of windowsBack(end, earliest, windowsLookedAt)) {
    const found = await sized(events, window, best)
    if (!best || found.total > best.total) best = found
    if (best.total >= enoughEvents) break
  }
  if (!best || best.total === 0) {
    throw new Inconclusive('no events were found', {
      variables: ['EVENT_WINDOW_FROM', 'EVENT_WINDOW_TO'],
      advice: 'set EVENT_WINDOW_FROM and EVENT_WINDOW_TO to local date-times between which there are some',
    })
  }
  const readable = pageLimit * best.answeredPageSize
  return best.total <= readable ? best : sized(events, newestPart(best, readable / 2 / best.total), best)
}

/** Finds out how many events a window holds, and the page size to read them with. */
async function sized(
  events: EventSearchSteps,
  { from, to }: EventWindow,
  known: ClosedWindow | undefined,
): Promise<ClosedWindow> {
  let refusedPageSize = known?.refusedPageSize
  for (const pageSize of known ? [known.pageSize] : pageSizes) {
    const response = await events.hub.search({ from, to, page: 0, pageSize })
    if (response.status >= 400 && pageSize > 10) {
      refusedPageSize = pageSize
      continue
    }
    if (!isAccepted(response)) throw await events.refusal({ from, to, page: 0, pageSize }, response)
    const { total, pageSize: answeredPageSize } = pageOf(response, { page: 0, pageSize })
    return { from, to, total, pageSize, answeredPageSize, refusedPageSize }
  }
  throw new Inconclusive('every page size is refused, so nothing can be read')
}
