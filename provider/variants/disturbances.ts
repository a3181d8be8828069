import { type Behaviour, withFace } from '../behaviour.ts'
import { type Answer, jsonAnswer } from '../http.ts'
import { callbackOf } from '../identity/answers.ts'
import { PATHS } from '../identity/paths.ts'
import { alteredRedirectUris } from './authorization.ts'

/** A refusal that came out as an internal error. Throttled requests are not refused. */
function brokenRefusal(answer: Answer): void {
  if (answer.status < 400 || answer.status >= 500 || answer.status === 429) return
  breakDown(answer)
}

/** Puts an internal error in the place of an answer. */
function breakDown(answer: Answer): void {
  Object.assign(
    answer,
    jsonAnswer(500, { error: 'server_error', error_description: 'Something went wrong.' }),
  )
}

const ambiguity = 'A 5xx is a transient failure of the service and says nothing about the request.'

const refusedOnPage = [
  'PLATFORM-REDIRECT-MISMATCH',
  ...alteredRedirectUris,
  'AUTHZ-REDIRECT-URI-REQUIRED',
  'AUTHZ-CLIENT-ID-REQUIRED',
  'AUTHZ-CLIENT-ID-UNKNOWN',
]

const renamedTransient = [
  'AUTHZ-RESPONSE-TYPE',
  'AUTHZ-RESPONSE-TYPE-ID-TOKEN',
  'AUTHZ-RESPONSE-TYPE-HYBRID',
  'AUTHZ-ERROR-REDIRECT',
  'AUTHZ-REDIRECT-302',
  'AUTHZ-ERROR-QUERY',
  'AUTHZ-ERROR-STATE',
  'AUTHZ-ERROR-WITHOUT-CODE',
  'AUTHZ-USER-CANCEL',
  'AUTHZ-CONSENT-REFUSED',
  'AUTHZ-AUTH-LEVEL-UNMET',
]

const refusedByRedirect = [
  ...renamedTransient,
  'AUTHZ-RESPONSE-TYPE-REQUIRED',
  'AUTHZ-STATE-REQUIRED',
  'AUTHZ-NONCE-REQUIRED',
  'AUTHZ-PKCE-REQUIRED',
  'AUTHZ-CHALLENGE-REQUIRED',
  'AUTHZ-CHALLENGE-METHOD-REQUIRED',
  'AUTHZ-PKCE-S256-ONLY',
  'AUTHZ-SCOPE-REQUIRED',
  'AUTHZ-OPENID-SCOPE',
  'AUTHZ-SCOPE-INVALID',
  'AUTHZ-PROMPT-NONE',
  'AUTHZ-PROMPT-NONE-ERROR',
  'AUTHZ-PROMPT-NONE-CONSENT',
  'AUTHZ-PROMPT-NONE-CONSENT-ERROR',
  'AUTHZ-ACR-UNMET',
]

const tokenRefusals = [
  'TOKEN-CODE-SINGLE-USE',
  'TOKEN-VERIFIER-WRONG',
  'TOKEN-VERIFIER-MISSING',
  'TOKEN-REDIRECT-URI-MATCH',
  'TOKEN-REDIRECT-URI-TRAILING-SLASH',
  'TOKEN-REDIRECT-URI-CASE',
  'TOKEN-VERIFIER-PLAIN',
  'TOKEN-CODE-OTHER-CLIENT',
  'TOKEN-CODE-UNKNOWN',
  'TOKEN-MISSING-GRANT-TYPE',
  'TOKEN-MISSING-CODE',
  'TOKEN-MISSING-REDIRECT-URI',
  'TOKEN-MISSING-CODE-VERIFIER',
  'TOKEN-MISSING-REFRESH-TOKEN',
  'TOKEN-DUPLICATE-GRANT-TYPE',
  'TOKEN-DUPLICATE-CODE',
  'TOKEN-DUPLICATE-REDIRECT-URI',
  'TOKEN-DUPLICATE-CODE-VERIFIER',
  'TOKEN-DUPLICATE-REFRESH-TOKEN',
  'TOKEN-BODY-JSON',
  'TOKEN-BODY-MALFORMED',
  'TOKEN-GRANT-CLIENT-CREDENTIALS',
  'TOKEN-GRANT-PASSWORD',
  'TOKEN-GRANT-UNKNOWN',
  'TOKEN-GRANT-OTHERS',
  'TOKEN-GRANT-UNAUTHORIZED',
  'TOKEN-ERROR-JSON',
  'TOKEN-ERROR-DESCRIPTION',
  'TOKEN-CLIENT-AUTH-METHOD',
  'TOKEN-CLIENT-AUTH-MISSING',
  'TOKEN-CLIENT-AUTH-BOTH',
  'TOKEN-CLIENT-SECRET',
  'TOKEN-CLIENT-SECRET-MISSING',
  'TOKEN-CLIENT-UNKNOWN',
  'TOKEN-REFRESH-UNKNOWN',
  'TOKEN-REFRESH-CLIENT-AUTH',
  'TOKEN-REFRESH-SECRET-MISSING',
  'TOKEN-REFRESH-OTHER-CLIENT',
  'TOKEN-REFRESH-OLD-REFUSED',
  'TOKEN-REFRESH-RACE',
  'USERINFO-TOKEN-REQUIRED',
  'USERINFO-MALFORMED-TOKEN',
  'USERINFO-TAMPERED-TOKEN',
  'USERINFO-ALTERED-CLAIMS',
  'USERINFO-UNSIGNED-TOKEN',
  'USERINFO-CHALLENGE',
  'USERINFO-REFUSED-CLAIMS',
  'USERINFO-CHALLENGE-ERROR',
  'INTROSPECTION-UNAVAILABLE',
]

