import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editCallback, editResponse } from '../edits.ts'
import { type HttpResponse, jsonResponse } from '../http.ts'
import { PATHS } from '../identity/paths.ts'
import { callbackOf } from '../identity/responses.ts'
import { alteredRedirectUris } from './authorization.ts'

/** Replaces a refusal (any 4xx except 429) with a server error. */
function breakRefusal(response: HttpResponse): void {
  if (response.status < 400 || response.status >= 500 || response.status === 429) return
  replaceByServerError(response)
}

function replaceByServerError(response: HttpResponse): void {
  Object.assign(
    response,
    jsonResponse(500, { error: 'server_error', error_description: 'Something went wrong.' }),
  )
}

const unspecified = 'A 5xx is a transient failure of the service and says nothing about the request.'

const refusedOnPage = [
  'PLATFORM-REDIRECT-MISMATCH',
  ...alteredRedirectUris,
  'AUTHZ-REDIRECT-URI-REQUIRED',
  'AUTHZ-CLIENT-ID-REQUIRED',
  'AUTHZ-CLIENT-ID-UNKNOWN',
]

const renamedToServerError = [
  ...withErrors('AUTHZ-RESPONSE-TYPE', 'AUTHZ-RESPONSE-TYPE-ID-TOKEN', 'AUTHZ-RESPONSE-TYPE-HYBRID'),
  ...withErrors('AUTHZ-USER-CANCEL', 'AUTHZ-CONSENT-REFUSED'),
  'AUTHZ-AUTH-LEVEL-UNMET',
]

/** Requirements on all errors of a run. */
const errorForm = [
  'AUTHZ-ERROR-REDIRECT',
  'AUTHZ-REDIRECT-302',
  'AUTHZ-ERROR-QUERY',
  'AUTHZ-ERROR-STATE',
  'AUTHZ-ERROR-WITHOUT-CODE',
]

const refusedByRedirect = [
  ...renamedToServerError,
  ...errorForm,
  ...withErrors(
    'AUTHZ-RESPONSE-TYPE-REQUIRED',
    'AUTHZ-STATE-REQUIRED',
    'AUTHZ-NONCE-REQUIRED',
    'AUTHZ-PKCE-REQUIRED',
    'AUTHZ-CHALLENGE-REQUIRED',
    'AUTHZ-CHALLENGE-METHOD-REQUIRED',
    'AUTHZ-PKCE-S256-ONLY',
    'AUTHZ-SCOPE-REQUIRED',
    'AUTHZ-OPENID-SCOPE',
    'AUTHZ-PROMPT-NONE',
    'AUTHZ-PROMPT-NONE-CONSENT',
  ),
  'AUTHZ-SCOPE-INVALID',
  'AUTHZ-ACR-UNMET',
]

/** Each of these requirements, and its requirement `…-ERROR`. */
function withErrors(...ids: string[]): string[] {
  return ids.flatMap((id) => [id, `${id}-ERROR`])
}

const tokenRefusals = [
  'TOKEN-CODE-SINGLE-USE',
  'TOKEN-VERIFIER-WRONG',
  'TOKEN-VERIFIER-MISSING',
  'TOKEN-REDIRECT-URI-MATCH',
  'TOKEN-REDIRECT-URI-HOST',
  'TOKEN-REDIRECT-URI-SCHEME',
  'TOKEN-REDIRECT-URI-PORT',
  'TOKEN-REDIRECT-URI-QUERY',
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
  'TOKEN-DUPLICATE-DIFFERENT',
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
  'TOKEN-CLIENT-SECRET-EMPTY',
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
  'EVENT-NO-ID-TOKEN',
  'EVENT-NO-BASIC',
  'EVENT-UNENTITLED',
]

