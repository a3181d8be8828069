import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editPage } from '../edits.ts'
import { fieldsOf } from '../http.ts'
import type { ResultPage } from '../hub/behaviour.ts'

/** Edits pages with space for more events. @param edit receives the page, and the last event of the previous page */
function fillRoom(edit: (page: ResultPage, before: ResultPage['items'][number] | undefined) => void) {
  return ({ hub }: Behaviour) => {
    const { paginate } = hub
    hub.paginate = (ordered, paging) => {
      const page = paginate(ordered, paging)
      if (page.items.length > 0 && page.items.length < page.pageSize)
        edit(page, ordered[page.page * page.pageSize - 1])
      return page
    }
  }
}

const counted = [
  'EVENT-PAGINATION',
  'EVENT-TOTAL',
  'EVENT-TIME-ORDER',
  'EVENT-WINDOWS-ADJACENT',
  'EVENT-ID-STABLE',
]
const malformed = 'Which integers are malformed as a page or pageSize is not specified.'

/** Lawful pages of a search result. */
export const eventPageVariants = withSurface('hub', [
  {
    name: 'page-border-event-repeated',
    summary:
      'Repeats the last event of the previous page on a last page that is not full; `total` counts it once.',
    concerns: counted,
    unspecified: 'An event may be delivered more than once; how total counts it is not specified.',
    mustPass: counted,
    alter: fillRoom((page, before) => {
      if (before) page.items = [before, ...page.items]
    }),
  },
  {
    name: 'duplicates-counted-once',
    summary: 'Returns the last event of a page twice if the page is not full; `total` counts it once.',
    concerns: counted,
    unspecified: 'An event may be delivered more than once; how total counts it is not specified.',
    mustPass: counted,
    alter: fillRoom((page) => {
      page.items = [...page.items, ...page.items.slice(-1)]
    }),
  },
  {
    name: 'page-with-more-members',
    summary: 'Adds undocumented members to pages of a search result.',
    concerns: ['EVENT-SEARCH', 'EVENT-PAGE-SHAPE', 'EVENT-PAGINATION'],
    unspecified: 'Additional members are not excluded.',
    mustPass: ['EVENT-SEARCH', 'EVENT-PAGE-SHAPE', 'EVENT-PAGINATION'],
    alter: editPage((page) => Object.assign(page, { hasMore: false, totalPages: 3, links: { next: null } })),
  },
  {
    name: 'page-as-206',
    summary: 'Returns 206 for a search if there are more pages.',
    concerns: ['EVENT-SEARCH', 'EVENT-PAGE-SHAPE', 'EVENT-PAGINATION', 'EVENT-WINDOW-FULL-DAY'],
    unspecified: 'The status of the response to a valid search is not specified.',
    mustPass: ['EVENT-SEARCH', 'EVENT-PAGE-SHAPE', 'EVENT-PAGINATION', 'EVENT-WINDOW-FULL-DAY'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        const { page, pageSize, total } = fieldsOf(response) ?? {}
        if (response.status === 200 && (Number(page) + 1) * Number(pageSize) < Number(total))
          response.status = 206
      }),
  },
  {
    name: 'negative-page-read-as-0',
    summary: 'Interprets a negative `page` as 0.',
    concerns: ['EVENT-PAGINATION-NEGATIVE', 'EVENT-PAGINATION-MALFORMED'],
    unspecified: malformed,
    alter: ({ hub }: Behaviour) => {
      const { parsePage } = hub
      hub.parsePage = (text) => (/^-\d+$/.test(text) ? 0 : parsePage(text))
    },
  },
  {
    name: 'negative-page-size-read-as-10',
    summary: 'Interprets a negative `pageSize` as the default.',
    concerns: ['EVENT-PAGINATION-NEGATIVE', 'EVENT-PAGINATION-MALFORMED'],
    unspecified: malformed,
    alter: ({ hub }: Behaviour) => {
      const { parsePageSize } = hub
      hub.parsePageSize = (text) => (/^-\d+$/.test(text) ? 10 : parsePageSize(text))
    },
  },
  {
    name: 'empty-page-as-default',
    summary: 'Interprets an empty `page` or `pageSize` as absent.',
    concerns: ['EVENT-PAGINATION-NOTATIONS', 'EVENT-PAGINATION-MALFORMED'],
    unspecified: 'Whether an empty value is absent or malformed is not specified.',
    alter: ({ hub }: Behaviour) => {
      const { parsePage, parsePageSize } = hub
      hub.parsePage = (text) => (text === '' ? hub.defaultPage : parsePage(text))
      hub.parsePageSize = (text) => (text === '' ? hub.defaultPageSize : parsePageSize(text))
    },
  },
  {
    name: 'page-in-any-notation',
    summary: 'Accepts integers in any notation as `page` or `pageSize`, such as +1, 1.0 or 1e1.',
    concerns: ['EVENT-PAGINATION-NOTATIONS', 'EVENT-PAGINATION-MALFORMED'],
    unspecified: 'The notation of an integer is not specified.',
    alter: ({ hub }: Behaviour) => {
      const { parsePage, parsePageSize } = hub
      const plain = (text: string) =>
        text !== '' && Number.isInteger(Number(text)) ? `${Number(text)}` : text
      hub.parsePage = (text) => parsePage(plain(text))
      hub.parsePageSize = (text) => parsePageSize(plain(text))
    },
  },
  {
    name: 'page-size-under-5-refused',
    summary: 'Returns 400 for a `pageSize` below 5.',
    concerns: ['EVENT-SEARCH', 'EVENT-PAGE-SIZE-MAXIMUM'],
    unspecified: 'The minimum pageSize is not specified.',
    mustPass: ['EVENT-SEARCH', 'EVENT-PAGE-SIZE-MAXIMUM', 'EVENT-PAGINATION'],
    alter: ({ hub }: Behaviour) => {
      const { parsePageSize } = hub
      hub.parsePageSize = (text) => {
        const size = parsePageSize(text)
        return size !== undefined && size >= 5 ? size : undefined
      }
    },
  },
])
