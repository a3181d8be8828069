import { setImmediate } from 'node:timers/promises'
import type { HubEvent } from './event.ts'
import { type EventPage, hasMore } from './page.ts'

/** The pages of one window, read up to a maximum number of pages. */
export interface Reading {
  readonly pages: readonly EventPage[]
  /** Items of all pages, in the order of the pages. */
  readonly events: readonly HubEvent[]
  /** False if the window has more pages than the maximum. */
  readonly complete: boolean
}

/** Reads pages until no more follow (Event search, rule 4), and keeps only the latest page in memory. */
export async function* pagesOf(
  readPage: (page: number) => Promise<EventPage>,
): AsyncGenerator<EventPage, void, void> {
  for (let number = 0; ; number += 1) {
    const page = await readPage(number)
    yield page
    if (!hasMore(page)) return
  }
}

/**
 * Returns a reader that requests the next page while the caller processes the current one. Call the reader once per
 * page, in order.
 */
export function readAhead(readPage: (page: number) => Promise<EventPage>): typeof readPage {
  let ahead: Promise<EventPage> | undefined
  return async (number) => {
    const page = await (ahead ?? readPage(number))
    ahead = hasMore(page) ? readPage(number + 1) : undefined
    // The next call of the reader reports a failure.
    ahead?.catch(() => undefined)
    // Lets Node send the request before the caller processes the page, which may take a while.
    await setImmediate()
    return page
  }
}

/**
 * Reads all pages in order, until a page states that no more follow.
 * @param limit maximum number of pages
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
  return readingOf(pages, !more)
}

/**
 * Reads the first page, then the others from the last to the second. The content of a page must not depend on the order
 * of requests.
 * @param limit maximum number of pages
 * @returns pages in the order of their numbers
 */
export async function readPagesBackwards(
  readPage: (page: number) => Promise<EventPage>,
  limit: number,
): Promise<Reading> {
  const first = await readPage(0)
  const count = first.pageSize > 0 ? Math.ceil(first.total / first.pageSize) : 1
  const pages = [first]
  for (let page = Math.min(count, limit) - 1; page > 0; page -= 1) pages[page] = await readPage(page)
  return readingOf(pages, count <= limit)
}

function readingOf(pages: readonly EventPage[], complete: boolean): Reading {
  return { pages, events: pages.flatMap(({ events }) => events), complete }
}
