import { HttpFailure } from '../../http/failures.ts'
import type { HttpRequest } from '../../http/request.ts'
import { SetupError } from '../../target/problem.ts'
import { type EventPage, readPage } from '../page.ts'
import type { EventHub } from '../search.ts'
import type { EventWindow } from '../window.ts'

/**
 * Requests a page of a window once.
 * @throws {HttpFailure} if a retry may help
 * @throws {SetupError} if a retry does not help
 */
export type PageSource = (window: EventWindow, page: number) => Promise<EventPage>

/**
 * Reads pages through the event search.
 * @param retry `never` for a caller that retries requests itself
 * @param refused returns the error for a search that the target refuses with 400
 */
export function searchPages(
  hub: EventHub,
  pageSize: number,
  retry: HttpRequest['retry'] = 'never',
  refused: (window: EventWindow) => SetupError = refusedPageSize,
): PageSource {
  return async ({ from, to }, page) => {
    const requested = { page, pageSize }
    const response = await hub.search({ from, to, ...requested }, { retry })
    if (response.status === 400) throw refused({ from, to })
    if (response.status >= 300) throw searchError(response.status)
    const read = readPage(response.json, requested)
    // A proxy may respond with its own page for a hub that is down.
    if (!read) throw new HttpFailure('unavailable', 'the response to an event search is not a page of events')
    if (read.problems.some(({ path }) => path.startsWith('items/')))
      throw new HttpFailure('unavailable', 'some items of a page are not objects')
    return read
  }
}

/** The set-up error for a 400: the window is valid, so the page size is probably too large. */
function refusedPageSize(): SetupError {
  const advice = 'set a smaller --page-size, or check the target with --only EVENT-SEARCH, which judges it'
  return new SetupError({ name: 'The event search', what: 'was refused with 400', advice })
}

/** The set-up error for a status of 300 or more, other than 400. */
function searchError(status: number): SetupError {
  if (status === 401 || status === 403) {
    return new SetupError({
      name: 'PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET',
      what: `were used in an event search, and the response was ${status}: the credentials are wrong, or the partner is not entitled to the Event Hub`,
      variables: ['PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET'],
    })
  }
  return new SetupError({
    name: 'PARTNER_API_URL',
    what: `may be wrong: the response to an event search was ${status}`,
  })
}
