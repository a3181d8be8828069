import type { HubEvent } from './event.ts'
import { type EventPage, hasMore } from './page.ts'

/** All pages of one search. */
export interface Reading {
  readonly pages: readonly EventPage[]
  /** Items of all pages in the order they came. */
  readonly events: readonly HubEvent[]
  /** False where pages were left unread because there were more than allowed. */
  readonly complete: boolean
}

/**
 * Reads page after page until rule 4 of Event search says that there are no more.
 * @param limit pages at most
 */
export async function readPages(
  readPage: (page: number) => Promise<EventPage>,
  limit: number,
): Promise<Reading> {
  const pages: EventPage[] = []
  let more = true
  while (more && pages.length < limit) {
    const page = await readPage(pages.length)
    pages.push(page)
    more = hasMore(page)
  }
  return { pages, events: pages.flatMap(({ events }) => events), complete: !more }
}
