import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editPage, replaceBounds } from '../edits.ts'
import { fieldsOf } from '../http.ts'

/** Edits only the `pageSize` of a page, not its events. */
function statePageSize(edit: (pageSize: number, items: number, total: number) => number): Alter {
  return editPage((page) => ({ ...page, pageSize: edit(page.pageSize, page.items.length, page.total) }))
}

/** Wrong pages at and after the end, and wrong `pageSize` in responses. */
export const eventPageBoundFaults = withSurface('hub', [
  {
    name: 'last-page-past-the-end',
    summary: 'Returns the events of the last page for a page past the last one.',
    violates: ['EVENT-PAGE-PAST-END'],
    alter: replaceBounds((page, size, total) => {
      const given = Math.min(page, Math.max(0, Math.ceil(total / size) - 1))
      return [given * size, (given + 1) * size]
    }),
  },
  {
    name: 'first-page-past-the-end',
    summary: 'Returns the events of the first page for a page past the last one.',
    violates: ['EVENT-PAGE-PAST-END'],
    alter: replaceBounds((page, size, total) =>
      page * size >= total ? [0, size] : [page * size, (page + 1) * size],
    ),
  },
  {
    name: 'last-page-returned-once-more',
    summary: 'Repeats the last events on the page after the last page; later pages are empty.',
    violates: ['EVENT-PAGE-PAST-END'],
    alter: replaceBounds((page, size, total) =>
      page === Math.ceil(total / size) ? [total - size, total] : [page * size, (page + 1) * size],
    ),
  },
  {
    name: 'full-last-page-returned-once-more',
    summary: 'Repeats the last event on the page after a full last page.',
    violates: ['EVENT-PAGE-PAST-END'],
    alter: replaceBounds((page, size, total) =>
      page * size === total ? [total - 1, total] : [page * size, (page + 1) * size],
    ),
  },
  {
    name: 'empty-page-items-null',
    summary: 'Returns `null` as the `items` of a page without events.',
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
    summary: 'Returns `null` as the `items` of a page past the last one.',
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
    summary: 'Returns the number of items as `pageSize`.',
    violates: ['EVENT-PAGE-SIZE-STATED'],
    alter: statePageSize((_, items) => items),
  },
  {
    name: 'page-size-of-few-events',
    summary: 'Returns `total` as `pageSize` if `total` is smaller than the requested `pageSize`.',
    violates: ['EVENT-PAGE-SIZE-STATED'],
    alter: statePageSize((pageSize, _, total) => Math.min(pageSize, total)),
  },
  {
    name: 'page-size-stated-at-least-ten',
    summary: 'Returns a `pageSize` of 10 for a smaller requested `pageSize`.',
    violates: ['EVENT-PAGE-SIZE-STATED'],
    alter: statePageSize((pageSize) => Math.max(pageSize, 10)),
  },
])
