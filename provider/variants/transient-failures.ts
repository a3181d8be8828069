import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editTokens, grantType } from '../edits.ts'
import { type HttpRequest, type HttpResponse, htmlResponse, jsonResponse } from '../http.ts'
import { endpointOf, INTERACTION_PATH, PATHS } from '../identity/paths.ts'

type RequestTest = (request: HttpRequest) => boolean

function failFirst(times: number, matches: RequestTest, failure: () => HttpResponse): Alter {
  return ({ idp }) => {
    let requests = 0
    idp.interceptors.push((request) => {
      if (!matches(request)) return undefined
      requests += 1
      return requests <= times ? failure() : undefined
    })
  }
}

/** Fails the first matching request for each path. @param paths maximum number of paths */
function failFirstOfEach(paths: number, matches: RequestTest, failure: () => HttpResponse): Alter {
  return ({ idp }) => {
    const seen = new Set<string>()
    idp.interceptors.push((request) => {
      if (!matches(request) || seen.has(request.path) || seen.size >= paths) return undefined
      seen.add(request.path)
      return failure()
    })
  }
}

const isLogin =
  (method: string): RequestTest =>
  (request) =>
    request.method === method && request.path.startsWith(`${INTERACTION_PATH}/`)

const badGateway = () => htmlResponse(502, '<!doctype html><title>Bad gateway</title>')

/** A transient failure with `Retry-After: 1`. */
function retryableFailure(status: number, error: string, error_description: string): HttpResponse {
  const response = jsonResponse(status, { error, error_description })
  response.headers['retry-after'] = '1'
  return response
}

const tooManyRequests = () => retryableFailure(429, 'temporarily_unavailable', 'Too many requests.')
const maintenance = () => retryableFailure(503, 'server_error', 'Maintenance. Try again.')

const READS_PER_FAILURE = 25
/** Number of the first read that fails, counted from 1. */
const FIRST_FAILURE = 3

/** The response of a proxy that is about to close the connection. */
const requestTimeout = () => htmlResponse(408, '<!doctype html><title>Request timeout</title>')

/**
 * Fails one GET request in 25: at the endpoints of the identity provider, except authorization, and at the Event Hub.
 */
function failReadsNowAndThen(failure: () => HttpResponse): Alter {
  return ({ idp, hub }) => {
    idp.interceptors.push(
      failNowAndThen(({ method, path }) => {
        const endpoint = endpointOf(path)
        return method === 'GET' && endpoint !== undefined && endpoint !== 'authorization'
      }, failure),
    )
    hub.interceptors.push(failNowAndThen(({ method }) => method === 'GET', failure))
  }
}

/** Returns an interceptor that fails one matching request in `READS_PER_FAILURE`. */
function failNowAndThen(
  matches: RequestTest,
  failure: () => HttpResponse,
): (request: HttpRequest) => HttpResponse | undefined {
  let reads = 0
  return (request) => {
    if (!matches(request)) return undefined
    reads += 1
    return reads % READS_PER_FAILURE === FIRST_FAILURE ? failure() : undefined
  }
}

/** Returns 503 for one in `period` successful token requests of a grant type, after it has issued the tokens. */
function loseResponses(grant: string, period: number): Alter {
  return (behaviour) => {
    let successes = 0
    editTokens((_, request, response) => {
      if (grantType(request) !== grant) return
      successes += 1
      if (successes % period === 1) Object.assign(response, maintenance())
    })(behaviour)
  }
}

const unspecified = 'A transient failure can happen at any time; clients retry.'
const processed = 'A gateway can fail after the provider has processed a request.'
const FLOW = ['AUTHZ-CODE-FLOW', 'AUTHZ-STATE-ECHO', 'TOKEN-CODE-EXCHANGE']

