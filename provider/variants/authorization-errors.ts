import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { PASSWORD_LEVEL, SECOND_FACTOR_LEVEL } from '../deployment.ts'
import { editCallback, editResponse } from '../edits.ts'
import { type HttpRequest, htmlResponse } from '../http.ts'
import { PATHS } from '../identity/paths.ts'
import { callbackOf } from '../identity/responses.ts'

/** Whether a request is for a response type without a code. */
function isImplicit({ query }: HttpRequest): boolean {
  return ['token', 'id_token'].includes(query.get('response_type') ?? '')
}

/** Redirects a request without `parameter` to the redirect URI of the first request, with an error. */
function redirectWithout(parameter: 'client_id' | 'redirect_uri', error: string): Alter {
  return (behaviour) => {
    let redirectUri: string | undefined
    editResponse('authorization', (response, { path, query }) => {
      if (path !== PATHS.authorization) return
      redirectUri ??= query.get('redirect_uri') ?? undefined
      if (redirectUri === undefined || query.has(parameter) || response.status !== 400) return
      const url = new URL(redirectUri)
      url.searchParams.set('error', error)
      url.searchParams.set('state', query.get('state') ?? '')
      Object.assign(response, { status: 302, headers: { location: url.href }, body: '' })
    })(behaviour)
  }
}

/** Returns `invalid_request` if a request is for a response type without a code, and its query matches. */
function refuseImplicit(matches: (query: URLSearchParams) => boolean): Alter {
  return editCallback(({ searchParams }, request) => {
    if (isImplicit(request) && matches(request.query)) searchParams.set('error', 'invalid_request')
  })
}

/** Shows a page with links in place of an error with a matching description. */
function offerLinks(matches: RegExp, title: string, links: readonly string[]): Alter {
  return editResponse('authorization', (response, request) => {
    const description = callbackOf(response, request)?.searchParams.get('error_description') ?? ''
    if (!matches.test(description)) return
    delete response.headers.location
    const items = links.map((text, index) => `<li><a href="/continue/${index}">${text}</a></li>`)
    const html = `<!doctype html><title>${title}</title><h1>${title}</h1><ul>${items.join('')}</ul>`
    Object.assign(response, htmlResponse(200, html))
  })
}

const implicitErrors = ['AUTHZ-RESPONSE-TYPE-ERROR', 'AUTHZ-RESPONSE-TYPE-ID-TOKEN-ERROR']
const levels = 'Whether a provider honours a requested level is not specified.'

const errorCodes = [
  {
    name: 'missing-client-redirected',
    summary: 'Returns the error `invalid_request` in a redirect for a request without `client_id`.',
    concerns: ['AUTHZ-CLIENT-ID-REQUIRED', 'AUTHZ-CLIENT-ID-REQUIRED-ERROR'],
    unspecified: 'Where an error goes without a known application is not specified.',
    mustPass: ['AUTHZ-CLIENT-ID-REQUIRED-ERROR'],
    alter: redirectWithout('client_id', 'invalid_request'),
  },
  {
    name: 'missing-redirect-uri-redirected',
    summary: 'Returns the error `invalid_request` in a redirect for a request without `redirect_uri`.',
    concerns: ['AUTHZ-REDIRECT-URI-REQUIRED', 'AUTHZ-REDIRECT-URI-REQUIRED-ERROR'],
    unspecified: 'Where an error goes without a redirect URI is not specified.',
    mustPass: ['AUTHZ-REDIRECT-URI-REQUIRED-ERROR'],
    alter: redirectWithout('redirect_uri', 'invalid_request'),
  },
  {
    name: 'missing-redirect-uri-as-mismatch',
    summary: 'Returns the error `redirect_uri_mismatch` in a redirect for a request without `redirect_uri`.',
    concerns: ['AUTHZ-REDIRECT-URI-REQUIRED', 'AUTHZ-REDIRECT-URI-REQUIRED-ERROR'],
    unspecified: 'A missing redirect_uri is a missing parameter, and also not a registered redirect URI.',
    mustPass: ['AUTHZ-REDIRECT-URI-REQUIRED-ERROR'],
    alter: redirectWithout('redirect_uri', 'redirect_uri_mismatch'),
  },
  {
    name: 'pkce-before-response-type',
    summary:
      'Validates PKCE first: `response_type=token` and `id_token` without PKCE return the error `invalid_request`.',
    concerns: implicitErrors,
    unspecified: 'PKCE is required in every request, so the request has two flaws.',
    mustPass: implicitErrors,
    alter: refuseImplicit((query) => !query.has('code_challenge')),
  },
  {
    name: 'pkce-without-code-refused',
    summary: 'Returns the error `invalid_request` for `response_type=token` and `id_token` with PKCE.',
    concerns: implicitErrors,
    unspecified: 'PKCE has no meaning in a flow without a code.',
    mustPass: implicitErrors,
    alter: refuseImplicit((query) => query.has('code_challenge')),
  },
]

