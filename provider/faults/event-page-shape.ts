import { type Behaviour, withFace } from '../behaviour.ts'
import { fieldsOf } from '../http.ts'

/** Members of a page that are not as they have to be. */
export const eventPageShapeFaults = withFace('hub', [
  {
    name: 'page-total-as-text',
    summary: 'The total of a page is a string.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.answers.push((answer) => {
        const fields = fieldsOf(answer)
        if (answer.status === 200 && fields) fields.total = String(fields.total)
      }),
  },
  {
    name: 'page-number-missing',
    summary: 'A page does not say which one it is.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.answers.push((answer) => {
        if (answer.status === 200) delete fieldsOf(answer)?.page
      }),
  },
  {
    name: 'page-items-by-id',
    summary: 'The items of a page are an object with the ids as names.',
    violates: ['EVENT-PAGE-SHAPE'],
    alter: ({ hub }: Behaviour) =>
      hub.answers.push((answer) => {
        const fields = fieldsOf(answer)
        if (!Array.isArray(fields?.items)) return
        fields.items = Object.fromEntries(fields.items.map((item) => [item.id, item]))
      }),
  },
])
