import type { CheckContext } from '../src/check/fixtures.ts'
import type { Host } from '../src/check/requirement.ts'
import { Inconclusive } from '../src/check/verdict.ts'
import type { LocalDateTime } from '../src/event-hub/local-time.ts'
import { partnerHeaders, queryString } from '../src/event-hub/search.ts'
import { HttpResponse } from '../src/http/response.ts'
import { authorizationRequest } from '../src/oauth/authorization-request.ts'
import { clientAuthentication } from '../src/oauth/client-authentication.ts'
import { endpoint } from '../src/oauth/endpoints.ts'
import { applicationOf, partnerApiOf } from '../src/target/parts.ts'
import type { Target } from '../src/target/target.ts'
import type { LoadRequest, Source } from './engine/shot.ts'

interface Endpoint {
  /** The host that preflight must reach. */
  readonly host: Host
  /** Number of logins with a password in `prepare`, without retries. */
  readonly logins: number
  /** Number of requests of `prepare`, without those of logins; by default 0. */
  readonly requests?: (target: Target) => number
  /** Obtains the tokens and addresses that requests need. The pace and the budget of the run apply. */
  prepare(context: CheckContext): Promise<Source>
}

export const endpointNames = [
  'discovery',
  'key-set',
  'authorize',
  'token',
  'userinfo',
  'event-search',
] as const
export type EndpointName = (typeof endpointNames)[number]

const json = [['Accept', 'application/json']] as const

function repeated(request: LoadRequest): Source {
  return { next: () => request }
}

/** Number of refresh tokens that are used in turn, so that a refresh need not wait for the response to the last one. */
const tokenFamilies = 4

export const endpoints: Readonly<Record<EndpointName, Endpoint>> = {
  discovery: {
    host: 'identity-provider',
    logins: 0,
    prepare: async ({ target }) =>
      repeated({ method: 'GET', url: endpoint(target, 'discovery'), headers: json }),
  },
  'key-set': {
    host: 'identity-provider',
    logins: 0,
    // Without `jwksUrl`, the address is in the discovery document.
    requests: ({ jwksUrl }) => (jwksUrl === undefined ? 1 : 0),
    prepare: async ({ discovery }) =>
      repeated({ method: 'GET', url: await discovery.keySetUrl(), headers: json }),
  },
  /** Authorization request with prompt=none and no session, which the target must refuse. */
  authorize: {
    host: 'identity-provider',
    logins: 0,
    prepare: async ({ target }) => ({
      // Each request has its own state and nonce, as the specification requires.
      next: () => ({
        method: 'GET',
        url: authorizationRequest(target, { prompt: 'none' }).url,
        headers: [['Accept', 'text/html']],
      }),
    }),
  },
  token: {
    host: 'identity-provider',
    logins: 1,
    prepare: refreshes,
  },
  userinfo: {
    host: 'identity-provider',
    logins: 1,
    prepare: async ({ target, tokens }) => {
      const { accessToken } = await tokens.refreshable()
      return repeated({
        method: 'GET',
        url: endpoint(target, 'userinfo'),
        headers: [...json, ['Authorization', `Bearer ${accessToken}`]],
      })
    },
  },
  /** Search of one past minute of events, one event per page. */
  'event-search': {
    host: 'partner-api',
    logins: 0,
    prepare: async ({ target, events }) => {
      const { from } = await events.controlWindow()
      const headers = [...json, ...partnerHeaders(partnerApiOf(target).credentials)]
      return repeated({ method: 'GET', url: minuteSearch(target, from), headers })
    },
  },
}

/** Address of a search of the minute from `from`, one event per page. */
export function minuteSearch(target: Target, from: LocalDateTime): URL {
  const url = new URL(`${partnerApiOf(target).url}/events/search`)
  url.search = queryString({ from, to: from.add({ minutes: 1 }), page: 0, pageSize: 1 })
  return url
}

/**
 * Each refresh uses a refresh token that no request in flight uses. Its response returns the token for a later
 * refresh.
 */
async function refreshes({ target, authorization, tokens }: CheckContext): Promise<Source> {
  const idle: string[] = []
  for (let family = 0; family < tokenFamilies; family += 1) {
    const code = await authorization.code()
    const { refreshToken } = tokens.tokensIn(await tokens.exchange(code), code.request)
    if (refreshToken !== undefined) idle.push(refreshToken)
  }
  if (idle.length === 0) throw new Inconclusive('code exchanges return no refresh token')
  const client = clientAuthentication(applicationOf(target))
  return {
    next: () => {
      const refreshToken = idle.shift()
      if (refreshToken === undefined) return undefined
      const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken }
      const form = { ...refresh, ...Object.fromEntries(client.form) }
      return {
        method: 'POST',
        url: endpoint(target, 'token'),
        headers: [...json, ['Content-Type', 'application/x-www-form-urlencoded'], ...client.headers],
        body: new URLSearchParams(form).toString(),
      }
    },
    learn: ({ body }, response) => {
      const sent = new URLSearchParams(body).get('refresh_token') ?? ''
      if (response?.status === 200) {
        const { status, headers, text } = response
        const { refresh_token: next } = new HttpResponse(status, headers, text).object ?? {}
        idle.push(typeof next === 'string' ? next : sent)
        // After a 429 or 503 the token is still valid; after any other outcome it may be used up.
      } else if (response?.status === 429 || response?.status === 503) idle.push(sent)
    },
  }
}
