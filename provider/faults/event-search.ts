import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { fieldsOf, type HttpRequest, type HttpResponse, jsonResponse } from '../http.ts'
import { badRequest, methodNotAllowed, notFound } from '../hub/errors.ts'
import type { StoredEvent } from '../hub/events.ts'

const HOUR = 3_600_000

function refuseSearches(matches: (request: HttpRequest) => boolean, message: string): Alter {
  return ({ hub }) =>
    hub.responses.push((response, request) => {
      if (response.status === 200 && matches(request)) Object.assign(response, badRequest(message))
    })
}

function refuseWith422(matches: (query: URLSearchParams) => boolean): Alter {
  return ({ hub }) =>
    hub.responses.push((response, { query }) => {
      if (response.status === 400 && matches(query)) response.status = 422
    })
}

function widthOf(query: URLSearchParams): number {
  return Date.parse(`${query.get('to')}Z`) - Date.parse(`${query.get('from')}Z`)
}

function respondToEmptyWindows(answer: () => HttpResponse): Alter {
  return ({ hub }) =>
    hub.responses.push((response) => {
      if (response.status === 200 && fieldsOf(response)?.total === 0) Object.assign(response, answer())
    })
}

/** Omits events that are older than some hours, by the hub's local time. */
function omitOlderThan(hours: number): Alter {
  return ({ hub }) => {
    let present = 0
    hub.arrivals.push((_, local) => {
      present = local
      return []
    })
    hub.order = (ascending) => ascending.filter(({ local }) => local > present - hours * HOUR)
  }
}

/** Emits an event at each nth search. */
function emitWithEachSearch(type: string, nth = 1): Alter {
  return (behaviour) => {
    // Events for every third search resemble events of users. A slow pace tells them apart, even on a slow machine.
    slowRunsDown(behaviour, nth === 1 ? 60 : 10)
    behaviour.hub.arrivals.push((searches, local) => {
      if (searches % nth > 0) return []
      const payload = { changedClaims: [] }
      return [
        { id: `evt-search-${searches}`, local, type, version: '1', application: 'partner-hub', payload },
      ]
    })
  }
}

/** Sets the pace of runs: at higher rates, event times cannot distinguish searches within a few milliseconds. */
function slowRunsDown({ variables }: Behaviour, requestsPerSecond = 60): void {
  variables.REQUESTS_PER_SECOND = String(requestsPerSecond)
}

/** Emits an event for each search that returns the first page. */
function emitWithFirstPage(behaviour: Behaviour): void {
  const { hub } = behaviour
  slowRunsDown(behaviour)
  const emitted: StoredEvent[] = []
  let local = 0
  let serial = 0
  hub.responses.push((response, { query }) => {
    if (response.status !== 200 || Number(query.get('page')) > 0) return
    serial += 1
    const payload = { changedClaims: [] }
    emitted.push({ id: `evt-query-${serial}`, local, type: 'events.queried', version: '1', payload })
  })
  hub.arrivals.push((_, now) => {
    local = now
    return emitted.splice(0)
  })
}

/** Emits an event for each search that is refused as malformed. */
function emitWithRejection(behaviour: Behaviour): void {
  const { hub } = behaviour
  slowRunsDown(behaviour)
  const emitted: StoredEvent[] = []
  let local = 0
  let serial = 0
  hub.arrivals.push((_, now) => {
    local = now
    return emitted.splice(0)
  })
  hub.responses.push((response) => {
    if (response.status !== 400) return
    serial += 1
    const payload = { changedClaims: [] }
    emitted.push({ id: `evt-rejected-${serial}`, local, type: 'search.rejected', version: '1', payload })
  })
}

