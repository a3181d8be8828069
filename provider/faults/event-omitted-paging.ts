import { type Alter, withSurface } from '../alteration.ts'
import type { HttpRequest } from '../http.ts'
import { badRequest } from '../hub/errors.ts'

type RequestTest = (request: HttpRequest) => boolean

const withoutPaging: RequestTest = ({ query }) => !query.has('page') && !query.has('pageSize')
const withSizeAlone: RequestTest = ({ query }) => !query.has('page') && query.has('pageSize')

function refuse(matches: RequestTest): Alter {
  return ({ hub }) =>
    hub.responses.push((response, request) => {
      if (response.status === 200 && matches(request)) Object.assign(response, badRequest('page is missing'))
    })
}

/** Returns a function that reports whether the current search matches. */
function watch({ hub }: Parameters<Alter>[0], matches: RequestTest): () => boolean {
  let isMatch = false
  hub.interceptors.push((request) => {
    isMatch = matches(request)
    return undefined
  })
  return () => isMatch
}

/**
 * Returns all events at once for searches without paging.
 * @param statedSize `pageSize` of the response; by default total
 */
function returnAll(statedSize?: number): Alter {
  return (behaviour) => {
    const { hub } = behaviour
    const isMatch = watch(behaviour, withoutPaging)
    const { paginate } = hub
    hub.paginate = (ordered, paging) => {
      if (!isMatch()) return paginate(ordered, paging)
      const total = ordered.length
      return { page: 0, pageSize: statedSize ?? total, total, items: ordered }
    }
  }
}

/** Violations in the responses to searches that omit `page` or `pageSize`. */
export const eventOmittedParameterFaults = withSurface('hub', [
  {
    name: 'all-events-without-page-and-page-size',
    summary: 'Returns all events of a window if `page` and `pageSize` are absent.',
    violates: ['EVENT-PAGE-SIZE-DEFAULT'],
    alter: returnAll(),
  },
  {
    name: 'all-events-called-ten-without-page-and-page-size',
    summary: 'Returns all events of a window and a `pageSize` of 10 if `page` and `pageSize` are absent.',
    violates: ['EVENT-PAGE-SIZE-DEFAULT'],
    alter: returnAll(10),
  },
  {
    name: 'page-one-without-page-and-page-size',
    summary: 'Returns page 1 for a search without `page` and `pageSize`.',
    violates: ['EVENT-PAGE-DEFAULT'],
    alter: (behaviour) => {
      const { hub } = behaviour
      const isMatch = watch(behaviour, withoutPaging)
      const { paginate } = hub
      hub.paginate = (ordered, paging) => paginate(ordered, isMatch() ? { ...paging, page: 1 } : paging)
    },
  },
  {
    name: 'searches-without-page-and-page-size-refused',
    summary: 'Returns 400 for a search without `page` and `pageSize`.',
    violates: ['EVENT-PAGE-DEFAULT'],
    alter: refuse(withoutPaging),
  },
  {
    name: 'page-size-without-page-refused',
    summary: 'Returns 400 for a search with `pageSize` and without `page`.',
    violates: ['EVENT-PAGE-DEFAULT'],
    alter: refuse(withSizeAlone),
  },
  {
    name: 'zulu-times-accepted-without-page-and-page-size',
    summary: 'Accepts times with a trailing Z if `page` and `pageSize` are absent.',
    violates: ['EVENT-TIME-Z-REJECTED'],
    alter: (behaviour) => {
      const { hub } = behaviour
      const isMatch = watch(behaviour, withoutPaging)
      const { parseTime } = hub
      hub.parseTime = (text, parameter) => parseTime(isMatch() ? text.replace(/Z$/, '') : text, parameter)
    },
  },
])
