import type { RequestListener, ServerResponse } from 'node:http'

/** Another implementation of OAuth and OpenID Connect that serves as a target. */
export interface Implementation {
  /**
   * Configures the implementation with the applications and the user of this file.
   * @param origin the address that `listener` will serve
   */
  readonly start: (origin: string) => Promise<Served>
}

interface Served {
  readonly listener: RequestListener
  /** Configuration variables that replace those of `variablesOf`. */
  readonly variables?: Readonly<Record<string, string>>
}

/** The application under test. An implementation that issues client identifiers itself uses only its redirect URI. */
export const application = {
  id: 'conformance',
  secret: 'a-secret-of-the-application-under-test',
  redirectUri: 'https://partner.example.com/callback',
} as const

/** The second application, for checks that send a code of the other application. */
export const secondApplication = {
  id: 'conformance-second',
  secret: 'a-secret-of-the-second-application',
  redirectUri: 'https://second.example.com/callback',
} as const

/** The user that signs in. */
export const user = { email: 'test.user@example.com', password: 'correct horse battery staple' } as const

/** The documented paths that an implementation has to serve. */
export const documented = {
  authorize: '/mga/sps/oauth/oauth20/authorize',
  token: '/mga/sps/oauth/oauth20/token',
  userinfo: '/mga/sps/oauth/oauth20/userinfo',
  introspect: '/mga/sps/oauth/oauth20/introspect',
  discovery: '/.well-known/openid-configuration',
} as const

/** The configuration of a run, like a `.env.uat` file. */
export function variablesOf(origin: string, { variables }: Served): Record<string, string> {
  return {
    IDP_BASE_URL: origin,
    PRODUCTION_HOSTS: 'none',
    CLIENT_ID: application.id,
    CLIENT_SECRET: application.secret,
    REDIRECT_URI: application.redirectUri,
    SECOND_CLIENT_ID: secondApplication.id,
    SECOND_CLIENT_SECRET: secondApplication.secret,
    SECOND_REDIRECT_URI: secondApplication.redirectUri,
    SCOPE: 'openid profile email',
    TEST_USER: user.email,
    TEST_PASSWORD: user.password,
    ENABLE: 'credential-probes,token-destruction',
    REQUESTS_PER_SECOND: '500',
    SEED: '1',
    ...variables,
  }
}

/** Maps documented paths to the listener's paths. The listener's paths remain reachable. */
export function mapPaths(
  own: Partial<Readonly<Record<keyof typeof documented, string>>>,
  listener: RequestListener,
): RequestListener {
  const ownPaths = new Map(
    Object.entries(documented).map(([name, path]) => [path, own[name as keyof typeof documented]] as const),
  )
  return (request, response) => {
    const [path = '', ...query] = (request.url ?? '').split('?')
    const ownPath = ownPaths.get(path as (typeof documented)[keyof typeof documented])
    if (ownPath !== undefined) request.url = [ownPath, ...query].join('?')
    return listener(request, response)
  }
}

/** Sends an HTML page. */
export function sendPage(response: ServerResponse, page: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
}
