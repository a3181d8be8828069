import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import {
  editCallback,
  editResponse,
  isMismatchPage,
  redirectTo,
  showMismatchAfterRedirect,
  showPages,
} from '../edits.ts'
import { jsonResponse } from '../http.ts'
import { WITHOUT_LOGIN } from './inconclusive.ts'
import {
  buttonsInBrackets,
  consentInVolapuk,
  loginByScript,
  loginInFinnish,
  loginInTwoSteps,
} from './pages.ts'

/** Requirements on redirect URIs that differ from the registered one. */
export const alteredRedirectUris = [
  'AUTHZ-REDIRECT-URI-SCHEME',
  'AUTHZ-REDIRECT-URI-HOST',
  'AUTHZ-REDIRECT-URI-PORT',
  'AUTHZ-REDIRECT-URI-PATH',
  'AUTHZ-REDIRECT-URI-PATH-CASE',
  'AUTHZ-REDIRECT-URI-TRAILING-SLASH',
  'AUTHZ-REDIRECT-URI-SPELLING',
  'AUTHZ-REDIRECT-URI-OTHER-CLIENT',
  'AUTHZ-REDIRECT-URI-QUERY',
  'AUTHZ-REDIRECT-URI-USER',
  'AUTHZ-REDIRECT-URI-FRAGMENT',
]

const mismatch = [...alteredRedirectUris, 'PLATFORM-REDIRECT-MISMATCH', 'PLATFORM-REDIRECT-MISMATCH-ERROR']

/** Registers another redirect URI for the first application, and sets REDIRECT_URI to it. */
function register(redirectUri: string): Alter {
  return ({ idp, variables }) => {
    variables.REDIRECT_URI = redirectUri
    const { redirectUriMatches } = idp
    idp.redirectUriMatches = (requested, [first = '', ...others]) =>
      redirectUriMatches(requested, [first.startsWith('https://partner.') ? redirectUri : first, ...others])
  }
}

