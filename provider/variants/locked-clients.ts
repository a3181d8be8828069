import { type Alter, withSurface } from '../alteration.ts'
import { editResponse, editTokens, grantType } from '../edits.ts'
import { type HttpRequest, type HttpResponse, jsonResponse } from '../http.ts'
import { PATHS } from '../identity/paths.ts'
import { WITHOUT_LOGIN } from './inconclusive.ts'

/** When a client is locked, and how the token endpoint then refuses its requests. */
interface Lock {
  /** Number of counted authentications after which a client is locked. */
  readonly after: number
  readonly seconds: number
  /** Whether a refused authentication counts. */
  readonly counts: (request: HttpRequest) => boolean
  readonly refusal: () => HttpResponse
}

/** Locks a client at the token endpoint, even for requests with the correct secret. */
function lock({ after, seconds, counts, refusal }: Lock): Alter {
  return (behaviour) => {
    const failures = new Map<string, number>()
    const lockedUntil = new Map<string, number>()
    behaviour.idp.interceptors.push(({ path, client, at }) =>
      path === PATHS.token && at < (lockedUntil.get(client ?? '') ?? 0) ? refusal() : undefined,
    )
    editResponse('token', (response, request) => {
      const { client } = request
      if (response.status !== 401 || client === undefined || !counts(request)) return
      const count = (failures.get(client) ?? 0) + 1
      failures.set(client, count)
      if (count >= after) lockedUntil.set(client, request.at + seconds * 1000)
    })(behaviour)
  }
}

/** Refuses valid code exchanges from the third on. */
function refuseExchangesFromThird(refusal: () => HttpResponse): Alter {
  return (behaviour) => {
    let exchanges = 0
    editTokens((_, request, response) => {
      if (grantType(request) !== 'authorization_code') return
      exchanges += 1
      if (exchanges > 2) Object.assign(response, refusal())
    })(behaviour)
  }
}

/** Refuses a client after this many token requests with its credentials. */
function refuseClientAfter(requests: number): Alter {
  return (behaviour) => {
    const counts = new Map<string, number>()
    behaviour.idp.interceptors.push((request) => {
      const { path, client } = request
      if (path !== PATHS.token || client === undefined || !sendsSecret(request)) return undefined
      const count = (counts.get(client) ?? 0) + 1
      counts.set(client, count)
      return count > requests ? asInvalidClient() : undefined
    })
  }
}

function sendsSecret({ headers, form }: HttpRequest): boolean {
  return headers.authorization !== undefined || form?.has('client_secret') === true
}

const asInvalidClient = () =>
  jsonResponse(401, { error: 'invalid_client', error_description: 'The client is locked for a while.' })
const asForbidden = () =>
  jsonResponse(403, { error: 'access_denied', error_description: 'Too many failed authentications.' })

const unspecified = 'Defences against guessed client secrets are not specified.'

/** Requirements that Plumbline checks after wrong secrets, when a locked client cannot obtain or use tokens. */
const AFTER_WRONG_SECRETS = [
  'TOKEN-REDIRECT-URI-MATCH-ERROR',
  'TOKEN-{CLIENT,REFRESH,DUPLICATE-REFRESH-TOKEN,CODE-SINGLE-USE}*',
  'SUBJECT-STABLE*',
]

const asUnauthorizedClient = () =>
  jsonResponse(400, { error: 'unauthorized_client', error_description: 'Not permitted to this client.' })

/** Providers that lock a client for a while after failed authentications, or refuse it after some requests. */
export const lockedClientVariants = withSurface('token', [
  {
    name: 'client-locked-after-wrong-secret',
    summary:
      'Refuses each token request of a client as `invalid_client` for two minutes after a wrong secret.',
    concerns: ['TOKEN-CODE-EXCHANGE', 'TOKEN-ACCEPT-OPTIONAL', 'TOKEN-REFRESH', 'TOKEN-REFRESH-NEWEST'],
    unspecified,
    mayBeInconclusive: [
      ...AFTER_WRONG_SECRETS,
      'TOKEN-CODE-OTHER-CLIENT',
      'TOKEN-GRANT-UNAUTHORIZED',
      'IDTOKEN-SECOND-AUDIENCE',
    ],
    alter: lock({ after: 1, seconds: 120, counts: sendsSecret, refusal: asInvalidClient }),
  },
  {
    name: 'client-locked-after-three-wrong-secrets',
    summary:
      'Refuses each token request of a client as `invalid_client` for two minutes after three wrong secrets.',
    concerns: ['TOKEN-CODE-EXCHANGE', 'TOKEN-ACCEPT-OPTIONAL', 'TOKEN-REFRESH', 'TOKEN-REFRESH-NEWEST'],
    unspecified,
    mayBeInconclusive: AFTER_WRONG_SECRETS,
    alter: lock({ after: 3, seconds: 120, counts: sendsSecret, refusal: asInvalidClient }),
  },
  {
    name: 'client-locked-for-a-second',
    summary:
      'Refuses each token request of a client with 403 for one second after two failed authentications.',
    concerns: ['TOKEN-CODE-EXCHANGE', 'TOKEN-ACCEPT-OPTIONAL', 'TOKEN-REFRESH', 'TOKEN-REFRESH-NEWEST'],
    unspecified,
    mayBeInconclusive: AFTER_WRONG_SECRETS,
    alter: lock({ after: 2, seconds: 1, counts: () => true, refusal: asForbidden }),
  },
  ...[
    { error: 'invalid-client', refusal: asInvalidClient, what: 'client secret expires' },
    { error: 'unauthorized-client', refusal: asUnauthorizedClient, what: 'registration changes' },
  ].map(({ error, refusal, what }) => ({
    name: `later-code-exchanges-as-${error}`,
    summary: `Refuses each valid code exchange from the third on as \`${error.replace('-', '_')}\`.`,
    concerns: ['TOKEN-CODE-EXCHANGE'],
    unspecified: `When a ${what} is not specified.`,
    mustBeInconclusive: ['TOKEN-CODE-EXCHANGE'],
    mayBeInconclusive: WITHOUT_LOGIN,
    alter: refuseExchangesFromThird(refusal),
  })),
  ...[3, 5, 10, 20, 40].map((requests) => ({
    name: `client-secret-ends-after-${requests}-requests`,
    summary: `Refuses a client as \`invalid_client\` after ${requests} token requests with its secret.`,
    concerns: ['TOKEN-CODE-EXCHANGE', 'TOKEN-GRANT-CLIENT-CREDENTIALS', 'TOKEN-MISSING-GRANT-TYPE-ERROR'],
    unspecified: 'When a client secret expires is not specified.',
    mayBeInconclusive: WITHOUT_LOGIN,
    alter: refuseClientAfter(requests),
  })),
])
