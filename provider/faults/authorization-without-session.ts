import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import type { HttpRequest } from '../http.ts'

/** Edits the query of authorization requests from users without a session. */
function editWithoutSession(edit: (query: URLSearchParams) => void): (behaviour: Behaviour) => void {
  return ({ idp }) =>
    idp.authorizationRequest.push((query, request) => {
      if (!hasSession(request)) edit(query)
    })
}

function hasSession({ headers }: HttpRequest): boolean {
  return /(^|; )_session=/.test(headers.cookie ?? '')
}

/** Accepts further redirect URIs from users without a session. */
function alsoMatchWithoutSession(
  matches: (requested: string, registered: string) => boolean,
): (behaviour: Behaviour) => void {
  return ({ idp }) => {
    let isWithoutSession = false
    idp.authorizationRequest.push((_, request) => {
      isWithoutSession = !hasSession(request)
    })
    const { redirectUriMatches } = idp
    idp.redirectUriMatches = (requested, registered) =>
      redirectUriMatches(requested, registered) ||
      (isWithoutSession && registered.some((uri) => matches(requested, uri)))
  }
}

/** The example of RFC 7636 appendix B. */
const exampleChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/** Invalid requests that the provider accepts from users without a session. */
export const authorizationWithoutSessionFaults = withSurface('authorization-request', [
  {
    name: 'pkce-optional-at-the-login',
    summary: 'Accepts a request without PKCE if the user signs in during the request.',
    violates: ['AUTHZ-PKCE-REQUIRED'],
    alter: editWithoutSession((query) => {
      if (query.has('code_challenge') || query.has('code_challenge_method')) return
      query.set('code_challenge', exampleChallenge)
      query.set('code_challenge_method', 'S256')
    }),
  },
  {
    name: 'pkce-plain-accepted-at-the-login',
    summary: 'Accepts `code_challenge_method=plain` if the user signs in during the request.',
    violates: ['AUTHZ-PKCE-S256-ONLY'],
    alter: editWithoutSession((query) => {
      if (query.get('code_challenge_method') === 'plain') query.set('code_challenge_method', 'S256')
    }),
  },
  {
    name: 'openid-added-at-the-login',
    summary: 'Adds `openid` to a scope that lacks it if the user signs in during the request.',
    violates: ['AUTHZ-OPENID-SCOPE'],
    alter: editWithoutSession((query) => {
      const scope = query.get('scope')
      if (scope && !scope.includes('openid')) query.set('scope', `openid ${scope}`)
    }),
  },
  {
    name: 'redirect-uri-subdomain-accepted-at-the-login',
    summary:
      'Accepts a redirect URI on a subdomain of the registered host if the user signs in during the request.',
    violates: ['AUTHZ-REDIRECT-URI-HOST'],
    alter: alsoMatchWithoutSession(isBelow),
  },
  {
    name: 'redirect-uri-prefix-accepted-at-the-login',
    summary:
      'Accepts a redirect URI that begins with a registered one if the user signs in during the request.',
    violates: ['AUTHZ-REDIRECT-URI-PATH'],
    alter: alsoMatchWithoutSession((requested, registered) => requested.startsWith(registered)),
  },
])

/** Whether the requested URI is the registered URI on a subdomain of its host. */
function isBelow(requested: string, registered: string): boolean {
  const [requestedUrl, registeredUrl] = [URL.parse(requested), URL.parse(registered)]
  if (!requestedUrl || !registeredUrl || !requestedUrl.host.endsWith(`.${registeredUrl.host}`)) return false
  return requestedUrl.pathname === registeredUrl.pathname
}
