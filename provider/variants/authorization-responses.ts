import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { leadsToSecondApplication, SECOND_APPLICATION_ID, SECOND_REDIRECT_URI } from '../deployment.ts'
import { editCallback, editResponse, isMismatchPage, redirectTo } from '../edits.ts'
import { type HttpRequest, type HttpResponse, htmlResponse, jsonResponse } from '../http.ts'
import { PATHS } from '../identity/paths.ts'
import { callbackOf } from '../identity/responses.ts'

/** Replaces the error code of errors with a matching description. */
function renameError(matches: (description: string) => boolean, to: string): Alter {
  return editCallback(({ searchParams }) => {
    if (matches(searchParams.get('error_description') ?? '')) searchParams.set('error', to)
  })
}

const longStates = [
  'AUTHZ-STATE-ECHO',
  'AUTHZ-ERROR-STATE',
  'AUTHZ-USER-CANCEL-ERROR',
  'AUTHZ-CONSENT-REFUSED-ERROR',
  'AUTHZ-PROMPT-NONE-ERROR',
]

/** A variant that refuses authorization requests with a state of more than 255 characters. */
function refusesLongStates(
  name: string,
  summary: string,
  refusal: (request: HttpRequest, state: string) => HttpResponse,
) {
  return {
    ...{ name, summary, concerns: longStates, mustPass: longStates },
    unspecified: 'The maximum length of a state is not specified.',
    alter: ({ idp }: Behaviour) => {
      idp.interceptors.push((request) => {
        const state = request.query.get('state') ?? ''
        return request.path === PATHS.authorization && state.length > 255
          ? refusal(request, state)
          : undefined
      })
    },
  }
}