/** Valid searches that are refused, and events that searches emit. */
export const eventSearchFaults = withSurface('hub', [
  {
    name: 'undocumented-parameter-required',
    summary: 'Returns 400 for a search without the undocumented parameter `sort`.',
    violates: ['EVENT-SEARCH'],
    alter: refuseSearches(({ query }) => !query.has('sort'), 'sort is missing'),
  },
  {
    name: 'paging-parameters-refused',
    summary: 'Returns 400 for a search with `page` or `pageSize`.',
    violates: ['EVENT-SEARCH'],
    alter: refuseSearches(({ query }) => query.has('page') || query.has('pageSize'), 'unknown parameter'),
  },
  {
    name: 'later-pages-refused',
    summary: 'Returns 400 for a search with a `page` above 0.',
    violates: ['EVENT-SEARCH'],
    alter: refuseSearches(({ query }) => Number(query.get('page')) > 0, 'page is not supported'),
  },
  {
    name: 'windows-without-events-not-found',
    summary: 'Returns 404 for a window without events.',
    violates: ['EVENT-SEARCH'],
    alter: respondToEmptyWindows(() => notFound('event')),
  },
  {
    name: 'windows-without-events-refused',
    summary: 'Returns 400 for a window without events.',
    violates: ['EVENT-SEARCH'],
    alter: respondToEmptyWindows(() => badRequest('There are no events.')),
  },
  {
    name: 'windows-without-events-without-content',
    summary: 'Returns 204 without a body for a window without events.',
    violates: ['EVENT-SEARCH'],
    alter: respondToEmptyWindows(() => ({ status: 204, headers: {}, body: '' })),
  },
  {
    name: 'forgotten-events-not-found',
    summary: 'Forgets events after 12 hours, and returns 404 for a window without events.',
    violates: ['EVENT-SEARCH'],
    alter: (behaviour) => {
      omitOlderThan(12)(behaviour)
      respondToEmptyWindows(() => notFound('event'))(behaviour)
    },
  },
  {
    name: 'distant-pages-refused',
    summary: 'Returns 400 for a `page` above 5.',
    violates: ['EVENT-SEARCH'],
    alter: refuseSearches(({ query }) => Number(query.get('page')) > 5, 'page is too large'),
  },
  {
    name: 'invalid-searches-with-422',
    summary: 'Refuses every invalid search with 422 instead of 400.',
    violates: [
      'EVENT-FROM-REQUIRED',
      'EVENT-TO-REQUIRED',
      'EVENT-WINDOW-LIMIT',
      'EVENT-PAGINATION-MALFORMED',
      'EVENT-TIME-INVALID',
      'EVENT-TIME-OFFSET-REJECTED',
      'EVENT-TIME-Z-REJECTED',
    ],
    alter: refuseWith422(() => true),
  },
  ...(
    [
      ['missing-from', 'EVENT-FROM-REQUIRED', 'a search without `from`', (query) => !query.has('from')],
      [
        'missing-to-alone',
        'EVENT-TO-REQUIRED',
        'a search with `from` and without `to`',
        (query) => query.has('from') && !query.has('to'),
      ],
      [
        'wide-window',
        'EVENT-WINDOW-LIMIT',
        'a window that is too wide',
        (query) => widthOf(query) > 24 * HOUR,
      ],
      [
        'letters-as-page',
        'EVENT-PAGINATION-MALFORMED',
        'a `page` or `pageSize` of letters',
        (query) => /[a-z]/i.test(`${query.get('page') ?? ''}${query.get('pageSize') ?? ''}`),
      ],
      ['zulu-time', 'EVENT-TIME-Z-REJECTED', 'a time with a trailing Z', (query) => /Z/.test(`${query}`)],
    ] as const satisfies (readonly [string, string, string, (query: URLSearchParams) => boolean])[]
  ).map(([name, id, what, matches]) => ({
    name: `${name}-with-422`,
    summary: `Refuses ${what} with 422 instead of 400.`,
    violates: [id],
    alter: refuseWith422(matches),
  })),
  {
    name: 'short-windows-refused',
    summary: 'Returns 400 for a window shorter than an hour.',
    violates: ['EVENT-SEARCH'],
    alter: ({ hub }: Behaviour) => {
      const { tooWide } = hub
      hub.tooWide = (milliseconds, range, paging) =>
        milliseconds < HOUR || tooWide(milliseconds, range, paging)
    },
  },
  {
    name: 'short-windows-forbidden',
    summary: 'Returns 403 for a window shorter than an hour.',
    violates: ['EVENT-SEARCH'],
    alter: ({ hub }: Behaviour) => {
      let short = false
      hub.effectiveRange = (range) => {
        short = range.to - range.from < HOUR
        return range
      }
      hub.responses.push((response) => {
        if (short && response.status === 200)
          Object.assign(response, jsonResponse(403, { error: 'forbidden' }))
      })
    },
  },
  {
    name: 'search-result-as-csv',
    summary: 'Returns CSV for a search.',
    violates: ['EVENT-SEARCH'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        if (response.status !== 200) return
        response.headers['content-type'] = 'text/csv'
        response.body = 'id,timestamp,type,version\n'
      }),
  },
  {
    name: 'search-result-in-latin-1',
    summary: 'Returns events in Latin-1, with non-ASCII characters in their payload (the city of a user).',
    violates: ['EVENT-SEARCH'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        const { items, ...page } = fieldsOf(response) ?? {}
        if (response.status !== 200 || !Array.isArray(items)) return
        const payload = { changedClaims: ['address'], city: '\u00c5' }
        const body = JSON.stringify({ ...page, items: items.map((event) => ({ ...event, payload })) })
        response.body = Buffer.from(body, 'latin1')
      }),
  },
  {
    name: 'search-by-get-not-allowed',
    summary: 'Returns 405 for a valid search by GET.',
    violates: ['EVENT-SEARCH'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        if (response.status === 200) Object.assign(response, methodNotAllowed('POST'))
      }),
  },
  {
    name: 'search-emits-audit-event',
    summary: 'Emits an event of the type `events.searched` for every search.',
    violates: ['EVENT-SEARCH-EMITS-NOTHING'],
    alter: emitWithEachSearch('events.searched'),
  },
  {
    name: 'every-third-search-emits-event',
    summary: 'Emits an event of the type `events.searched` for every third search.',
    violates: ['EVENT-SEARCH-EMITS-NOTHING'],
    alter: emitWithEachSearch('events.searched', 3),
  },
  {
    name: 'search-emits-event-with-first-page',
    summary: 'Emits an event for every search that returns the first page.',
    violates: ['EVENT-SEARCH-EMITS-NOTHING'],
    alter: emitWithFirstPage,
  },
  {
    name: 'rejected-search-emits-event',
    summary: 'Emits an event for every search that is refused as malformed.',
    violates: ['EVENT-SEARCH-EMITS-NOTHING'],
    alter: emitWithRejection,
  },
  {
    name: 'search-emits-claim-change',
    summary: 'Emits a `ClaimValuesChanged` event without claim names for every search.',
    violates: ['EVENT-SEARCH-EMITS-NOTHING'],
    alter: emitWithEachSearch('ClaimValuesChanged'),
  },
])