const errorForms = [
  {
    name: 'other-response-types-in-fragment',
    summary: 'Puts errors of response types other than `code` in the fragment.',
    concerns: ['AUTHZ-ERROR-QUERY', 'AUTHZ-ERROR-FRAGMENT', ...implicitErrors],
    unspecified: 'OAuth puts errors of these response types in the fragment.',
    mustPass: ['AUTHZ-ERROR-QUERY', 'AUTHZ-RESPONSE-TYPE-HYBRID-ERROR', ...implicitErrors],
    alter: editCallback((url, { query }) => {
      if (!['token', 'id_token', 'code id_token'].includes(query.get('response_type') ?? '')) return
      url.hash = url.search.slice(1)
      url.search = ''
    }),
  },
  ...[
    { name: 'code', members: ['code'] },
    { name: 'tokens', members: ['access_token', 'id_token'] },
  ].map(({ name, members }) => ({
    name: `errors-with-empty-${name}`,
    summary: `Adds an empty ${members.map((member) => `\`${member}\``).join(' and ')} to each redirect with an error.`,
    concerns: ['AUTHZ-ERROR-WITHOUT-CODE', 'AUTHZ-RESPONSE-TYPE-ERROR', 'AUTHZ-NONCE-REQUIRED'],
    unspecified: 'Additional parameters are not excluded; an empty code or token issues nothing.',
    mustPass: ['AUTHZ-ERROR-WITHOUT-CODE', 'AUTHZ-RESPONSE-TYPE-ERROR', 'AUTHZ-NONCE-REQUIRED'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('error')) for (const member of members) searchParams.set(member, '')
    }),
  })),
  {
    name: 'missing-nonce-asks-first',
    summary: 'Shows a page in a constructed language, and waits for the user, if a request has no `nonce`.',
    concerns: ['AUTHZ-ERROR-REDIRECT', 'AUTHZ-NONCE-REQUIRED', 'AUTHZ-NONCE-REQUIRED-ERROR'],
    unspecified: 'What users are asked before a request is validated is not specified.',
    mustPass: ['AUTHZ-ERROR-REDIRECT'],
    mustBeInconclusive: ['AUTHZ-NONCE-REQUIRED', 'AUTHZ-NONCE-REQUIRED-ERROR'],
    alter: editResponse('authorization', (response, request) => {
      if (!callbackOf(response, request) || !request.query.has('client_id') || request.query.has('nonce'))
        return
      delete response.headers.location
      const button = '<button type="button">Fümedolös</button>'
      Object.assign(response, htmlResponse(200, `<!doctype html><title>Säk</title>${button}`))
    }),
  },
  {
    name: 'refusal-fails-once',
    summary: 'Replaces the first error with `server_error`; later errors are unchanged.',
    concerns: ['AUTHZ-ERROR-REDIRECT', 'AUTHZ-RESPONSE-TYPE-REQUIRED-ERROR', 'AUTHZ-STATE-REQUIRED-ERROR'],
    unspecified: 'server_error is a transient failure, after which a client retries.',
    mustPass: ['AUTHZ-RESPONSE-TYPE-REQUIRED-ERROR', 'AUTHZ-STATE-REQUIRED-ERROR'],
    alter: (behaviour: Behaviour) => {
      let failed = false
      editCallback(({ searchParams }) => {
        if (failed || !searchParams.has('error')) return
        failed = true
        searchParams.set('error', 'server_error')
      })(behaviour)
    },
  },
]

const authenticationLevels = [
  {
    name: 'auth-level-ignored',
    summary: 'Ignores `auth_level`: it returns a code, and the ID token has the level of the login.',
    concerns: ['AUTHZ-LEVEL-CLAIMED', 'AUTHZ-AUTH-LEVEL-UNMET', 'AUTHZ-AUTH-LEVEL'],
    unspecified: levels,
    mustPass: ['AUTHZ-LEVEL-CLAIMED'],
    alter: ({ idp }: Behaviour) => idp.authorizationRequest.push((query) => query.delete('auth_level')),
  },
  {
    name: 'password-reaches-every-level',
    summary: 'Accepts a password for every known level, and returns the requested level in the ID token.',
    concerns: ['AUTHZ-ACR-LOWERED', 'AUTHZ-ACR-UNMET'],
    unspecified: 'Which factors a level needs is not specified.',
    mustPass: ['AUTHZ-ACR-LOWERED'],
    alter: ({ idp }: Behaviour) => {
      const nonces = new Set<unknown>()
      idp.authorizationRequest.push((query) => {
        if (query.get('acr_values') !== SECOND_FACTOR_LEVEL) return
        query.set('acr_values', PASSWORD_LEVEL)
        nonces.add(query.get('nonce'))
      })
      idp.idToken.push(({ claims }) => {
        if (nonces.has(claims.nonce)) claims.acr = SECOND_FACTOR_LEVEL
      })
    },
  },
  {
    name: 'unreached-level-offers-factor',
    summary:
      'Shows a page with a link to set up a second factor instead of refusing a level that the login does not reach.',
    concerns: ['AUTHZ-ACR-UNMET', 'AUTHZ-AUTH-LEVEL-UNMET'],
    unspecified: 'How a user reaches a level is not specified.',
    mustPass: ['AUTHZ-ACR-UNMET'],
    alter: offerLinks(/was not reached|has no factor/, 'Your account needs a second factor', [
      'Set it up now',
    ]),
  },
  {
    name: 'unknown-acr-offers-methods',
    summary: 'Shows a page with links to several login methods instead of refusing unknown `acr_values`.',
    concerns: ['AUTHZ-ACR-UNMET', 'AUTHZ-ACR-VALUES'],
    unspecified: 'Whether unknown acr_values are refused is not specified.',
    mustPass: ['AUTHZ-ACR-UNMET'],
    alter: offerLinks(/levels is known/, 'Choose how to continue', [
      'Bank A',
      'Bank B',
      'Mobile certificate',
    ]),
  },
]

export const authorizationErrorVariants = withSurface('authorization', [
  ...errorCodes,
  ...errorForms,
  ...authenticationLevels,
])
