import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { fieldsOf, type HttpResponse, htmlResponse, jsonResponse } from '../http.ts'
import { wallClock } from '../hub/local-time.ts'
import { WITHOUT_SEARCH } from './inconclusive.ts'

function editErrors(edit: (response: HttpResponse) => void): Alter {
  return ({ hub }) =>
    hub.responses.push((response) => {
      if (response.status >= 400) edit(response)
    })
}

const claimChangeRequirements = [
  'EVENT-CLAIM-CHANGE-EMITTED',
  'EVENT-SUBSCRIBER',
  'EVENT-TIMESTAMP-GENERATED',
]

const refusedSearches = [
  'EVENT-TIME-Z-REJECTED',
  'EVENT-TIME-OFFSET-REJECTED',
  'EVENT-TIME-INVALID',
  'EVENT-WINDOW-LIMIT',
  'EVENT-PAGINATION-MALFORMED',
]

const errorBodies = [
  {
    name: 'search-errors-as-html',
    summary: 'Returns an HTML page for a refused search.',
    alter: editErrors((response) => {
      Object.assign(
        response,
        htmlResponse(response.status, '<!doctype html><title>Error</title><h1>Error</h1>'),
      )
    }),
  },
  {
    name: 'search-errors-as-problem',
    summary: 'Returns `application/problem+json` for a refused search.',
    alter: editErrors((response) => {
      response.headers['content-type'] = 'application/problem+json'
      response.body = { type: 'about:blank', title: 'The search was refused', status: response.status }
    }),
  },
  {
    name: 'search-errors-mention-limits',
    summary: 'Refers to the rate limits and a quota in the body of a refused search.',
    alter: editErrors((response) => {
      response.body = {
        status: response.status,
        message: 'The window quota is 24 hours. Repeated failures are throttled.',
        documentation: 'https://developer.invalid/event-hub/search#rate-limit-exceeded',
      }
    }),
  },
  {
    name: 'search-errors-about-quota',
    summary: 'States an exceeded quota in the body of a refused search.',
    alter: editErrors((response) => {
      response.body = {
        status: response.status,
        message: 'Search quota exceeded: at most 24 hours per search.',
      }
    }),
  },
  {
    name: 'search-errors-empty',
    summary: 'Returns no body for a refused search.',
    alter: editErrors((response) => {
      delete response.headers['content-type']
      response.body = ''
    }),
  },
].map((variant) => ({
  ...variant,
  concerns: refusedSearches,
  unspecified: 'The body of search errors is not specified.',
}))