/** Providers that fail or throttle temporarily. */
export const transientFailures = [
  ...withSurface('authorization', [
    {
      name: 'login-page-unavailable-at-first',
      summary: 'Returns 502 for the first two requests for the login page.',
      concerns: FLOW,
      unspecified,
      mustPass: FLOW,
      alter: failFirst(2, isLogin('GET'), badGateway),
    },
    {
      name: 'login-unavailable-at-first',
      summary: 'Returns 502 for the first submitted login form.',
      concerns: FLOW,
      unspecified,
      mustPass: FLOW,
      alter: failFirst(1, isLogin('POST'), badGateway),
    },
    {
      name: 'login-throttled-at-first',
      summary: 'Returns 429 for the first submitted login form.',
      concerns: FLOW,
      unspecified,
      mustPass: FLOW,
      alter: failFirst(1, isLogin('POST'), tooManyRequests),
    },
    {
      name: 'two-logins-throttled-at-first',
      summary: 'Returns 429 for the first submitted form of each of the first two logins.',
      concerns: FLOW,
      unspecified,
      mustPass: FLOW,
      alter: failFirstOfEach(2, isLogin('POST'), tooManyRequests),
    },
    {
      name: 'two-logins-unavailable-at-first',
      summary: 'Returns 503 for the first submitted form of each of the first two logins.',
      concerns: FLOW,
      unspecified,
      mustPass: FLOW,
      alter: failFirstOfEach(2, isLogin('POST'), maintenance),
    },
  ]),
  ...withSurface('token', [
    {
      name: 'second-login-unavailable-at-first',
      summary: 'Returns 502 for the first submitted form of the second login.',
      concerns: ['TOKEN-CODE-SINGLE-USE', 'SUBJECT-STABLE'],
      unspecified,
      mustPass: ['TOKEN-CODE-SINGLE-USE', 'SUBJECT-STABLE'],
      alter: ({ idp }: Behaviour) => {
        const seen = new Set<string>()
        let failed = false
        idp.interceptors.push(({ method, path, form }) => {
          if (method !== 'POST' || !path.startsWith(`${INTERACTION_PATH}/`) || !form?.has('password'))
            return undefined
          seen.add(path)
          if (seen.size < 2 || failed) return undefined
          failed = true
          return badGateway()
        })
      },
    },
    {
      name: 'token-unavailable-at-first',
      summary: 'Returns 500 for the first token request.',
      concerns: ['TOKEN-CODE-EXCHANGE', 'IDTOKEN-SIGNATURE', 'USERINFO-BEARER'],
      unspecified,
      mustPass: ['TOKEN-CODE-EXCHANGE', 'IDTOKEN-SIGNATURE', 'USERINFO-BEARER'],
      alter: failFirst(
        1,
        ({ path }) => path === PATHS.token,
        () => jsonResponse(500, { error: 'server_error', error_description: 'Something went wrong.' }),
      ),
    },
    {
      name: 'code-exchange-processed-before-503',
      summary: 'Returns 503 for one in three code exchanges after it has issued the tokens.',
      concerns: ['TOKEN-CODE-EXCHANGE', 'TOKEN-ACCEPT-OPTIONAL', 'TOKEN-ERROR-JSON'],
      unspecified: processed,
      mustPass: ['TOKEN-CODE-EXCHANGE', 'TOKEN-ACCEPT-OPTIONAL'],
      alter: loseResponses('authorization_code', 3),
    },
    {
      name: 'refresh-processed-before-503',
      summary: 'Returns 503 for one in three refreshes after it has issued the tokens.',
      concerns: ['TOKEN-REFRESH', 'TOKEN-REFRESH-NEWEST', 'TOKEN-REFRESH-RACE'],
      unspecified: processed,
      mustPass: ['TOKEN-REFRESH'],
      // These requirements need several refreshes in a row.
      mayBeInconclusive: ['TOKEN-REFRESH-{NEW,NEWEST,OLD-REFUSED,OLD-REFUSED-ERROR}'],
      alter: loseResponses('refresh_token', 3),
    },
  ]),
  ...withSurface('all', [
    {
      name: 'unavailable-now-and-then',
      summary: 'Returns 503 with Retry-After for one read in 25.',
      concerns: ['DISCOVERY-PUBLIC', 'KEYSET-PUBLIC', 'USERINFO-BEARER', 'EVENT-PAGE-SHAPE'],
      unspecified: 'A transient failure can happen at any time.',
      alter: failReadsNowAndThen(maintenance),
    },
    {
      name: 'reads-time-out-now-and-then',
      summary: 'Returns 408 for one read in 25.',
      concerns: ['USERINFO-BEARER', 'USERINFO-TAMPERED-TOKEN', 'EVENT-FROM-REQUIRED', 'EVENT-PAGE-SHAPE'],
      unspecified: 'A request can arrive too late at any time (RFC 9110 section 15.5.9); clients repeat it.',
      alter: failReadsNowAndThen(requestTimeout),
    },
  ]),
]