export const authorizationVariants = withSurface('authorization', [
  {
    name: 'missing-openid-invalid-scope',
    summary: 'Returns the error `invalid_scope` for a scope without `openid`.',
    concerns: ['AUTHZ-OPENID-SCOPE-ERROR', 'AUTHZ-SCOPE-REQUIRED-ERROR'],
    unspecified: 'Two error codes are documented for a scope without openid.',
    mustPass: ['AUTHZ-OPENID-SCOPE-ERROR', 'AUTHZ-SCOPE-REQUIRED-ERROR'],
    alter: ({ idp }: Behaviour) => {
      idp.missingOpenidError = 'invalid_scope'
    },
  },
  {
    name: 'redirect-uri-with-private-use-scheme',
    summary: 'Redirects to a redirect URI without a host, such as that of a native application.',
    concerns: mismatch,
    unspecified: 'The scheme of redirect URIs is not specified.',
    mustPass: ['AUTHZ-REDIRECT-URI-PATH', 'PLATFORM-REDIRECT-MISMATCH'],
    alter: register('com.example.partner:/callback'),
  },
  {
    name: 'redirect-uri-with-query',
    summary: 'Redirects to a redirect URI that has a query, and keeps its parameters.',
    concerns: [
      ...mismatch,
      'AUTHZ-CODE-ADDRESS',
      'AUTHZ-ERROR-REDIRECT',
      'TOKEN-REDIRECT-URI-MATCH',
      'TOKEN-REDIRECT-URI-QUERY',
    ],
    unspecified: 'Whether redirect URIs have a query is not specified.',
    mustPass: ['AUTHZ-CODE-ADDRESS', 'AUTHZ-ERROR-REDIRECT', 'AUTHZ-REDIRECT-URI-QUERY'],
    alter: register('https://partner.invalid/callback?tenant=north+west&tenant=south&plan=a%2Bb'),
  },
  {
    name: 'mismatch-redirected',
    summary: 'Returns the error `redirect_uri_mismatch` in a redirect to an unregistered redirect URI.',
    concerns: mismatch,
    unspecified: 'A mismatch may return 400 or 302.',
    alter: ({ idp }: Behaviour) => {
      idp.redirectMismatch = 'redirect'
    },
  },
  {
    name: 'mismatch-as-json',
    summary: 'Refuses an unregistered redirect URI with 400 and a JSON body.',
    concerns: mismatch,
    unspecified: 'The body of the 400 is not specified.',
    alter: editResponse('authorization', (response) => {
      if (isMismatchPage(response))
        Object.assign(response, jsonResponse(400, { error: 'redirect_uri_mismatch' }))
    }),
  },
  {
    name: 'mismatch-page-after-302',
    summary: 'Redirects with status 302 to a page with status 200 for an unregistered redirect URI.',
    concerns: mismatch,
    unspecified: 'The status of a page to which a 302 leads is not specified.',
    mustPass: ['PLATFORM-REDIRECT-MISMATCH'],
    alter: showMismatchAfterRedirect(302, 200),
  },
  {
    name: 'mismatch-page-with-400-after-303',
    summary: 'Redirects with status 303 to a page with status 400 for an unregistered redirect URI.',
    concerns: mismatch,
    unspecified: 'Whether a redirect precedes the 400 is not specified.',
    mustPass: ['PLATFORM-REDIRECT-MISMATCH'],
    alter: showMismatchAfterRedirect(303, 400),
  },
  {
    name: 'mismatch-redirected-after-307',
    summary:
      'Redirects with status 307 to the same path, and then with status 302 and an error, for an unregistered redirect URI.',
    concerns: mismatch,
    unspecified: 'Whether a redirect precedes the 302 is not specified.',
    mustPass: ['PLATFORM-REDIRECT-MISMATCH'],
    alter: (behaviour) => {
      behaviour.idp.redirectMismatch = 'redirect'
      editResponse('authorization', (response, { path, query }) => {
        if (!String(response.headers.location).includes('error=redirect_uri_mismatch')) return
        if (!query.has('gateway')) Object.assign(response, redirectTo(307, `${path}?${query}&gateway=1`))
      })(behaviour)
    },
  },
  {
    name: 'validation-after-login',
    summary: 'Validates an authorization request only after the user has signed in.',
    concerns: [
      'AUTHZ-ERROR-REDIRECT',
      'AUTHZ-STATE-REQUIRED',
      'AUTHZ-NONCE-REQUIRED',
      'AUTHZ-NONCE-REQUIRED-ERROR',
      'AUTHZ-PKCE-REQUIRED',
      'AUTHZ-PKCE-S256-ONLY',
      'AUTHZ-OPENID-SCOPE',
      'AUTHZ-RESPONSE-TYPE',
      'AUTHZ-RESPONSE-TYPE-ID-TOKEN',
      'AUTHZ-RESPONSE-TYPE-HYBRID',
      'AUTHZ-RESPONSE-TYPE-REQUIRED',
      'AUTHZ-CHALLENGE-REQUIRED',
      'AUTHZ-CHALLENGE-METHOD-REQUIRED',
      'AUTHZ-SCOPE-REQUIRED',
      'AUTHZ-CLIENT-ID-REQUIRED',
      'AUTHZ-CLIENT-ID-UNKNOWN',
      'AUTHZ-REDIRECT-URI-REQUIRED',
    ],
    unspecified: 'When a request is validated is not specified.',
    alter: ({ idp }: Behaviour) => {
      idp.validation = 'after-login'
    },
  },
  {
    name: 'silent-interaction-required',
    summary: 'Returns the error `interaction_required` for `prompt=none` without a session.',
    concerns: ['AUTHZ-PROMPT-NONE-ERROR'],
    unspecified: 'Several error codes are documented for prompt=none.',
    alter: ({ idp }: Behaviour) => {
      idp.silentLoginError = 'interaction_required'
    },
  },
  {
    name: 'unknown-scope-dropped',
    summary: 'Ignores an unknown scope.',
    concerns: ['AUTHZ-SCOPE-INVALID', 'AUTHZ-OPENID-SCOPE', 'AUTHZ-OPENID-SCOPE-ERROR'],
    unspecified: 'A provider may ignore unknown scopes.',
    alter: ({ idp }: Behaviour) => {
      idp.unknownScope = 'drop'
    },
  },
  {
    name: 'unknown-acr-ignored',
    summary: 'Ignores unknown `acr_values`.',
    concerns: [
      'AUTHZ-ACR-UNMET',
      'AUTHZ-ACR-VALUES',
      'AUTHZ-AUTH-LEVEL',
      'AUTHZ-LEVEL-CLAIMED',
      'IDTOKEN-ACR',
    ],
    unspecified: 'acr_values are voluntary, and their values are not specified.',
    mustPass: ['AUTHZ-LEVEL-CLAIMED'],
    alter: ({ idp }: Behaviour) => {
      idp.unknownAcr = 'ignore'
    },
  },
  {
    name: 'no-consent-page',
    summary: 'Shows no consent page.',
    concerns: [
      'AUTHZ-CODE-FLOW',
      'AUTHZ-USER-CANCEL',
      'AUTHZ-CONSENT-REFUSED',
      'AUTHZ-PROMPT-NONE-CONSENT',
      'AUTHZ-PROMPT-NONE-CONSENT-ERROR',
    ],
    unspecified: 'Whether there is a consent page is not specified.',
    alter: ({ idp }: Behaviour) => {
      idp.consent = 'never'
    },
  },
  {
    name: 'login-in-two-steps',
    summary: 'Asks for the user name on the login page, and for the password on the next page.',
    concerns: ['AUTHZ-CODE-FLOW', 'AUTHZ-USER-CANCEL'],
    unspecified: 'The login page is not specified.',
    alter: showPages(loginInTwoSteps),
  },
  {
    name: 'buttons-in-brackets',
    summary: 'Writes the texts of all buttons in brackets.',
    concerns: ['AUTHZ-CODE-FLOW', 'AUTHZ-USER-CANCEL', 'AUTHZ-CONSENT-REFUSED'],
    unspecified: 'The login page is not specified.',
    mustPass: ['AUTHZ-CODE-FLOW', 'AUTHZ-USER-CANCEL', 'AUTHZ-CONSENT-REFUSED'],
    alter: showPages(buttonsInBrackets),
  },
  {
    name: 'login-in-finnish',
    summary: 'Shows pages in Finnish, with other field ids and with input elements as buttons.',
    concerns: ['AUTHZ-CODE-FLOW', 'AUTHZ-USER-CANCEL'],
    unspecified: 'The login page is not specified.',
    alter: showPages(loginInFinnish),
  },
  {
    name: 'consent-not-understood',
    summary: 'Shows the consent page in a constructed language.',
    concerns: ['AUTHZ-CODE-FLOW'],
    unspecified: 'The consent page is not specified.',
    mustBeInconclusive: ['AUTHZ-CODE-FLOW', 'TOKEN-CODE-EXCHANGE', 'IDTOKEN-SIGNATURE', 'USERINFO-BEARER'],
    mayBeInconclusive: WITHOUT_LOGIN,
    alter: showPages(consentInVolapuk),
  },
  {
    name: 'login-by-script',
    summary: 'Adds the login form by a script shortly after the page has loaded.',
    concerns: ['AUTHZ-CODE-FLOW', 'AUTHZ-USER-CANCEL'],
    unspecified: 'The login page is not specified.',
    alter: showPages(loginByScript),
  },
  {
    name: 'response-without-iss',
    summary: 'Omits `iss` from the redirect to the application.',
    concerns: ['AUTHZ-ISS', 'AUTHZ-RESPONSE-PARAMETERS'],
    unspecified: 'iss is "possibly" present.',
    alter: editCallback(({ searchParams }) => searchParams.delete('iss')),
  },
  {
    name: 'response-with-external-user-id',
    summary: 'Adds `am-ext-user-id` to the redirect to the application.',
    concerns: ['AUTHZ-EXTERNAL-USER-ID', 'AUTHZ-RESPONSE-PARAMETERS'],
    unspecified: 'am-ext-user-id is "possibly" present.',
    alter: editCallback(({ searchParams }) => {
      if (searchParams.has('code')) searchParams.set('am-ext-user-id', 'external-4711')
    }),
  },
])
