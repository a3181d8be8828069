import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { capPageSize, editPage, replaceBounds } from '../edits.ts'
import { fieldsOf } from '../http.ts'

/** Omits the events of earlier pages from `total`. */
const withoutEarlierPages = editPage((page) => ({
  ...page,
  total: Math.max(0, page.total - page.page * page.pageSize),
}))

const paging = [
  {
    name: 'default-page-one',
    summary: 'Returns page 1 for a search without `page`.',
    violates: ['EVENT-PAGE-DEFAULT'],
    alter: ({ hub }: Behaviour) => {
      hub.defaultPage = 1
    },
  },
  {
    name: 'default-page-one-called-zero',
    summary: 'Returns page 1, numbered 0, for a search without `page`.',
    violates: ['EVENT-PAGE-DEFAULT'],
    alter: ({ hub }: Behaviour) => {
      hub.defaultPage = 1
      hub.responses.push((response, { query }) => {
        const fields = fieldsOf(response)
        if (response.status === 200 && fields && !query.has('page')) fields.page = 0
      })
    },
  },
  {
    name: 'default-page-size-20-called-10',
    summary: 'Returns 20 events and a `pageSize` of 10 for a search without `pageSize`.',
    violates: ['EVENT-PAGE-SIZE-DEFAULT'],
    alter: ({ hub }: Behaviour) => {
      hub.defaultPageSize = 20
      hub.responses.push((response, { query }) => {
        const fields = fieldsOf(response)
        if (response.status === 200 && fields && !query.has('pageSize')) fields.pageSize = 10
      })
    },
  },
  {
    name: 'default-page-size-20',
    summary: 'Returns 20 events for a search without `pageSize`.',
    violates: ['EVENT-PAGE-SIZE-DEFAULT'],
    alter: ({ hub }: Behaviour) => {
      hub.defaultPageSize = 20
    },
  },
  {
    name: 'one-event-too-many',
    summary: 'Returns one event more than `pageSize`.',
    violates: ['EVENT-PAGE-SIZE-MAXIMUM'],
    alter: replaceBounds((page, size) => [page * size, (page + 1) * size + 1]),
  },
  {
    name: 'page-size-ignored',
    summary: 'Returns 10 events per page, regardless of `pageSize`.',
    violates: ['EVENT-PAGE-SIZE-MAXIMUM'],
    alter: ({ hub }: Behaviour) => {
      const { parsePageSize } = hub
      hub.parsePageSize = (text) => (parsePageSize(text) === undefined ? undefined : 10)
    },
  },
  {
    name: 'total-of-the-page',
    summary: 'Counts the events of the page as `total` instead of all events.',
    violates: ['EVENT-TOTAL'],
    alter: editPage((page) => ({ ...page, total: page.items.length })),
  },
  {
    name: 'total-of-pages',
    summary: 'Counts pages of the requested size in `total` instead of events.',
    violates: ['EVENT-TOTAL'],
    consequences: ['EVENT-PAGINATION'],
    alter: editPage((page) => ({ ...page, total: Math.ceil(page.total / page.pageSize) })),
  },
  {
    name: 'total-of-an-empty-window',
    summary: 'Returns 7 as `total` of a window without events.',
    violates: ['EVENT-TOTAL'],
    alter: editPage((page) => ({ ...page, total: page.total === 0 ? 7 : page.total })),
  },
  {
    name: 'total-of-the-rest',
    summary: 'Does not count the events of earlier pages in `total`.',
    violates: ['EVENT-TOTAL'],
    alter: withoutEarlierPages,
  },
  {
    name: 'total-of-the-rest-on-small-pages',
    summary: 'Returns at most 20 events on a page, and does not count those of earlier pages in `total`.',
    violates: ['EVENT-TOTAL'],
    alter: (behaviour: Behaviour) => {
      capPageSize(20)(behaviour)
      withoutEarlierPages(behaviour)
    },
  },
  {
    name: 'page-size-capped-at-5',
    summary: 'Caps `pageSize` at 5, below the default of 10.',
    violates: ['EVENT-PAGE-SIZE-STATED'],
    alter: capPageSize(5),
  },
  {
    name: 'total-flickers',
    summary: 'Returns a `total` that is one too low in every fourth response.',
    violates: ['EVENT-TOTAL'],
    alter: (behaviour: Behaviour) => {
      let responses = 0
      editPage((page) => {
        responses += 1
        return responses % 4 === 3 ? { ...page, total: Math.max(0, page.total - 1) } : page
      })(behaviour)
    },
  },
  {
    name: 'page-size-of-an-empty-page',
    summary: 'Returns 0 as `pageSize` of a window without events.',
    violates: ['EVENT-PAGE-SIZE-STATED'],
    alter: editPage((page) => ({ ...page, pageSize: page.total === 0 ? 0 : page.pageSize })),
  },
  {
    name: 'page-number-always-zero',
    summary: 'Returns 0 as `page` on every page.',
    violates: ['EVENT-PAGE-NUMBER'],
    alter: editPage((page) => ({ ...page, page: 0 })),
  },
  {
    name: 'page-number-from-one',
    summary: 'Counts pages from 0 in requests and from 1 in responses.',
    violates: ['EVENT-PAGE-NUMBER'],
    alter: editPage((page) => ({ ...page, page: page.page + 1 })),
  },
  {
    name: 'total-counted-up-to-25',
    summary: 'Counts at most 25 events in `total`, but returns all events.',
    violates: ['EVENT-TOTAL'],
    alter: ({ hub }: Behaviour) => {
      const { paginate } = hub
      hub.paginate = (ordered, paging) => {
        const page = paginate(ordered, paging)
        return { ...page, total: Math.min(page.total, 25) }
      }
    },
  },
  {
    name: 'total-and-large-pages-of-at-most-25',
    summary: 'Counts at most 25 events in `total`, and returns at most 25 on a page.',
    violates: ['EVENT-TOTAL'],
    alter: ({ hub }: Behaviour) => {
      const { paginate } = hub
      hub.paginate = (ordered, paging) => {
        const page = paginate(ordered, paging)
        return { ...page, total: Math.min(page.total, 25), items: page.items.slice(0, 25) }
      }
    },
  },
  {
    name: 'total-one-too-many',
    summary: 'Returns a `total` that is one too high.',
    violates: ['EVENT-PAGINATION'],
    alter: editPage((page) => ({ ...page, total: page.total + 1 })),
  },
  {
    name: 'pages-counted-from-one',
    summary: 'Returns the same page for `page` 0 and 1, so that no request returns the last page.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size) => [Math.max(0, page - 1) * size, Math.max(1, page) * size]),
  },
  {
    name: 'last-page-empty',
    summary: 'Returns an empty last page unless that page is full.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size, total) => [
      page * size,
      (page + 1) * size > total ? 0 : (page + 1) * size,
    ]),
  },
  {
    name: 'large-pages-cut-short',
    summary: 'Returns at most 50 events per page, but echoes the requested `pageSize`.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size) => [page * size, page * size + Math.min(size, 50)]),
  },
  {
    name: 'pages-past-offset-40-empty',
    summary: 'Returns an empty page if it begins after the fortieth event.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size) => [page * size, page * size < 40 ? (page + 1) * size : 0]),
  },
  {
    name: 'distant-pages-shifted',
    summary: 'Begins each page one event too late, from page 6 on.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size) => {
      const start = page * size + (page >= 6 ? 1 : 0)
      return [start, start + size]
    }),
  },
  {
    name: 'event-lost-on-pages-of-default-size',
    summary: 'Omits the first event of each page from page 4 on if `pageSize` is absent.',
    violates: ['EVENT-PAGINATION'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response, { query }) => {
        const fields = fieldsOf(response)
        if (response.status !== 200 || !fields || query.has('pageSize') || Number(fields.page) < 4) return
        if (Array.isArray(fields.items)) fields.items = fields.items.slice(1)
      }),
  },
  {
    name: 'last-event-of-full-pages-lost',
    summary: 'Omits the last event of a full last page.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size, total) => [
      page * size,
      (page + 1) * size === total ? total - 1 : (page + 1) * size,
    ]),
  },
  {
    name: 'pages-by-cursor',
    summary: 'Returns the page after the previously returned one for any `page` above 0.',
    violates: ['EVENT-TIME-ORDER'],
    consequences: ['EVENT-PAGE-PAST-END'],
    alter: (behaviour: Behaviour) => {
      let next = 0
      replaceBounds((page, size) => {
        if (page === 0) next = 0
        const start = next * size
        next += 1
        return [start, start + size]
      })(behaviour)
    },
  },
  {
    name: 'pages-read-ahead',
    summary: 'Returns the skipped page if a request skips one: page 1 for a request for page 2 after page 0.',
    violates: ['EVENT-PAGINATION'],
    alter: (behaviour: Behaviour) => {
      let last = 0
      replaceBounds((page, size) => {
        const given = page === last + 2 ? page - 1 : page
        last = page
        return [given * size, (given + 1) * size]
      })(behaviour)
    },
  },
  {
    name: 'page-size-at-least-five',
    summary: 'Returns five events per page when fewer are requested.',
    violates: ['EVENT-PAGE-SIZE-MAXIMUM'],
    alter: ({ hub }: Behaviour) => {
      const { parsePageSize } = hub
      hub.parsePageSize = (text) => {
        const size = parsePageSize(text)
        return size === undefined ? undefined : Math.max(size, 5)
      }
    },
  },
  {
    name: 'event-lost-between-pages',
    summary: 'Omits one event between each page and the next.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size) => [page * (size + 1), page * (size + 1) + size]),
  },
  {
    name: 'equal-times-unstable',
    summary: 'Changes the order of events with the same timestamp from request to request.',
    violates: ['EVENT-PAGINATION'],
    alter: ({ hub }: Behaviour) => {
      let requests = 0
      hub.order = (ascending) => {
        requests += 1
        const turn = requests % 2 === 0 ? 1 : -1
        const place = new Map(ascending.map((event, index) => [event, index * turn]))
        return ascending.toSorted((a, b) => a.local - b.local || (place.get(a) ?? 0) - (place.get(b) ?? 0))
      }
    },
  },
]

export const eventPageFaults = withSurface('hub', paging)
