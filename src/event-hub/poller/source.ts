import { HttpFailure } from '../../http/failures.ts'
import type { HttpRequest } from '../../http/request.ts'
import { SetupError } from '../../target/problem.ts'
import { type EventPage, readPage } from '../page.ts'
import type { EventHub } from '../search.ts'
import type { EventWindow } from '../window.ts'

/**
 * Asks once for a page of a window.
 * @throws {HttpFailure} where asking again later may help
 * @throws {SetupError} where it will not
 */
export type PageSource = (window: EventWindow, page: number) => Promise<EventPage>

/** Pages of a hub's search. Who waits by itself after a failure asks without repetition. */
export function searchPages(
  hub: EventHub,
  pageSize: number,
  repeat: HttpRequest['repeat'] = 'never',
): PageSource {
  return async ({ from, to }, page) => {
    const asked = { page, pageSize }
    const response = await hub.search({ from, to, ...asked }, undefined, undefined, repeat)
    if (response.status >= 300) throw refusal(response.status)
    const read = readPage(response.json, asked)
    // Proxies answer for a hub that is down, with pages of their own.
    if (!read) throw new HttpFailure('unavailable', 'the response to an event search is not a page of events')
    if (read.problems.some(({ path }) => path.startsWith('items/')))
      throw new HttpFailure('unavailable', 'some items of a page are not objects')
    return read
  }
}

/** What a status that is no success says about the set-up. */
function refusal(status: number): SetupError {
  const answered = `were used in a search that was answered ${status}`
  if (status === 401 || status === 403) {
    return new SetupError([
      {
        name: 'PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET',
        what: `${answered}: they are wrong, or the partner may not use the Event Hub`,
        variables: ['PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET'],
      },
    ])
  }
  if (status === 400) {
    return new SetupError([
      {
        name: '--from, --to, --page and --page-size',
        what: `${answered}: a window of at most 24 hours and smaller pages may help`,
      },
    ])
  }
  return new SetupError([
    {
      name: 'PARTNER_API_URL',
      what: `was asked for events and answered ${status}: it may be a wrong address`,
    },
  ])
}
