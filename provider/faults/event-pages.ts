import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { fieldsOf } from '../http.ts'
import { parseCount, type ResultPage } from '../hub/behaviour.ts'

/** Replaces the bounds of a page, as indexes into all matching events. */
export function replaceBounds(
  bounds: (page: number, pageSize: number, total: number) => [number, number],
): Alter {
  return ({ hub }) => {
    hub.paginate = (ordered, { page, pageSize }) => {
      const [start, end] = bounds(page, pageSize, ordered.length)
      return {
        page,
        pageSize,
        total: ordered.length,
        items: ordered.slice(Math.max(0, start), Math.max(0, end)),
      }
    }
  }
}

/** Edits the pages of search results. */
export function editPage(edit: (page: ResultPage) => ResultPage): Alter {
  return ({ hub }) => {
    const { paginate } = hub
    hub.paginate = (ordered, paging) => edit(paginate(ordered, paging))
  }
}

/** Reads a malformed page as a number instead of refusing it. */
function readMalformedPage(tolerated: RegExp, instead: number): Alter {
  return ({ hub }) => {
    const { parsePage } = hub
    hub.parsePage = (text) => (tolerated.test(text) ? instead : parsePage(text))
  }
}

const paging = [
  {
    name: 'default-page-one',
    summary: 'Without page, a search returns page 1.',
    violates: ['EVENT-PAGE-DEFAULT'],
    alter: ({ hub }: Behaviour) => {
      hub.defaultPage = 1
    },
  },
  {
    name: 'default-page-one-called-zero',
    summary: 'Without page, a search returns page 1 with the number 0.',
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
    summary: 'Without pageSize, a page has 20 events and a pageSize of 10.',
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
    summary: 'Without pageSize, a page has 20 events.',
    violates: ['EVENT-PAGE-SIZE-DEFAULT'],
    alter: ({ hub }: Behaviour) => {
      hub.defaultPageSize = 20
    },
  },
  {
    name: 'one-event-too-many',
    summary: 'A page has one event more than pageSize.',
    violates: ['EVENT-PAGE-SIZE-MAXIMUM'],
    alter: replaceBounds((page, size) => [page * size, (page + 1) * size + 1]),
  },
  {
    name: 'page-size-ignored',
    summary: 'Every page has 10 events, regardless of pageSize.',
    violates: ['EVENT-PAGE-SIZE-MAXIMUM'],
    alter: ({ hub }: Behaviour) => {
      const { parsePageSize } = hub
      hub.parsePageSize = (text) => (parsePageSize(text) === undefined ? undefined : 10)
    },
  },
  {
    name: 'total-of-the-page',
    summary: 'total counts the events of the page instead of all events.',
    violates: ['EVENT-TOTAL'],
    alter: editPage((page) => ({ ...page, total: page.items.length })),
  },
  {
    name: 'total-of-the-rest',
    summary: 'total does not count the events of earlier pages.',
    violates: ['EVENT-TOTAL'],
    alter: editPage((page) => ({
      ...page,
      total: Math.max(0, page.total - page.page * page.pageSize),
    })),
  },
  {
    name: 'total-flickers',
    summary: 'In every fourth response, total is one less than the number of events.',
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
    name: 'page-number-always-zero',
    summary: 'Every page has the number 0.',
    violates: ['EVENT-PAGE-NUMBER'],
    alter: editPage((page) => ({ ...page, page: 0 })),
  },
  {
    name: 'page-number-from-one',
    summary: 'Requests count pages from 0, responses from 1.',
    violates: ['EVENT-PAGE-NUMBER'],
    alter: editPage((page) => ({ ...page, page: page.page + 1 })),
  },
  {
    name: 'total-one-too-many',
    summary: 'total is one more than the number of events.',
    violates: ['EVENT-PAGINATION'],
    alter: editPage((page) => ({ ...page, total: page.total + 1 })),
  },
  {
    name: 'pages-counted-from-one',
    summary: 'Pages 0 and 1 are the same, and no request returns the last page.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size) => [Math.max(0, page - 1) * size, Math.max(1, page) * size]),
  },
  {
    name: 'last-page-empty',
    summary: 'A last page that is not full is empty.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size, total) => [
      page * size,
      (page + 1) * size > total ? 0 : (page + 1) * size,
    ]),
  },
  {
    name: 'large-pages-cut-short',
    summary: 'A page has the requested pageSize but at most 50 events.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size) => [page * size, page * size + Math.min(size, 50)]),
  },
  {
    name: 'pages-past-offset-40-empty',
    summary: 'A page that begins after the fortieth event is empty.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size) => [page * size, page * size < 40 ? (page + 1) * size : 0]),
  },
  {
    name: 'distant-pages-shifted',
    summary: 'From page 6 on, a page begins one event too late.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size) => {
      const start = page * size + (page >= 6 ? 1 : 0)
      return [start, start + size]
    }),
  },
  {
    name: 'event-lost-on-pages-of-default-size',
    summary: 'Without pageSize, each page from page 4 on lacks its first event.',
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
    summary: 'The last event of a full last page is missing.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size, total) => [
      page * size,
      (page + 1) * size === total ? total - 1 : (page + 1) * size,
    ]),
  },
  {
    name: 'pages-by-cursor',
    summary: 'Any page number above 0 returns the page after the previous one.',
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
    summary: 'A request that skips one page returns the skipped page.',
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
    summary: 'A page has five events when fewer are requested.',
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
    summary: 'One event is missing between each page and the next.',
    violates: ['EVENT-PAGINATION'],
    alter: replaceBounds((page, size) => [page * (size + 1), page * (size + 1) + size]),
  },
  {
    name: 'equal-times-unstable',
    summary: 'Events with the same timestamp change their order from request to request.',
    violates: ['EVENT-PAGINATION'],
    alter: ({ hub }: Behaviour) => {
      let requests = 0
      hub.order = (found) => {
        requests += 1
        const turn = requests % 2 === 0 ? 1 : -1
        const place = new Map(found.map((event, index) => [event, index * turn]))
        return found.toSorted((a, b) => a.local - b.local || (place.get(a) ?? 0) - (place.get(b) ?? 0))
      }
    },
  },
  {
    name: 'page-read-as-far-as-it-is-a-number',
    summary: 'A page that begins with digits is read as those digits.',
    violates: ['EVENT-PAGINATION-MALFORMED'],
    alter: ({ hub }: Behaviour) => {
      const { parsePage } = hub
      hub.parsePage = (text) => parsePage(/^(\d+)[a-z]/.exec(text)?.[1] ?? text)
    },
  },
  {
    name: 'page-text-accepted',
    summary: 'A page that is not a number is read as 0.',
    violates: ['EVENT-PAGINATION-MALFORMED'],
    alter: readMalformedPage(/[^\d-]/, 0),
  },
  {
    name: 'page-size-text-accepted',
    summary: 'A pageSize that is not a number is read as 10.',
    violates: ['EVENT-PAGINATION-MALFORMED'],
    alter: ({ hub }: Behaviour) => {
      const { parsePageSize } = hub
      hub.parsePageSize = (text) => (parseCount(text) === undefined ? 10 : parsePageSize(text))
    },
  },
]

export const eventPageFaults = withSurface('hub', paging)