/** Lawful redirects, error pages and error codes. */
export const authorizationResponseVariants = withSurface('authorization', [
  {
    name: 'parameters-repeated',
    summary: 'Repeats `code`, `state` and `error` in a redirect, with the same value.',
    concerns: [
      'AUTHZ-RESPONSE-QUERY',
      'AUTHZ-STATE-ECHO',
      'AUTHZ-ERROR-STATE',
      'AUTHZ-ERROR-SINGLE',
      'AUTHZ-NONCE-REQUIRED-ERROR',
    ],
    unspecified: 'Whether a parameter of a redirect may be repeated is not specified.',
    mustPass: ['AUTHZ-RESPONSE-QUERY', 'AUTHZ-STATE-ECHO', 'AUTHZ-ERROR-STATE', 'AUTHZ-ERROR-SINGLE'],
    alter: editCallback(({ searchParams }) => {
      for (const name of ['code', 'state', 'error']) {
        const value = searchParams.get(name)
        if (value !== null) searchParams.append(name, value)
      }
    }),
  },
  {
    name: 'consent-every-time',
    summary: 'Asks users for consent in every authorization.',
    concerns: [
      'AUTHZ-CODE-FLOW',
      'AUTHZ-PROMPT-NONE-SESSION',
      'AUTHZ-PROMPT-NONE-CONSENT',
      'AUTHZ-LEVEL-OPTIONAL',
    ],
    unspecified: 'When users are asked for consent is not specified.',
    alter: ({ idp }: Behaviour) => {
      idp.consent = 'always'
    },
  },
  {
    name: 'refused-consent-remembered',
    summary:
      'Returns the error `access_denied` for two more requests of an application after the user has refused consent.',
    concerns: ['AUTHZ-PROMPT-NONE-CONSENT-ERROR'],
    unspecified: 'Whether a refusal is remembered is not specified.',
    alter: ({ idp }: Behaviour) => {
      let remembered = 0
      idp.responses.authorization.push((response, request) => {
        const callback = callbackOf(response, request)
        if (
          callback &&
          leadsToSecondApplication(callback) &&
          callback.searchParams.get('error') === 'access_denied'
        )
          remembered = 2
        else if (remembered > 0 && request.query.get('client_id') === SECOND_APPLICATION_ID) {
          remembered -= 1
          const state = encodeURIComponent(request.query.get('state') ?? '')
          response.status = 302
          response.headers.location = `${SECOND_REDIRECT_URI}?error=access_denied&state=${state}`
        }
      })
    },
  },
  {
    name: 'silent-login-consent-required',
    summary: 'Returns the error `consent_required` for `prompt=none` without a session.',
    concerns: ['AUTHZ-PROMPT-NONE-ERROR'],
    unspecified: 'Three error codes share one cause: prompt=none when interaction is required.',
    mustPass: ['AUTHZ-PROMPT-NONE-ERROR'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') === 'login_required') searchParams.set('error', 'consent_required')
    }),
  },
  {
    name: 'state-not-ascii-refused',
    summary: 'Shows an error page for a state with non-ASCII characters.',
    concerns: ['AUTHZ-STATE-ECHO', 'AUTHZ-STATE-CHARACTERS'],
    unspecified: 'A state consists of visible ASCII characters and spaces (RFC 6749 appendix A.5).',
    mustPass: ['AUTHZ-STATE-ECHO'],
    alter: ({ idp }: Behaviour) => {
      idp.interceptors.push(({ path, query }) =>
        path === PATHS.authorization && /[^\x20-\x7e]/.test(query.get('state') ?? '')
          ? htmlResponse(400, '<!doctype html><title>Bad request</title><p>Malformed state.</p>')
          : undefined,
      )
    },
  },
  {
    name: 'nonce-longer-than-255-refused',
    summary: 'Refuses a nonce of more than 255 characters with `invalid_request`.',
    concerns: ['AUTHZ-CODE-FLOW', 'IDTOKEN-LATER'],
    unspecified: 'The maximum length of a nonce is not specified.',
    mustPass: ['AUTHZ-CODE-FLOW', 'IDTOKEN-LATER', 'IDTOKEN-SECOND-AUDIENCE', 'TOKEN-CODE-SINGLE-USE'],
    alter: ({ idp }: Behaviour) => {
      idp.authorizationRequest.push((query) => {
        // The provider then refuses the request, because it requires a nonce.
        if ((query.get('nonce') ?? '').length > 255) query.delete('nonce')
      })
    },
  },
  refusesLongStates(
    'state-longer-than-255-refused',
    'Refuses a state of more than 255 characters with `invalid_request`.',
    (request, state) =>
      redirectTo(
        302,
        `${request.query.get('redirect_uri')}?${new URLSearchParams({ error: 'invalid_request', state })}`,
      ),
  ),
  refusesLongStates(
    'state-longer-than-255-refused-on-a-page',
    'Shows an error page for a state of more than 255 characters.',
    () => htmlResponse(400, '<!doctype html><title>Bad request</title>'),
  ),
  {
    name: 'state-not-ascii-lost',
    summary: 'Replaces non-ASCII characters of the state with question marks in the redirect.',
    concerns: ['AUTHZ-STATE-ECHO', 'AUTHZ-STATE-CHARACTERS'],
    unspecified: 'A state consists of visible ASCII characters and spaces (RFC 6749 appendix A.5).',
    mustPass: ['AUTHZ-STATE-ECHO'],
    alter: editCallback(({ searchParams }) => {
      const state = searchParams.get('state')
      if (state !== null) searchParams.set('state', state.replace(/[^\x20-\x7e]/gu, '?'))
    }),
  },
  {
    name: 'silent-consent-interaction-required',
    summary: 'Returns the error `interaction_required` for `prompt=none` before the user has consented.',
    concerns: ['AUTHZ-PROMPT-NONE-CONSENT-ERROR'],
    unspecified: 'Several error codes are documented for prompt=none.',
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') === 'consent_required') searchParams.set('error', 'interaction_required')
    }),
  },
  {
    name: 'unmet-acr-denied',
    summary: 'Returns the error `access_denied` for `acr_values` that it cannot meet.',
    concerns: ['AUTHZ-ACR-UNMET'],
    unspecified: 'Two documented errors fit a level that cannot be reached.',
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') === 'unmet_authentication_requirements')
        searchParams.set('error', 'access_denied')
    }),
  },
  {
    name: 'unknown-acr-on-another-device',
    summary: 'Shows a page that waits for another device instead of refusing a level.',
    concerns: ['AUTHZ-ACR-UNMET', 'AUTHZ-AUTH-LEVEL-UNMET', 'AUTHZ-ACR-VALUES'],
    unspecified: 'How a level is reached, and whether unknown acr_values are refused, is not specified.',
    alter: editResponse('authorization', (response, request) => {
      const error = callbackOf(response, request)?.searchParams.get('error')
      if (error !== 'unmet_authentication_requirements') return
      const page =
        '<!doctype html><title>Sign in</title><p>Open the app on your phone.</p><script>const poll = () => {}</script>'
      delete response.headers.location
      Object.assign(response, htmlResponse(200, page))
    }),
  },
  {
    name: 'unmet-auth-level-as-unmet',
    summary:
      'Returns the error `unmet_authentication_requirements` for an `auth_level` for which the user has no factor.',
    concerns: ['AUTHZ-AUTH-LEVEL-UNMET'],
    unspecified: 'Two documented errors fit a level that cannot be reached.',
    alter: renameError((text) => text.includes('no factor'), 'unmet_authentication_requirements'),
  },
  {
    name: 'unknown-scope-malformed',
    summary: 'Returns the error `invalid_request` for an unknown scope.',
    concerns: ['AUTHZ-SCOPE-INVALID'],
    unspecified: 'A malformed parameter is an invalid request.',
    alter: renameError((text) => text.includes('scope is unknown'), 'invalid_request'),
  },
  {
    name: 'missing-response-type-unsupported',
    summary: 'Returns the error `unsupported_response_type` for a request without `response_type`.',
    concerns: ['AUTHZ-RESPONSE-TYPE-REQUIRED-ERROR'],
    mustPass: ['AUTHZ-RESPONSE-TYPE-REQUIRED-ERROR'],
    unspecified: 'A missing response_type is both a missing parameter and a response type other than code.',
    alter: renameError((text) => text.includes('response_type'), 'unsupported_response_type'),
  },
  {
    name: 'short-challenge-taken',
    summary:
      'Accepts a challenge of one character or more, but accepts no verifier for a malformed challenge.',
    concerns: ['AUTHZ-MALFORMED'],
    unspecified: 'When a malformed challenge is detected is not specified.',
    alter: ({ idp }: Behaviour) =>
      idp.authorizationRequest.push((query) => {
        const challenge = query.get('code_challenge')
        if (challenge && challenge.length < 43) query.set('code_challenge', challenge.padEnd(43, '-'))
      }),
  },
  {
    name: 'refusal-pages-as-json',
    summary: 'Returns 401 and a JSON body for errors that it does not redirect to an application.',
    concerns: ['AUTHZ-CLIENT-ID-REQUIRED', 'AUTHZ-CLIENT-ID-UNKNOWN', 'AUTHZ-REDIRECT-URI-REQUIRED'],
    unspecified: 'The response to a request without a known application is not specified.',
    alter: editResponse('authorization', (response) => {
      if (response.status !== 400 || isMismatchPage(response)) return
      Object.assign(response, jsonResponse(401, { error: 'invalid_client' }))
    }),
  },
  {
    name: 'code-redirects-303',
    summary: 'Redirects a code with status 303 and an error with 302.',
    concerns: ['AUTHZ-SUCCESS-STATUS', 'AUTHZ-REDIRECT-302', 'AUTHZ-CODE-FLOW'],
    unspecified: 'The status of the successful redirect is not specified.',
    alter: editCallback(({ searchParams }, _, response) => {
      if (searchParams.has('code')) response.status = 303
    }),
  },
  {
    name: 'redirect-host-in-capitals',
    summary: 'Writes the host in upper case in the redirect to the application.',
    concerns: ['AUTHZ-CODE-ADDRESS', 'AUTHZ-CODE-FLOW'],
    unspecified: 'Hosts are case-insensitive (RFC 3986 section 6.2.2.1).',
    alter: editResponse('authorization', (response, request) => {
      const url = callbackOf(response, request)
      if (url) response.headers.location = url.href.replace(url.host, url.host.toUpperCase())
    }),
  },
  {
    name: 'response-with-more-parameters',
    summary:
      'Adds `session_state` to redirects to the application, and `error_uri` to errors in place of the description.',
    concerns: ['AUTHZ-NO-TOKEN', 'AUTHZ-RESPONSE-PARAMETERS', 'AUTHZ-ERROR-PARAMETERS'],
    unspecified: 'Additional parameters are not excluded.',
    alter: editCallback(({ searchParams }) => {
      searchParams.set('session_state', 'a1b2c3.d4e5f6')
      if (searchParams.has('error')) searchParams.set('error_uri', 'https://partner.invalid/errors')
      searchParams.delete('error_description')
    }),
  },
])
