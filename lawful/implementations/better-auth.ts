import type { RequestListener } from 'node:http'
import { consentPage, signInPage } from '../better-auth/pages.ts'
import {
  application,
  type Implementation,
  mapPaths,
  secondApplication,
  sendPage,
  user,
} from '../implementation.ts'
import { load } from '../import-package.ts'

interface Auth {
  readonly api: {
    adminCreateOAuthClient(options: {
      body: object
      headers: Headers
    }): Promise<{ client_id: string; client_secret: string }>
    signUpEmail(options: { body: object; returnHeaders: true }): Promise<{ headers: Headers }>
  }
}
type Plugin = (options: object) => unknown

const basePath = '/api/auth'

/** Better Auth with its OAuth provider plugin: opaque access tokens and consent pages, all data in memory. */
export const implementation: Implementation = {
  start: async (origin) => {
    const auth = await configured(origin)
    const { toNodeHandler } = await load<{ toNodeHandler: (auth: Auth) => RequestListener }>(
      'better-auth/node',
    )
    const body = { name: 'Test User', email: user.email, password: user.password }
    const { headers } = await auth.api.signUpEmail({ body, returnHeaders: true })
    const signedIn = new Headers({ cookie: headers.getSetCookie().join('; ') })
    const first = await register(auth, application.redirectUri, signedIn)
    const second = await register(auth, secondApplication.redirectUri, signedIn)
    const endpoints = toNodeHandler(auth)
    const ownPaths = {
      authorize: `${basePath}/oauth2/authorize`,
      token: `${basePath}/oauth2/token`,
      userinfo: `${basePath}/oauth2/userinfo`,
      introspect: `${basePath}/oauth2/introspect`,
    }
    return {
      listener: mapPaths(ownPaths, (request, response) => {
        const page = pages.get((request.url ?? '').replace(/\?.*/s, ''))
        return page === undefined ? endpoints(request, response) : sendPage(response, page)
      }),
      variables: {
        // offline_access is necessary for refresh tokens.
        SCOPE: 'openid profile email offline_access',
        CLIENT_ID: first.client_id,
        CLIENT_SECRET: first.client_secret,
        SECOND_CLIENT_ID: second.client_id,
        SECOND_CLIENT_SECRET: second.client_secret,
      },
    }
  },
}

async function configured(origin: string): Promise<Auth> {
  const { betterAuth } = await load<{ betterAuth: (options: object) => Auth }>('better-auth')
  const { jwt } = await load<{ jwt: Plugin }>('better-auth/plugins')
  const { memoryAdapter } = await load<{ memoryAdapter: (tables: object) => unknown }>(
    'better-auth/adapters/memory',
  )
  const { oauthProvider } = await load<{ oauthProvider: Plugin }>('@better-auth/oauth-provider')
  return betterAuth({
    baseURL: origin,
    basePath,
    secret: 'a-secret-of-an-implementation-that-lives-for-one-run',
    database: memoryAdapter(Object.fromEntries(tables.map((name) => [name, []]))),
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    plugins: [
      jwt({ jwt: { issuer: origin }, jwks: { keyPairConfig: { alg: 'RS256' } } }),
      oauthProvider({ loginPage: '/sign-in', consentPage: '/consent' }),
    ],
  })
}

/** The tables of Better Auth and of both plugins. */
const tables = [
  ...['user', 'session', 'account', 'verification', 'jwks'],
  ...['oauthClient', 'oauthResource', 'oauthClientResource', 'oauthClientAssertion'],
  ...['oauthRefreshToken', 'oauthAccessToken', 'oauthConsent'],
]

/** Only a signed-in user may register an application. */
function register({ api }: Auth, redirectUri: string, headers: Headers) {
  return api.adminCreateOAuthClient({
    headers,
    body: {
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
  })
}

/** Pages that Better Auth expects from the application, by path. */
const pages = new Map([
  ['/sign-in', signInPage],
  ['/consent', consentPage],
])
