import type { KeyObject } from 'node:crypto'
import type { AuthMethod, User } from '../deployment.ts'
import type { HttpRequest, HttpResponse } from '../http.ts'
import { verifyRs256 } from '../keys.ts'
import { type FollowingPage, type Pages, plainPages } from './pages.ts'
import type { Endpoint } from './paths.ts'

/** Lifetime of access tokens and ID tokens, in seconds. */
export const TOKEN_LIFETIME = 900

/** Changes a value that the provider processes. */
export type Edit<T> = (value: T, request: HttpRequest) => void | Promise<void>

/** A JWT (RFC 7519) before it is signed. `sign` returns the base64url signature of the signing input. */
export interface UnsignedJwt {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  sign: (input: string) => string | Promise<string>
}

/** An authorization code, a refresh token or a grant in the store, before it is validated. */
export interface StoredRecord {
  jti: string
  clientId?: string
  accountId?: string
  grantId?: string
  redirectUri?: string
  codeChallenge?: string | undefined
  /** Time of first use, in seconds since the epoch; unset while unused. */
  consumed?: number | undefined
  scope?: string
}

export interface IdentityBehaviour {
  /** Can respond to a request in place of the identity provider. */
  interceptors: ((request: HttpRequest) => HttpResponse | undefined)[]
  /** Edits the responses of an endpoint. */
  responses: Record<Endpoint, Edit<HttpResponse>[]>
  /** Edits the responses of the login and consent pages. */
  interactions: Edit<HttpResponse>[]

  /** Edits the query of an authorization request before it is validated. */
  authorizationRequest: Edit<URLSearchParams>[]
  /** Parameters that an authorization request must have in addition to those of OAuth. */
  requiredParameters: Set<string>
  pkceRequired: boolean
  redirectUriMatches: (requested: string, registered: readonly string[]) => boolean
  /** How an unregistered redirect_uri is refused: on a page, or by a redirect to this URI with an error. */
  redirectMismatch: 'page' | 'redirect'
  /** Error code for a scope without openid. */
  missingOpenidError: 'invalid_request' | 'invalid_scope'
  /** Whether a malformed request is refused at once or only after the user has logged in. */
  validation: 'before-login' | 'after-login'
  /** Error code for prompt=none without a session. */
  silentLoginError: 'login_required' | 'interaction_required'
  unknownAcr: 'refuse' | 'ignore'
  unknownScope: 'refuse' | 'drop'
  /** Whether users see the consent page once per application, in every authorization, or never. */
  consent: 'once' | 'always' | 'never'
  /** Error code when the user cancels. */
  cancelError: string
  pages: Pages
  /** Whether the form of the consent page gives consent to the scopes; otherwise the page is shown again. */
  consentGiven: (form: URLSearchParams, scopes: readonly string[]) => boolean
  afterLogin: FollowingPage | undefined
  afterConsent: FollowingPage | undefined
  /** The error of the account page for a new given name; undefined to accept the name. */
  givenNameError: (user: User, givenName: string) => string | undefined
  /** Whether the account page reports success but keeps the old given name. */
  discardsGivenName: boolean
  /** Account id of the session that a login starts. */
  accountAtLogin: (account: string) => string

  /** Value of a new authorization code; undefined for a random one. */
  codeValue: (code: StoredRecord) => string | undefined

  authMethod: AuthMethod
  enforceAuthMethod: boolean
  secretMatches: (given: string, expected: string) => boolean
  /** Edits the form of a token request before it is validated. */
  tokenRequest: Edit<URLSearchParams>[]
  /** Parameters that a code exchange must have in addition to those of OAuth. */
  requiredExchangeParameters: Set<string>
  /** Edits the record of a code that a request contains; likewise for refresh tokens and grants. */
  presentedCodes: Edit<StoredRecord>[]
  refreshTokenFound: Edit<StoredRecord>[]
  grantFound: Edit<StoredRecord>[]
  issueRefreshToken: boolean
  /** Whether the second application may use the refresh grant. */
  secondApplicationRefreshes: boolean
  /** In seconds. */
  codeLifetime: number
  /** In seconds. */
  accessTokenLifetime: number
  /** Whether a refresh returns a new refresh token, the old one, or none. */
  refreshRotation: 'rotate' | 'repeat' | 'omit'
  /** Whether a code or refresh token that was used this many milliseconds ago may be used again. */
  reusable: (model: string, usedMillisecondsAgo: number) => boolean
  /** Whether the second use of a code or refresh token also revokes the tokens issued from it. */
  replayRevokesFamily: boolean
  /** Error code for a grant that the client may not use. */
  unauthorizedGrantError: 'unauthorized_client' | 'invalid_request'

  idToken: Edit<UnsignedJwt>[]
  accessToken: Edit<UnsignedJwt>[]
  /** Form in which access tokens are issued. */
  accessTokenForm: 'jwt' | 'opaque'
  /** Whether the signature of a presented access token is valid. */
  accessTokenAccepted: (input: string, signature: string, keys: KeyObject[]) => boolean

  /** `reference`: introspection works as the reference section of the specification describes. */
  introspection: 'unavailable' | 'reference'
}

export function lawfulIdentity(): IdentityBehaviour {
  return {
    interceptors: [],
    responses: { discovery: [], authorization: [], token: [], userinfo: [], introspection: [], keySet: [] },
    interactions: [],
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
    consentGiven: () => true,
    afterLogin: undefined,
    afterConsent: undefined,
    givenNameError: () => undefined,
    discardsGivenName: false,
    accountAtLogin: (account) => account,
    codeValue: () => undefined,
    authMethod: 'client_secret_basic',
    enforceAuthMethod: true,
    secretMatches: (given, expected) => given === expected,
    tokenRequest: [],
    requiredExchangeParameters: new Set(['code_verifier']),
    presentedCodes: [],
    refreshTokenFound: [],
    grantFound: [],
    issueRefreshToken: true,
    secondApplicationRefreshes: false,
    codeLifetime: 60,
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