export const eventRefusalVariants = withSurface('hub', [
  {
    name: 'page-past-end-refused',
    summary: 'Returns 400 for a page past the last one.',
    concerns: ['EVENT-PAGE-PAST-END'],
    unspecified: 'The response for a page past the last one is not specified.',
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        const { page, pageSize, total } = fieldsOf(response) ?? {}
        if (response.status === 200 && Number(page) > 0 && Number(page) * Number(pageSize) >= Number(total)) {
          Object.assign(
            response,
            jsonResponse(400, { type: 'BAD_REQUEST', message: 'There is no such page.' }),
          )
        }
      }),
  },
  {
    name: 'page-past-end-without-counts',
    summary: 'Returns 0 as `page`, `pageSize` and `total` of a page past the last one.',
    concerns: ['EVENT-PAGE-PAST-END', 'EVENT-TOTAL', 'EVENT-PAGE-NUMBER', 'EVENT-PAGE-SIZE-STATED'],
    unspecified: 'The response for a page past the last one is not specified.',
    mustPass: ['EVENT-PAGE-PAST-END', 'EVENT-TOTAL', 'EVENT-PAGE-NUMBER', 'EVENT-PAGE-SIZE-STATED'],
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        const fields = fieldsOf(response)
        if (response.status !== 200 || !fields || !Array.isArray(fields.items)) return
        if (Number(fields.page) > 0 && fields.items.length === 0)
          Object.assign(fields, { page: 0, pageSize: 0, total: 0 })
      }),
  },
  {
    name: 'end-in-the-future-refused',
    summary: 'Returns 400 for a window that ends in the future.',
    concerns: ['EVENT-SEARCH-EMITS-NOTHING', ...claimChangeRequirements],
    unspecified: 'Whether a window may end in the future is not specified.',
    mustPass: ['EVENT-SEARCH-EMITS-NOTHING', ...claimChangeRequirements],
    alter: ({ hub }: Behaviour) => {
      const { parseTime } = hub
      let present = Number.POSITIVE_INFINITY
      const toLocal = wallClock(hub.zone)
      hub.interceptors.push(({ at }) => {
        present = toLocal(at)
        return undefined
      })
      hub.parseTime = (text, parameter) => {
        const time = parseTime(text, parameter)
        return parameter === 'to' && time !== undefined && time > present ? undefined : time
      }
    },
  },
  {
    name: 'empty-windows-refused',
    summary: 'Returns 400 for a window that ends where it begins.',
    concerns: ['EVENT-WINDOW-EMPTY'],
    unspecified: 'Whether from may equal to is not specified.',
    alter: ({ hub }: Behaviour) => {
      const { tooWide } = hub
      hub.tooWide = (milliseconds, range, paging) =>
        milliseconds === 0 || tooWide(milliseconds, range, paging)
    },
  },
  {
    name: 'swapped-bounds-find-nothing',
    summary: 'Returns an empty page if `from` is after `to`.',
    concerns: ['EVENT-WINDOW-EMPTY', 'EVENT-WINDOW-RESPECTED'],
    unspecified: 'Whether from may be after to is not specified.',
    mustPass: ['EVENT-WINDOW-RESPECTED'],
    alter: ({ hub }: Behaviour) =>
      hub.interceptors.push(({ query }) => {
        const from = query.get('from') ?? ''
        const [begins, ends] = [hub.parseTime(from, 'from'), hub.parseTime(query.get('to') ?? '', 'to')]
        if (begins !== undefined && ends !== undefined && begins > ends) query.set('to', from)
        return undefined
      }),
  },
  {
    name: 'page-size-zero-counts-events',
    summary: 'Returns `total` without items for a `pageSize` of 0.',
    concerns: ['EVENT-PAGE-SIZE-ZERO', 'EVENT-PAGINATION-MALFORMED'],
    unspecified: 'Whether a pageSize of 0 is malformed is not specified.',
    alter: ({ hub }: Behaviour) => {
      const { parsePageSize } = hub
      hub.parsePageSize = (text) => (text === '0' ? 0 : parsePageSize(text))
    },
  },
  {
    name: 'small-z-accepted',
    summary: 'Accepts a time with a trailing lower-case z.',
    concerns: ['EVENT-TIME-FORMS', 'EVENT-TIME-Z-REJECTED'],
    unspecified: 'Only the upper-case Z is mentioned.',
    alter: ({ hub }: Behaviour) => {
      const { parseTime } = hub
      hub.parseTime = (text, parameter) => parseTime(text.replace(/z$/, ''), parameter)
    },
  },
  {
    name: 'space-in-place-of-t-accepted',
    summary: 'Accepts a time with a space between date and time.',
    concerns: ['EVENT-TIME-FORMS', 'EVENT-TIME-INVALID'],
    unspecified: 'The accepted forms of a local date-time are not specified.',
    alter: ({ hub }: Behaviour) => {
      const { parseTime } = hub
      hub.parseTime = (text, parameter) => parseTime(text.replace(' ', 'T'), parameter)
    },
  },
  {
    name: 'milliseconds-demanded',
    summary: 'Rejects a time without milliseconds.',
    concerns: ['EVENT-TIME-FORMS'],
    unspecified: 'The accepted forms of an ISO local date-time are not specified.',
    alter: ({ hub }: Behaviour) => {
      const { parseTime } = hub
      hub.parseTime = (text, parameter) => (/\.\d{3}$/.test(text) ? parseTime(text, parameter) : undefined)
    },
  },
  {
    name: 'refusals-like-a-page',
    summary:
      'Returns a JSON body with members of pages and events, such as `total` and `id`, for a refused search.',
    concerns: ['EVENT-CREDENTIALS-REQUIRED', 'EVENT-WINDOW-LIMIT', 'EVENT-REFUSAL-BODY'],
    unspecified: 'The body of search errors is not specified.',
    alter: editErrors((response) => {
      response.body = {
        id: 'error-1',
        type: 'BAD_REQUEST',
        timestamp: '2026-01-01T00:00:00',
        total: 1,
        items: [{ field: 'search', message: 'The search was refused.' }],
      }
    }),
  },
  {
    name: 'refusals-in-an-envelope',
    summary:
      'Returns the envelope of an event, with the reason as its payload, as the body of a refused search.',
    concerns: ['EVENT-CREDENTIALS-REQUIRED', 'EVENT-FROM-REQUIRED', 'EVENT-TO-REQUIRED', ...refusedSearches],
    unspecified: 'The body of search errors is not specified.',
    mustPass: ['EVENT-CREDENTIALS-REQUIRED', 'EVENT-FROM-REQUIRED', 'EVENT-TO-REQUIRED', ...refusedSearches],
    alter: editErrors((response) => {
      response.body = {
        id: 'error-1',
        timestamp: '2026-01-01T00:00:00.000',
        type: 'SearchRefused',
        version: '1',
        payload: { reason: 'The search was refused.' },
      }
    }),
  },
  ...errorBodies,
  {
    name: 'unentitled-plain-403',
    summary:
      'Returns 403 without FEATURE_DISABLED in the body for a search by a partner without the Event Hub.',
    concerns: [
      'EVENT-UNENTITLED',
      'PLATFORM-FEATURE-DISABLED',
      'PLATFORM-FEATURE-DISABLED-TYPE',
      'PLATFORM-FEATURE-DISABLED-MESSAGE',
    ],
    unspecified: 'The body of this 403 is not specified.',
    alter: ({ hub }: Behaviour) => {
      hub.unentitled = () => jsonResponse(403, { error: 'forbidden' })
    },
  },
  {
    name: 'bad-partner-credentials-403',
    summary: 'Refuses wrong or missing partner credentials with 403.',
    concerns: [
      'EVENT-CREDENTIALS-REQUIRED',
      'EVENT-SECRET-REQUIRED',
      'EVENT-CLIENT-ID-REQUIRED',
      'EVENT-SECRET-WRONG',
      'EVENT-CLIENT-ID-WRONG',
      'EVENT-SECRET-OF-ANOTHER',
      'EVENT-NO-OAUTH',
      'EVENT-NO-ID-TOKEN',
      'EVENT-NO-BASIC',
    ],
    unspecified: 'The status for invalid partner credentials is not specified.',
    alter: ({ hub }: Behaviour) =>
      hub.responses.push((response) => {
        if (response.status === 401) response.status = 403
      }),
  },
  ...[30, 60].map((accepted) => ({
    name: `partner-secret-ends-after-${accepted}-requests`,
    summary: `Refuses each request to the Event Hub with 401 after the first ${accepted}.`,
    concerns: ['EVENT-FROM-REQUIRED', 'EVENT-TO-REQUIRED', ...refusedSearches],
    unspecified: 'When the secret of a partner expires is not specified.',
    mayBeInconclusive: WITHOUT_SEARCH,
    alter: ({ hub }: Behaviour) => {
      let requests = 0
      hub.interceptors.push(() => {
        requests += 1
        return requests > accepted
          ? jsonResponse(401, { error: 'UNAUTHORIZED', message: 'The secret has expired.' })
          : undefined
      })
    },
  })),
])