const introspectionRefusals = [
  'INTROSPECTION-TOKEN-REQUIRED',
  'INTROSPECTION-CLIENT-AUTH',
  'INTROSPECTION-CLIENT-SECRET',
]

const searchRefusals = [
  'EVENT-FROM-REQUIRED',
  'EVENT-TO-REQUIRED',
  'EVENT-TIME-Z-REJECTED',
  'EVENT-TIME-OFFSET-REJECTED',
  'EVENT-TIME-INVALID',
  'EVENT-WINDOW-LIMIT',
  'EVENT-PAGINATION-MALFORMED',
  'EVENT-CREDENTIALS-REQUIRED',
  'EVENT-SECRET-REQUIRED',
  'EVENT-CLIENT-ID-REQUIRED',
  'EVENT-SECRET-WRONG',
  'EVENT-CLIENT-ID-WRONG',
  'EVENT-SECRET-OF-ANOTHER',
  'EVENT-NO-OAUTH',
  'EVENT-UNENTITLED',
]

export const disturbances = [
  ...withFace('authorization', [
    {
      name: 'authorization-refusals-broken',
      summary: 'What the authorization endpoint would refuse with a page is answered 500.',
      concerns: refusedOnPage,
      ambiguity,
      undecidable: refusedOnPage,
      alter: ({ idp }: Behaviour) => idp.answers.authorization.push(brokenRefusal),
    },
    {
      name: 'authorization-errors-broken',
      summary:
        'What the authorization endpoint would send back to the application as an error is answered 500.',
      concerns: refusedByRedirect,
      ambiguity,
      undecidable: refusedByRedirect,
      alter: ({ idp }: Behaviour) =>
        idp.answers.authorization.push((answer, received) => {
          if (!callbackOf(answer, received)?.searchParams.has('error')) return
          delete answer.headers.location
          breakDown(answer)
        }),
    },
    {
      name: 'authorization-errors-transient',
      summary: 'A refused response type, and a user who cancelled, come back with server_error.',
      concerns: renamedTransient,
      ambiguity: 'server_error is a passing failure of the service and says nothing about the request.',
      undecidable: renamedTransient,
      alter: ({ idp }: Behaviour) =>
        idp.answers.authorization.push((answer, received) => {
          const url = callbackOf(answer, received)
          const error = url?.searchParams.get('error') ?? ''
          if (!url || !['unsupported_response_type', 'access_denied'].includes(error)) return
          url.searchParams.set('error', 'server_error')
          answer.headers.location = url.href
        }),
    },
    {
      name: 'authorization-busy-now-and-then',
      summary: 'One authorization request in nine comes back with temporarily_unavailable and Retry-After.',
      concerns: ['AUTHZ-CODE-FLOW', ...refusedByRedirect, ...refusedOnPage],
      ambiguity: 'Overload may be met at any time, and is to be asked again after.',
      alter: ({ idp }: Behaviour) => {
        let asked = 0
        idp.admission.push(({ path, query }) => {
          const back = query.get('redirect_uri') ?? ''
          if (path !== PATHS.authorization || !URL.canParse(back)) return undefined
          asked += 1
          if (asked % 9 !== 1) return undefined
          const url = new URL(back)
          url.searchParams.set('error', 'temporarily_unavailable')
          url.searchParams.set('state', query.get('state') ?? '')
          return { status: 302, headers: { location: url.href, 'retry-after': '1' }, body: '' }
        })
      },
    },
  ]),
  ...withFace('token', [
    {
      name: 'token-refusals-broken',
      summary: 'What the token, user-info and introspection endpoints would refuse is answered 500.',
      concerns: tokenRefusals,
      ambiguity,
      undecidable: tokenRefusals,
      alter: ({ idp }: Behaviour) => {
        for (const endpoint of ['token', 'userinfo', 'introspection'] as const)
          idp.answers[endpoint].push(brokenRefusal)
      },
    },
  ]),
  ...withFace('introspection', [
    {
      name: 'introspection-refusals-broken',
      summary: 'What introspection would refuse is answered 500.',
      concerns: introspectionRefusals,
      ambiguity,
      undecidable: introspectionRefusals,
      alter: ({ idp }: Behaviour) => {
        idp.introspection = 'reference'
        idp.answers.introspection.push(brokenRefusal)
      },
    },
  ]),
  ...withFace('hub', [
    {
      name: 'search-refusals-broken',
      summary: 'What the event search would refuse is answered 500.',
      concerns: searchRefusals,
      ambiguity,
      undecidable: searchRefusals,
      alter: ({ hub }: Behaviour) => hub.answers.push(brokenRefusal),
    },
  ]),
]
