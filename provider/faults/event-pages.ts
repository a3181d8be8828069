import { type Behaviour, withFace } from '../behaviour.ts'
import { fieldsOf } from '../http.ts'
import { parseCount, type ResultPage } from '../hub/behaviour.ts'

/** Changes which events a page holds; the bounds are indexes into all matching events. */
export function recut(
  { hub }: Behaviour,
  bounds: (page: number, pageSize: number, total: number) => [number, number],
): void {
  hub.cut = (ordered, { page, pageSize }) => {
    const [start, end] = bounds(page, pageSize, ordered.length)
    return {
      page,
      pageSize,
      total: ordered.length,
      items: ordered.slice(Math.max(0, start), Math.max(0, end)),
    }
  }
}

/** Edits a page before it goes out. */
export function editPage({ hub }: Behaviour, edit: (page: ResultPage) => ResultPage): void {
  const { cut } = hub
  hub.cut = (ordered, paging) => edit(cut(ordered, paging))
}

/** Takes a malformed number for another one instead of refusing it. */
function tolerate({ hub }: Behaviour, tolerated: RegExp, instead: number): void {
  const { parsePage } = hub
  hub.parsePage = (text) => (tolerated.test(text) ? instead : parsePage(text))
}

const paging = [
  {
    name: 'default-page-one',
    summary: 'Without page, the second page is given.',
    violates: ['EVENT-PAGE-DEFAULT'],
    alter: ({ hub }: Behaviour) => {
      hub.defaultPage = 1
    },
  },
  {
    name: 'default-page-one-called-zero',
    summary: 'Without page, the second page is given and called page 0.',
    violates: ['EVENT-PAGE-DEFAULT'],
    alter: ({ hub }: Behaviour) => {
      hub.defaultPage = 1
      hub.answers.push((answer, { query }) => {
        const fields = fieldsOf(answer)
        if (answer.status === 200 && fields && !query.has('page')) fields.page = 0
      })
    },
  },
  {
    name: 'default-page-size-20-called-10',
    summary: 'Without pageSize, a page holds 20 events and says that its pageSize is 10.',
    violates: ['EVENT-PAGE-SIZE-DEFAULT'],
    alter: ({ hub }: Behaviour) => {
      hub.defaultPageSize = 20
      hub.answers.push((answer, { query }) => {
        const fields = fieldsOf(answer)
        if (answer.status === 200 && fields && !query.has('pageSize')) fields.pageSize = 10
      })
    },
  },
  {
    name: 'default-page-size-20',
    summary: 'Without pageSize, a page holds 20 events.',
    violates: ['EVENT-PAGE-SIZE-DEFAULT'],
    alter: ({ hub }: Behaviour) => {
      hub.defaultPageSize = 20
    },
  },
  {
    name: 'one-event-too-many',
    summary: 'A page holds one event more than pageSize.',
    violates: ['EVENT-PAGE-SIZE-MAXIMUM'],
    alter: (behaviour: Behaviour) => recut(behaviour, (page, size) => [page * size, (page + 1) * size + 1]),
  },
  {
    name: 'page-size-ignored',
    summary: 'Every page holds 10 events, whatever pageSize says.',
    violates: ['EVENT-PAGE-SIZE-MAXIMUM'],
    alter: ({ hub }: Behaviour) => {
      const { parsePageSize } = hub
      hub.parsePageSize = (text) => (parsePageSize(text) === undefined ? undefined : 10)
    },
  },
  {
    name: 'total-of-the-page',
    summary: 'total counts the events of the page instead of all.',
    violates: ['EVENT-TOTAL'],
    alter: (behaviour: Behaviour) => editPage(behaviour, (page) => ({ ...page, total: page.items.length })),
  },
  {
    name: 'total-of-the-rest',
    summary: 'total counts the events from the page on, those of earlier pages not.',
    violates: ['EVENT-TOTAL'],
    alter: (behaviour: Behaviour) =>
      editPage(behaviour, (page) => ({
        ...page,
        total: Math.max(0, page.total - page.page * page.pageSize),
      })),
  },
  {
    name: 'total-flickers',
    summary: 'Every fourth answer counts one event less than there are.',
    violates: ['EVENT-TOTAL'],
    alter: (behaviour: Behaviour) => {
      let answers = 0
      editPage(behaviour, (page) => {
        answers += 1
        return answers % 4 === 3 ? { ...page, total: Math.max(0, page.total - 1) } : page
      })
    },
  },
  {
    name: 'page-number-always-zero',
    summary: 'Every page says that it is page 0.',
    violates: ['EVENT-PAGE-NUMBER'],
    alter: (behaviour: Behaviour) => editPage(behaviour, (page) => ({ ...page, page: 0 })),
  },
  {
    name: 'page-number-from-one',
    summary: 'Pages are asked for from 0 on, and numbered from 1 in the answer.',
    violates: ['EVENT-PAGE-NUMBER'],
    alter: (behaviour: Behaviour) => editPage(behaviour, (page) => ({ ...page, page: page.page + 1 })),
  },
  {
    name: 'total-one-too-many',
    summary: 'total is one more than there are events.',
    violates: ['EVENT-PAGINATION'],
    alter: (behaviour: Behaviour) => editPage(behaviour, (page) => ({ ...page, total: page.total + 1 })),
  },
  {
    name: 'pages-counted-from-one',
    summary: 'Pages 0 and 1 are the same, and the last page is never reached.',
    violates: ['EVENT-PAGINATION'],
    alter: (behaviour: Behaviour) =>
      recut(behaviour, (page, size) => [Math.max(0, page - 1) * size, Math.max(1, page) * size]),
  },
  {
    name: 'last-page-empty',
    summary: 'A last page that is not full is empty.',
    violates: ['EVENT-PAGINATION'],
    alter: (behaviour: Behaviour) =>
      recut(behaviour, (page, size, total) => [
        page * size,
        (page + 1) * size > total ? 0 : (page + 1) * size,
      ]),
  },
  {
    name: 'large-pages-cut-short',
    summary: 'A page says the pageSize that was asked for, and never holds more than 50 events.',
    violates: ['EVENT-PAGINATION'],
    alter: (behaviour: Behaviour) =>
      recut(behaviour, (page, size) => [page * size, page * size + Math.min(size, 50)]),
  },
  {
    name: 'pages-past-offset-40-empty',
    summary: 'A page that begins behind the fortieth event is empty.',
    violates: ['EVENT-PAGINATION'],
    alter: (behaviour: Behaviour) =>
      recut(behaviour, (page, size) => [page * size, page * size < 40 ? (page + 1) * size : 0]),
  },
  {
    name: 'last-event-of-full-pages-lost',
    summary: 'Where the last page is full, its last event is missing.',
    violates: ['EVENT-PAGINATION'],
    alter: (behaviour: Behaviour) =>
      recut(behaviour, (page, size, total) => [
        page * size,
        (page + 1) * size === total ? total - 1 : (page + 1) * size,
      ]),
  },
  {
    name: 'pages-by-cursor',
    summary: 'Whatever number above 0 is asked for, the page after the one given last is given.',
    violates: ['EVENT-TIME-ORDER'],
    consequences: ['EVENT-PAGE-PAST-END'],
    alter: (behaviour: Behaviour) => {
      let next = 0
      recut(behaviour, (page, size) => {
        if (page === 0) next = 0
        const start = next * size
        next += 1
        return [start, start + size]
      })
    },
  },
  {
    name: 'pages-read-ahead',
    summary: 'The page after the next one, asked for after a page, is taken for the next one.',
    violates: ['EVENT-PAGINATION'],
    alter: (behaviour: Behaviour) => {
      let last = 0
      recut(behaviour, (page, size) => {
        const given = page === last + 2 ? page - 1 : page
        last = page
        return [given * size, (given + 1) * size]
      })
    },
  },
  {
    name: 'last-page-past-the-end',
    summary: 'A page past the last one holds the events of the last.',
    violates: ['EVENT-PAGE-PAST-END'],
    alter: (behaviour: Behaviour) =>
      recut(behaviour, (page, size, total) => {
        const given = Math.min(page, Math.max(0, Math.ceil(total / size) - 1))
        return [given * size, (given + 1) * size]
      }),
  },
  {
    name: 'first-page-past-the-end',
    summary: 'A page past the last one holds the events of the first.',
    violates: ['EVENT-PAGE-PAST-END'],
    alter: (behaviour: Behaviour) =>
      recut(behaviour, (page, size, total) =>
        page * size >= total ? [0, size] : [page * size, (page + 1) * size],
      ),
  },
  {
    name: 'page-size-at-least-five',
    summary: 'A page holds five events where fewer are asked for.',
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
    summary: 'One event is skipped between a page and the next.',
    violates: ['EVENT-PAGINATION'],
    alter: (behaviour: Behaviour) =>
      recut(behaviour, (page, size) => [page * (size + 1), page * (size + 1) + size]),
  },
  {
    name: 'equal-times-unstable',
    summary: 'Events with the same timestamp change places from one request to the next.',
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
    name: 'negative-page-accepted',
    summary: 'A negative page counts as the first.',
    violates: ['EVENT-PAGINATION-MALFORMED'],
    alter: (behaviour: Behaviour) => tolerate(behaviour, /^-\d+$/, 0),
  },
  {
    name: 'page-read-as-far-as-it-is-a-number',
    summary: 'A page that begins with digits counts as these, whatever follows.',
    violates: ['EVENT-PAGINATION-MALFORMED'],
    alter: ({ hub }: Behaviour) => {
      const { parsePage } = hub
      hub.parsePage = (text) => parsePage(/^(\d+)[a-z]/.exec(text)?.[1] ?? text)
    },
  },
  {
    name: 'page-text-accepted',
    summary: 'A page that is no number counts as the first.',
    violates: ['EVENT-PAGINATION-MALFORMED'],
    alter: (behaviour: Behaviour) => tolerate(behaviour, /[^\d-]/, 0),
  },
  {
    name: 'page-size-text-accepted',
    summary: 'A pageSize that is no number counts as 10.',
    violates: ['EVENT-PAGINATION-MALFORMED'],
    alter: ({ hub }: Behaviour) => {
      const { parsePageSize } = hub
      hub.parsePageSize = (text) => (parseCount(text) === undefined ? 10 : parsePageSize(text))
    },
  },
]

export const eventPageFaults = withFace('hub', paging)
