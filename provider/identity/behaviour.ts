import type { KeyObject } from 'node:crypto'
import type { AuthMethod, User } from '../deployment.ts'
import type { Answer, Received } from '../http.ts'
import { verifyRs256 } from '../keys.ts'
import { TOKEN_LIFETIME } from './lifetimes.ts'
import { type Pages, plainPages } from './pages.ts'

/** A change to a value on its way through the provider. */
export type Step<T> = (value: T, received: Received) => void | Promise<void>

export type Endpoint = 'discovery' | 'authorization' | 'token' | 'userinfo' | 'introspection' | 'keySet'

/** A JWT (RFC 7519) about to be signed. `sign` turns the signing input into a base64url signature. */
export interface UnsignedJwt {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  sign: (input: string) => string | Promise<string>
}

/** An authorization code or refresh token as it came out of the store, before it is checked. */
export interface StoredGrantSource {
  jti: string
  clientId?: string
  accountId?: string
  grantId?: string
  redirectUri?: string
  codeChallenge?: string | undefined
  /** Seconds since the epoch at which it was used; unset while unused. */
  consumed?: number | undefined
  scope?: string
}

export interface IdentityBehaviour {
  /** Answers a request before anybody else does. */
  admission: ((received: Received) => Answer | undefined)[]
  /** Edits the answer of an endpoint. */
  answers: Record<Endpoint, Step<Answer>[]>

  /** Edits the query of an authorization request before it is validated. */
  authorizationRequest: Step<URLSearchParams>[]
  /** Authorization request parameters that must be there. */
  requiredParameters: Set<string>
  pkceRequired: boolean
  redirectUriMatches: (requested: string, registered: readonly string[]) => boolean
  /** How a redirect_uri that is not registered is refused: a page, or a redirect to it with an error. */
  redirectMismatch: 'page' | 'redirect'
  /** Error name when the scope lacks openid. */
  missingOpenidError: 'invalid_request' | 'invalid_scope'
  /** Whether a malformed request is refused at once, or only when the user has logged in. */
  validation: 'before-login' | 'after-login'
  /** Error name of prompt=none without a session. */
  silentLoginError: 'login_required' | 'interaction_required'
  unknownAcr: 'refuse' | 'ignore'
  unknownScope: 'refuse' | 'drop'
  /** Asked once per user and application, every time, or never. */
  consent: 'once' | 'always' | 'never'
  /** Error name when the user cancels. */
  cancelError: string
  pages: Pages
  /** Why a new given name cannot be saved; undefined where it can. */
  accountSaves: (user: User, givenName: string) => string | undefined
  /** Whether the account page keeps the old name and says that it saved the new one. */
  accountKeeps: boolean
  /** Account id given to a session at login. */
  accountAtLogin: (account: string) => string

  /** Value of a new authorization code; undefined for a random one. */
  codeValue: (code: StoredGrantSource) => string | undefined

  authMethod: AuthMethod
  enforceAuthMethod: boolean
  secretMatches: (given: string, expected: string) => boolean
  /** Edits the form of a token request before it is validated. */
  tokenRequest: Step<URLSearchParams>[]
  /** Parameters of a code exchange that must be there, beside those OAuth itself requires. */
  requiredExchangeParameters: Set<string>
  codeFound: Step<StoredGrantSource>[]
  refreshTokenFound: Step<StoredGrantSource>[]
  grantFound: Step<StoredGrantSource>[]
  issueRefreshToken: boolean
  /** Whether the second application has the refresh grant. */
  secondApplicationRefreshes: boolean
  /** Seconds an access token lives. */
  accessTokenLifetime: number
  /** Whether a refresh answers with a new refresh token, repeats the old one, or leaves it out. */
  refreshRotation: 'rotate' | 'repeat' | 'omit'
  /** Whether a code or refresh token that was used so many milliseconds ago may be used again. */
  reusable: (model: string, usedMillisecondsAgo: number) => boolean
  /** Whether using a code or refresh token twice also revokes what was issued from it. */
  replayRevokesFamily: boolean
  /** Error name for a grant the client may not use. */
  unauthorizedGrantError: 'unauthorized_client' | 'invalid_request'

  idToken: Step<UnsignedJwt>[]
  accessToken: Step<UnsignedJwt>[]
  /** Final form of an access token. */
  accessTokenForm: 'jwt' | 'opaque'
  /** Whether the signature of a presented access token is good. */
  accessTokenAccepted: (input: string, signature: string, keys: KeyObject[]) => boolean

  introspection: 'unavailable' | 'reference'
}

export function lawfulIdentity(): IdentityBehaviour {
  return {
    admission: [],
    answers: { discovery: [], authorization: [], token: [], userinfo: [], introspection: [], keySet: [] },
    authorizationRequest: [],
    requiredParameters: new Set(['state', 'nonce']),
    pkceRequired: true,
    redirectUriMatches: (requested, registered) => registered.includes(requested),
    redirectMismatch: 'page',
    missingOpenidError: 'invalid_request',
    validation: 'before-login',
    silentLoginError: 'login_required',
    unknownAcr: 'refuse',
    unknownScope: 'refuse',
    consent: 'once',
    cancelError: 'access_denied',
    pages: plainPages,
    accountSaves: () => undefined,
    accountKeeps: false,
    accountAtLogin: (account) => account,
    codeValue: () => undefined,
    authMethod: 'client_secret_basic',
    enforceAuthMethod: true,
    secretMatches: (given, expected) => given === expected,
    tokenRequest: [],
    requiredExchangeParameters: new Set(['code_verifier']),
    codeFound: [],
    refreshTokenFound: [],
    grantFound: [],
    issueRefreshToken: true,
    secondApplicationRefreshes: false,
    accessTokenLifetime: TOKEN_LIFETIME,
    refreshRotation: 'rotate',
    reusable: () => false,
    replayRevokesFamily: true,
    unauthorizedGrantError: 'unauthorized_client',
    idToken: [],
    accessToken: [],
    accessTokenForm: 'jwt',
    accessTokenAccepted: (input, signature, keys) => keys.some((key) => verifyRs256(input, signature, key)),
    introspection: 'unavailable',
  }
}
