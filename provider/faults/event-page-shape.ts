import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { fieldsOf } from '../http.ts'

/** Missing and malformed members of a page. */
export const eventPageShapeFaults = withSurface('hub', [
  {
    name: 'page-total-as-text',
    summary: 'The total of a page is a string.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        const fields = fieldsOf(response)
        if (response.status === 200 && fields) fields.total = String(fields.total)
      }),
  },
  {
    name: 'page-number-missing',
    summary: 'A page has no page number.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        if (response.status === 200) delete fieldsOf(response)?.page
      }),
  },
  {
    name: 'page-items-by-id',
    summary: 'The items of a page are an object with the ids as member names.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        const fields = fieldsOf(response)
        if (!Array.isArray(fields?.items)) return
        fields.items = Object.fromEntries(fields.items.map((item) => [item.id, item]))
      }),
  },
])
