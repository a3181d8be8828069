import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { fieldsOf } from '../http.ts'

/** Missing and malformed members of a page. */
export const eventPageShapeFaults = withSurface('hub', [
  {
    name: 'page-total-as-text',
    summary: 'Returns the `total` of a page as a string.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        const fields = fieldsOf(response)
        if (response.status === 200 && fields) fields.total = String(fields.total)
      }),
  },
  {
    name: 'page-number-missing',
    summary: 'Omits `page` from search responses.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        if (response.status === 200) delete fieldsOf(response)?.page
      }),
  },
  {
    name: 'page-items-by-id',
    summary: 'Returns `items` as an object with event ids as member names.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        const fields = fieldsOf(response)
        if (!Array.isArray(fields?.items)) return
        fields.items = Object.fromEntries(fields.items.map((item) => [item.id, item]))
      }),
  },
])
