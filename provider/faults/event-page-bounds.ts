import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { fieldsOf } from '../http.ts'
import { editPage, replaceBounds } from './event-pages.ts'

/** Edits pageSize in the response; the page itself stays as requested. */
function statePageSize(edit: (pageSize: number, items: number, total: number) => number): Alter {
  return editPage((page) => ({ ...page, pageSize: edit(page.pageSize, page.items.length, page.total) }))
}

/** Wrong pages at and past the end, and wrong pageSize in responses. */
export const eventPageBoundFaults = withSurface('hub', [
  {
    name: 'last-page-past-the-end',
    summary: 'A page past the last one returns the events of the last page.',
    violates: ['EVENT-PAGE-PAST-END'],
    alter: replaceBounds((page, size, total) => {
      const given = Math.min(page, Math.max(0, Math.ceil(total / size) - 1))
      return [given * size, (given + 1) * size]
    }),
  },
  {
    name: 'first-page-past-the-end',
    summary: 'A page past the last one returns the events of the first page.',
    violates: ['EVENT-PAGE-PAST-END'],
    alter: replaceBounds((page, size, total) =>
      page * size >= total ? [0, size] : [page * size, (page + 1) * size],
    ),
  },
  {
    name: 'last-page-returned-once-more',
    summary: 'The page after the last one returns the last events; pages further on are empty.',
    violates: ['EVENT-PAGE-PAST-END'],
    alter: replaceBounds((page, size, total) =>
      page === Math.ceil(total / size) ? [total - size, total] : [page * size, (page + 1) * size],
    ),
  },
  {
    name: 'full-last-page-returned-once-more',
    summary: 'After a last page that is full, the next page returns its last event once more.',
    violates: ['EVENT-PAGE-PAST-END'],
    alter: replaceBounds((page, size, total) =>
      page * size === total ? [total - 1, total] : [page * size, (page + 1) * size],
    ),
  },
  {
    name: 'empty-page-items-null',
    summary: 'The items of a page without events are null.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        const fields = fieldsOf(response)
        if (response.status === 200 && Array.isArray(fields?.items) && fields.items.length === 0)
          fields.items = null
      }),
  },
  {
    name: 'page-past-end-items-null',
    summary: 'The items of a page past the last one are null.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        const fields = fieldsOf(response)
        if (response.status === 200 && fields && Number(fields.page) > 0 && String(fields.items) === '')
          fields.items = null
      }),
  },
  {
    name: 'page-size-of-the-items',
    summary: 'pageSize in a response is the number of its items.',
    violates: ['EVENT-PAGE-SIZE-STATED'],
    alter: statePageSize((_, items) => items),
  },
  {
    name: 'page-size-of-few-events',
    summary: 'pageSize in a response is the total if that is smaller than the requested pageSize.',
    violates: ['EVENT-PAGE-SIZE-STATED'],
    alter: statePageSize((pageSize, _, total) => Math.min(pageSize, total)),
  },
  {
    name: 'page-size-stated-at-least-ten',
    summary: 'pageSize in a response is 10 for a smaller one in the request.',
    violates: ['EVENT-PAGE-SIZE-STATED'],
    alter: statePageSize((pageSize) => Math.max(pageSize, 10)),
  },
])