export const serverErrors = [
  ...withSurface('authorization', [
    {
      name: 'authorization-refusals-broken',
      proofWaits: true,
      summary: 'Returns 500 for authorization requests that it would refuse on a page.',
      concerns: refusedOnPage,
      unspecified,
      mustBeInconclusive: refusedOnPage,
      mayBeInconclusive: [
        'AUTHZ-{CLIENT-ID,REDIRECT-URI}-REQUIRED-ERROR',
        'PLATFORM-REDIRECT-MISMATCH-ERROR',
      ],
      alter: editResponse('authorization', breakRefusal),
    },
    {
      name: 'authorization-errors-broken',
      proofWaits: true,
      summary: 'Returns 500 for authorization requests that it would redirect with an error.',
      concerns: refusedByRedirect,
      unspecified,
      mustBeInconclusive: refusedByRedirect,
      mayBeInconclusive: [
        'AUTHZ-{ACR-VALUES,ACR-LOWERED,LEVEL-CLAIMED,AUTH-LEVEL,MALFORMED}',
        'AUTHZ-ERROR-{SINGLE,FRAGMENT,PARAMETERS}',
      ],
      alter: editResponse('authorization', (response, request) => {
        if (!callbackOf(response, request)?.searchParams.has('error')) return
        delete response.headers.location
        replaceByServerError(response)
      }),
    },
    {
      name: 'authorization-errors-transient',
      summary: 'Redirects with `server_error` instead of `unsupported_response_type` and `access_denied`.',
      concerns: renamedToServerError,
      unspecified: 'server_error is a transient failure of the service and says nothing about the request.',
      mustBeInconclusive: renamedToServerError,
      mayBeInconclusive: ['AUTHZ-AUTH-LEVEL', 'AUTHZ-ERROR-FRAGMENT'],
      mustPass: errorForm,
      alter: editCallback(({ searchParams }) => {
        if (['unsupported_response_type', 'access_denied'].includes(searchParams.get('error') ?? ''))
          searchParams.set('error', 'server_error')
      }),
    },
    {
      name: 'authorization-busy-now-and-then',
      summary: 'Redirects one authorization request in nine with `temporarily_unavailable` and Retry-After.',
      concerns: ['AUTHZ-CODE-FLOW', ...refusedByRedirect, ...refusedOnPage],
      unspecified: 'Overload can happen at any time; clients retry.',
      alter: ({ idp }: Behaviour) => {
        let requests = 0
        idp.interceptors.push(({ path, query }) => {
          const redirectUri = query.get('redirect_uri') ?? ''
          if (path !== PATHS.authorization || !URL.canParse(redirectUri)) return undefined
          requests += 1
          if (requests % 9 !== 1) return undefined
          const url = new URL(redirectUri)
          url.searchParams.set('error', 'temporarily_unavailable')
          url.searchParams.set('state', query.get('state') ?? '')
          return { status: 302, headers: { location: url.href, 'retry-after': '1' }, body: '' }
        })
      },
    },
  ]),
  ...withSurface('token', [
    {
      name: 'token-refusals-broken',
      summary: 'Returns 500 for requests that the token, UserInfo and introspection endpoints would refuse.',
      concerns: tokenRefusals,
      unspecified,
      mustBeInconclusive: tokenRefusals,
      mayBeInconclusive: ['TOKEN-*-ERROR', 'TOKEN-ERROR-STATUS', 'TOKEN-REFRESH-{AUTH-METHOD,CLIENT-SECRET}'],
      alter: ({ idp }: Behaviour) => {
        for (const endpoint of ['token', 'userinfo', 'introspection'] as const)
          idp.responses[endpoint].push(breakRefusal)
      },
    },
  ]),
  ...withSurface('introspection', [
    {
      name: 'introspection-refusals-broken',
      summary: 'Returns 500 for requests that introspection would refuse.',
      concerns: introspectionRefusals,
      unspecified,
      mustBeInconclusive: introspectionRefusals,
      alter: ({ idp }: Behaviour) => {
        idp.introspection = 'reference'
        idp.responses.introspection.push(breakRefusal)
      },
    },
  ]),
  ...withSurface('hub', [
    {
      name: 'search-refusals-broken',
      summary: 'Returns 500 for searches that the hub would refuse.',
      concerns: searchRefusals,
      proofWaits: true,
      unspecified,
      mustBeInconclusive: searchRefusals,
      mayBeInconclusive: [
        'EVENT-{PAGINATION-NEGATIVE,PAGINATION-NOTATIONS,PAGE-SIZE-ZERO,REFUSAL-BODY}',
        'EVENT-{TIME-IMPOSSIBLE,TIME-FORMS,WINDOW-PRECISION,WINDOW-EMPTY}',
        'PLATFORM-FEATURE-DISABLED*',
      ],
      alter: ({ hub }: Behaviour) => hub.responses.push(breakRefusal),
    },
  ]),
]
