import { type Alter, withSurface } from '../alteration.ts'
import { type HttpResponse, htmlResponse, jsonResponse } from '../http.ts'

/** Below the usual pace of a run, so that the limiter refuses requests. The window of 1 s keeps each wait short. */
const LIMIT = { requests: 12, windowSeconds: 1 }

function editThrottled(edit: (response: HttpResponse) => void): Alter {
  return (behaviour) => {
    behaviour.throttled.push(edit)
  }
}

const withStatus = (status: number) =>
  editThrottled((response) => {
    response.status = status
  })

const throttling = [
  {
    name: 'throttled-with-200',
    summary: 'Returns 200 with the error and Retry-After for a throttled request.',
    violates: ['PLATFORM-THROTTLE-STATUS'],
    alter: withStatus(200),
  },
  {
    name: 'throttled-with-400',
    summary: 'Returns 400 for a throttled request.',
    violates: ['PLATFORM-THROTTLE-STATUS'],
    alter: withStatus(400),
  },
  {
    name: 'throttled-with-403',
    summary: 'Returns 403 for a throttled request.',
    violates: ['PLATFORM-THROTTLE-STATUS'],
    alter: withStatus(403),
  },
  {
    name: 'throttled-by-firewall',
    summary: 'Returns 403 with an HTML page and Retry-After for a throttled request.',
    violates: ['PLATFORM-THROTTLE-STATUS', 'PLATFORM-THROTTLE-BODY'],
    alter: editThrottled((response) => {
      const page = htmlResponse(403, '<!doctype html><title>Access denied</title>')
      response.status = page.status
      response.body = page.body
      Object.assign(response.headers, page.headers)
    }),
  },
  {
    name: 'throttled-with-503',
    summary: 'Returns 503 with the body of a 429 for a throttled request.',
    violates: ['PLATFORM-THROTTLE-STATUS'],
    alter: withStatus(503),
  },
  {
    name: 'throttled-with-503-and-message',
    summary: 'Returns 503 with a `message` about the limit instead of the error for a throttled request.',
    violates: ['PLATFORM-THROTTLE-STATUS', 'PLATFORM-THROTTLE-ERROR', 'PLATFORM-THROTTLE-DESCRIPTION'],
    alter: editThrottled((response) => {
      response.status = 503
      response.body = { message: 'Rate limit exceeded' }
    }),
  },
  {
    name: 'throttled-as-html',
    summary: 'Returns an HTML page for a throttled request.',
    violates: ['PLATFORM-THROTTLE-BODY'],
    alter: editThrottled((response) => {
      const page = htmlResponse(429, '<!doctype html><title>Too many requests</title>')
      response.body = page.body
      Object.assign(response.headers, page.headers)
    }),
  },
  {
    name: 'throttled-as-list',
    summary: 'Returns an array of errors for a throttled request.',
    violates: ['PLATFORM-THROTTLE-BODY'],
    alter: editThrottled((response) => {
      response.body = [response.body]
    }),
  },
  {
    name: 'throttled-description-object',
    summary: 'Returns `error_description` as an object for a throttled request.',
    violates: ['PLATFORM-THROTTLE-DESCRIPTION'],
    alter: editThrottled((response) => {
      response.body = { error: 'temporarily_unavailable', error_description: { en: 'Too many requests.' } }
    }),
  },
  {
    name: 'throttled-without-description',
    summary: 'Omits `error_description` from the response to a throttled request.',
    violates: ['PLATFORM-THROTTLE-DESCRIPTION'],
    alter: editThrottled((response) => {
      response.body = { error: 'temporarily_unavailable' }
    }),
  },
  {
    name: 'throttled-description-empty',
    summary: 'Returns an empty `error_description` for a throttled request.',
    violates: ['PLATFORM-THROTTLE-DESCRIPTION'],
    alter: editThrottled((response) => {
      response.body = { error: 'temporarily_unavailable', error_description: '' }
    }),
  },
  {
    name: 'throttled-description-blank',
    summary: 'Returns an `error_description` of two spaces for a throttled request.',
    violates: ['PLATFORM-THROTTLE-DESCRIPTION'],
    alter: editThrottled((response) => {
      response.body = { error: 'temporarily_unavailable', error_description: '  ' }
    }),
  },
  {
    name: 'throttled-as-rate-limited',
    summary: 'Returns an error other than `temporarily_unavailable` for a throttled request.',
    violates: ['PLATFORM-THROTTLE-ERROR'],
    alter: editThrottled((response) => {
      response.body = { error: 'rate_limited', error_description: 'Too many requests.' }
    }),
  },
  {
    name: 'retry-after-word',
    summary: 'Sends a word in the Retry-After of a throttled request.',
    violates: ['PLATFORM-RETRY-AFTER'],
    alter: editThrottled((response) => {
      response.headers['retry-after'] = 'soon'
    }),
  },
  {
    name: 'retry-after-with-unit',
    summary: 'Sends a number with a unit in the Retry-After of a throttled request.',
    violates: ['PLATFORM-RETRY-AFTER'],
    alter: editThrottled((response) => {
      response.headers['retry-after'] = `${response.headers['retry-after']}s`
    }),
  },
].map((fault) => ({ ...fault, limit: LIMIT }))

