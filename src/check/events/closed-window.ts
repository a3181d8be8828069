import type { LocalDateTime } from '../../event-hub/local-time.ts'
import { defaultPageSize } from '../../event-hub/page.ts'
import { type EventWindow, newestPart, windowsBack } from '../../event-hub/window.ts'
import type { HttpResponse } from '../../http/response.ts'
import { ExcessiveResponse } from '../../http/response-limits.ts'
import { isSearchAccepted } from './answered-search.ts'
import { type EventSearchSteps, pageOf } from './search-steps.ts'

/** Page sizes to try before the default, largest first: the maximum is not documented. */
const largePageSizes = [1000, 100] as const
/** Maximum number of windows to examine. */
const maxWindows = 5
/** A window with this number of events ends the search for a better one. */
const enoughEvents = 30
/** Maximum number of pages in which a window is read by default. */
export const pageLimit = 12

/**
 * A window in the past, in which no new events are expected. With the largest page size that the hub accepts and
 * Plumbline can read.
 */
export interface ClosedWindow extends EventWindow {
  readonly total: number
  readonly pageSize: number
  /** The page size of the response to a request for `pageSize`. */
  readonly returnedPageSize: number
  /** The smallest page size that the hub refused, if any. */
  readonly refusedPageSize: number | undefined
}

/**
 * Searches back in time from `end` for a window with at least 30 events, in at most five windows of at most 23 hours.
 * If there is none, takes the window with the most events. Narrows the result if it has more events than a run reads.
 * @param earliest time at which the search ends, if any
 * @returns undefined if no window has an event
 */
export async function findClosedWindow(
  events: EventSearchSteps,
  end: LocalDateTime,
  earliest: LocalDateTime | undefined,
): Promise<ClosedWindow | undefined> {
  let best: ClosedWindow | undefined
  for (const window of windowsBack(end, earliest, maxWindows)) {
    const candidate = await measured(events, window, best)
    if (!best || candidate.total > best.total) best = candidate
    if (best.total >= enoughEvents) break
  }
  if (!best || best.total === 0) return undefined
  const readable = pageLimit * best.returnedPageSize
  // A part for half as many events as a run can read, since the events may be denser there than in the whole window.
  return best.total <= readable ? best : measured(events, newestPart(best, readable / 2 / best.total), best)
}

/**
 * Finds the number of events of a window, and the largest page size with which a run can read them.
 * @param known another window, measured before: larger page sizes than its own are not tried again
 */
async function measured(
  events: EventSearchSteps,
  { from, to }: EventWindow,
  known: ClosedWindow | undefined,
): Promise<ClosedWindow> {
  let refusedPageSize = known?.refusedPageSize
  const windowFrom = (response: HttpResponse, pageSize: number): ClosedWindow => {
    const { total, pageSize: returnedPageSize } = pageOf(response, { page: 0, pageSize })
    return { from, to, total, pageSize, returnedPageSize, refusedPageSize }
  }
  const largest = known?.pageSize ?? Number.POSITIVE_INFINITY
  for (const pageSize of largePageSizes.filter((size) => size <= largest)) {
    const query = { from, to, page: 0, pageSize }
    // If the hub has accepted this size before, a refusal has another reason, which `events.search` diagnoses.
    const response = await unlessExcessive(
      pageSize === known?.pageSize ? events.search(query) : events.hub.search(query),
    )
    if (!response) continue
    if (isSearchAccepted(response)) return windowFrom(response, pageSize)
    refusedPageSize = pageSize
  }
  const response = await events.search({ from, to, page: 0, pageSize: defaultPageSize })
  return windowFrom(response, defaultPageSize)
}

/** The response; undefined if it is larger than Plumbline reads, because each event may be large. */
function unlessExcessive(response: Promise<HttpResponse>): Promise<HttpResponse | undefined> {
  return response.catch((error: unknown) => {
    if (error instanceof ExcessiveResponse) return undefined
    throw error
  })
}
