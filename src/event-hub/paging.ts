import { setImmediate } from 'node:timers/promises'
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

/** Reads page after page until rule 4 of Event search says that there are no more; holds none but the newest. */
export async function* pagesOf(
  readPage: (page: number) => Promise<EventPage>,
): AsyncGenerator<EventPage, void, void> {
  for (let number = 0; ; number += 1) {
    const page = await readPage(number)
    yield page
    if (!hasMore(page)) return
  }
}

/** Asks for the next page while the one before is looked at. A page is asked for once, in the order of numbers. */
export function readAhead(readPage: (page: number) => Promise<EventPage>): typeof readPage {
  let ahead: Promise<EventPage> | undefined
  return async (number) => {
    const page = await (ahead ?? readPage(number))
    ahead = hasMore(page) ? readPage(number + 1) : undefined
    // Whoever asks for it hears of its failure.
    ahead?.catch(() => undefined)
    // The request leaves before the page is looked at, which may take a while.
    if (ahead) await setImmediate()
    return page
  }
}

/**
 * Reads page after page until there are no more.
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

/**
 * Reads the first page and then the others from the last one back, since a page is found by its number and not
 * by what was asked for before.
 * @param limit pages at most
 * @returns pages in the order of their numbers
 */
export async function readPagesBackwards(
  readPage: (page: number) => Promise<EventPage>,
  limit: number,
): Promise<Reading> {
  const first = await readPage(0)
  const count = first.pageSize > 0 ? Math.ceil(first.total / first.pageSize) : 1
  const others: EventPage[] = []
  for (let page = Math.min(count, limit) - 1; page > 0; page -= 1) others.unshift(await readPage(page))
  const pages = [first, ...others]
  return { pages, events: pages.flatMap(({ events }) => events), complete: count <= limit }
}