/** Throttles the third authorization request with the first of `responses`, the fourth with the second, and so on. */
function throttleAuthorization(...responses: (() => HttpResponse)[]): Alter {
  return ({ idp }) => {
    let received = 0
    idp.interceptors.push(({ path }) => {
      if (!path.endsWith('/authorize')) return undefined
      received += 1
      return responses[received - 3]?.()
    })
  }
}

const throttledBody = { error: 'temporarily_unavailable', error_description: 'Too many requests.' }
const slowDown = { error: 'temporarily_unavailable', error_description: 'Slow down.' }

function withRetryAfter(value: string, response: HttpResponse): HttpResponse {
  return { ...response, headers: { ...response.headers, 'retry-after': value } }
}

const inTheBrowser = [
  {
    name: 'authorization-throttled-as-html',
    summary: 'Returns an HTML page with 429 for a throttled authorization request.',
    violates: ['PLATFORM-THROTTLE-BODY'],
    alter: throttleAuthorization(() =>
      withRetryAfter('1', htmlResponse(429, '<!doctype html><title>Too many requests</title>')),
    ),
  },
  {
    name: 'authorization-throttled-with-200',
    summary: 'Returns 200 for a throttled authorization request.',
    violates: ['PLATFORM-THROTTLE-STATUS'],
    alter: throttleAuthorization(() => withRetryAfter('1', jsonResponse(200, throttledBody))),
  },
  {
    name: 'authorization-throttled-with-503',
    summary: 'Returns 503 with the body of a 429 for a throttled authorization request.',
    violates: ['PLATFORM-THROTTLE-STATUS'],
    alter: throttleAuthorization(() => withRetryAfter('1', jsonResponse(503, throttledBody))),
  },
  {
    name: 'authorization-throttled-with-429-and-503',
    summary:
      'Returns 429 for a throttled authorization request, and 503 with the same body for the next one.',
    violates: ['PLATFORM-THROTTLE-STATUS'],
    alter: throttleAuthorization(
      () => withRetryAfter('1', jsonResponse(429, slowDown)),
      () => withRetryAfter('1', jsonResponse(503, slowDown)),
    ),
  },
  {
    name: 'authorization-throttled-with-403',
    summary: 'Returns 403 for a throttled authorization request.',
    violates: ['PLATFORM-THROTTLE-STATUS'],
    alter: throttleAuthorization(() => withRetryAfter('1', jsonResponse(403, throttledBody))),
  },
  {
    name: 'authorization-retry-after-word',
    summary: 'Sends a word in the Retry-After of a throttled authorization request.',
    violates: ['PLATFORM-RETRY-AFTER'],
    alter: throttleAuthorization(() => withRetryAfter('soon', jsonResponse(429, throttledBody))),
  },
]

/** Wrong responses to throttled requests. */
export const throttlingFaults = withSurface('all', [...throttling, ...inTheBrowser])
