import { HttpFailure } from '../../http/failures.ts'
import { type EventPage, readPage } from '../page.ts'
import type { EventHub } from '../search.ts'
import type { EventWindow } from '../window.ts'
import { PollerStopped } from './failures.ts'

/**
 * Asks once for a page of a window.
 * @throws {HttpFailure} where asking again later may help
 * @throws {PollerStopped} where it will not
 */
export type PageSource = (window: EventWindow, page: number) => Promise<EventPage>

/** Pages of a hub's search. */
export function searchPages(hub: EventHub, pageSize: number): PageSource {
  return async ({ from, to }, page) => {
    const asked = { page, pageSize }
    const response = await hub.search({ from, to, ...asked }, undefined, undefined, 'never')
    if (response.status !== 200) throw new PollerStopped(`The Event Hub ${refusal(response.status)}`)
    const read = readPage(response.json, asked)
    // Proxies answer for a hub that is down, with pages of their own.
    if (!read)
      throw new HttpFailure('unavailable', 'an event search was answered 200 without a page of events')
    if (read.problems.some(({ path }) => path.startsWith('items/')))
      throw new HttpFailure('unavailable', 'some items of a page are no objects')
    return read
  }
}

/** What a status that is no success says about the set-up. */
function refusal(status: number): string {
  const answered = `answered a search with ${status}`
  if (status === 401 || status === 403)
    return `${answered}: check PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET, and that they may use the Event Hub`
  if (status === 404) return `${answered}: check PARTNER_API_URL`
  if (status === 400) return `${answered}: a smaller --page-size may help, or a later --from`
  return `${answered}, which says nothing about events`
}
