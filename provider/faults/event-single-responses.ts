import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import type { Fields } from '../edits.ts'
import { fieldsOf, type HttpRequest, type HttpResponse } from '../http.ts'

const HOUR = 3_600_000

/** The width of a search's window, in milliseconds. */
function widthOf({ query }: HttpRequest): number {
  const [from, to] = ['from', 'to'].map((name) => Date.parse(`${query.get(name)}Z`))
  return Number(to) - Number(from)
}

function editPages(matches: (request: HttpRequest) => boolean, edit: (page: Fields) => void): Alter {
  return ({ hub }) =>
    hub.responses.push((response, request) => {
      const page = fieldsOf(response)
      if (response.status === 200 && page && matches(request)) edit(page)
    })
}

/** Replaces an event in the middle of a page with its predecessor. */
function repeatNeighbour({ items }: Fields): void {
  if (!Array.isArray(items) || items.length < 5) return
  const middle = Math.floor(items.length / 2)
  items[middle] = items[middle - 1]
}

/** Skips the first five events of windows of `width` milliseconds. Fewer events could all have the same time. */
function beginLate(width: number): Alter {
  return ({ hub }) => {
    const { effectiveRange, paginate } = hub
    let isAffected = false
    hub.effectiveRange = (requested) => {
      isAffected = requested.to - requested.from === width
      return effectiveRange(requested)
    }
    hub.paginate = (ordered, paging) => {
      const page = paginate(ordered, paging)
      if (!isAffected || paging.page > 0 || ordered.length < paging.pageSize + 5) return page
      return { ...page, items: ordered.slice(5, paging.pageSize + 5) }
    }
  }
}

/** Violations that only a comparison with other responses reveals. */
export const eventSingleResponseFaults = withSurface('hub', [
  {
    name: 'event-replaced-by-neighbour-in-full-day',
    summary: 'Repeats an event in place of the next one on pages of a window of exactly 24 hours.',
    violates: ['EVENT-PAGINATION'],
    alter: editPages((request) => widthOf(request) === 24 * HOUR, repeatNeighbour),
  },
  {
    name: 'event-replaced-by-neighbour-in-half-a-day',
    summary: 'Repeats an event in place of the next one on pages of a window of exactly 12 hours.',
    violates: ['EVENT-PAGINATION'],
    alter: editPages((request) => widthOf(request) === 12 * HOUR, repeatNeighbour),
  },
  {
    name: 'event-replaced-by-neighbour-at-times',
    summary: 'Repeats an event in place of the next one in one response in 16.',
    violates: ['EVENT-PAGINATION'],
    alter: (behaviour) => {
      let count = 0
      editPages(() => {
        count += 1
        return count % 16 === 0
      }, repeatNeighbour)(behaviour)
    },
  },
  {
    name: 'first-events-of-half-a-day-lost',
    summary: 'Omits the first five events from page 0 of a window of exactly 12 hours.',
    violates: ['EVENT-PAGINATION'],
    alter: beginLate(12 * HOUR),
  },
  {
    name: 'first-events-of-full-day-lost',
    summary: 'Omits the first five events from page 0 of a window of exactly 24 hours.',
    violates: ['EVENT-PAGE-DEFAULT'],
    alter: beginLate(24 * HOUR),
  },
  {
    name: 'total-of-short-windows-one-too-few',
    summary:
      'Returns a `total` that is one too low for a window that is shorter than an hour and contains events.',
    violates: ['EVENT-PAGINATION'],
    alter: editPages(
      (request) => widthOf(request) < HOUR,
      (page) => {
        if (Array.isArray(page.items) && page.items.length > 0) page.total = Number(page.total) - 1
      },
    ),
  },
  {
    name: 'hub-pages-from-shared-cache',
    summary:
      'Caches each page for one minute, and returns it for the same URL regardless of the credentials.',
    violates: ['EVENT-CREDENTIALS-REQUIRED'],
    alter: ({ hub }: Behaviour) => {
      const stored = new Map<string, { at: number; response: HttpResponse }>()
      hub.interceptors.push(({ path, query }) => {
        const { at = 0, response } = stored.get(`${path}?${query}`) ?? {}
        return Date.now() - at < 60_000 ? structuredClone(response) : undefined
      })
      hub.responses.push((response, { path, query }) => {
        if (response.status === 200)
          stored.set(`${path}?${query}`, { at: Date.now(), response: structuredClone(response) })
      })
    },
  },
])
