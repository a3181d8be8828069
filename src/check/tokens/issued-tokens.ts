import type { HttpResponse } from '../../http/response.ts'
import type { AuthorizationRequest } from '../../oauth/authorization-request.ts'
import { type DecodedJwt, decodeJwt } from '../../oauth/jwt.ts'
import { issuedAccessToken, usableToken } from '../../oauth/token-keeper.ts'
import { Inconclusive } from '../verdict.ts'

/** Resolution of times in JWTs, in milliseconds: JWTs of the same second may be equal if they have no unique claim. */
export const issueTimeStepMs = 1000

/** A response to a code exchange, with the authorization request. */
export interface Exchanged {
  readonly response: HttpResponse
  readonly request: AuthorizationRequest
}

/** The tokens of an accepted code exchange. */
export interface Tokens extends Exchanged {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly idToken: string | undefined
  /** Milliseconds since the epoch, by the local clock. */
  readonly receivedAt: number
}

export type TokenKind = 'accessToken' | 'idToken'

/** A token, decoded. @throws {Inconclusive} if the token is absent or not a JWT */
export function decodedToken(tokens: Pick<Tokens, 'accessToken' | 'idToken'>, kind: TokenKind): DecodedJwt {
  const token = tokens[kind]
  if (token === undefined)
    throw new Inconclusive('the code exchange returned no ID token', ['TOKEN-ID-TOKEN-ISSUED'])
  const decoded = decodeJwt(token)
  if (decoded) return decoded
  throw kind === 'idToken'
    ? new Inconclusive('the ID token is not a JWT', ['IDTOKEN-JWT'])
    : new Inconclusive('the access token is not a JWT', ['ACCESSTOKEN-JWT'])
}

/** @throws {Inconclusive} if a code exchange returned no refresh token */
export function refreshTokenOf({ refreshToken }: Pick<Tokens, 'refreshToken'>): string {
  if (refreshToken !== undefined) return refreshToken
  throw new Inconclusive('the code exchange returned no refresh token', ['TOKEN-REFRESH-TOKEN-ISSUED'])
}

/** Whether the lifetime of the access token (`expires_in`) has ended; false if the response states no lifetime. */
export function hasExpired({ response, receivedAt }: Pick<Tokens, 'response' | 'receivedAt'>): boolean {
  const lifetime = Number(response.object?.expires_in ?? Number.NaN)
  return Date.now() >= receivedAt + 1000 * lifetime
}

/** The tokens in a response to a code exchange; undefined if the response has no access token. */
export function tokensOf({ response, request }: Exchanged): Tokens | undefined {
  const accessToken = issuedAccessToken(response)
  if (accessToken === undefined) return undefined
  const { refresh_token: refreshToken, id_token: idToken } = response.object ?? {}
  return {
    response,
    request,
    accessToken,
    refreshToken: usableToken(refreshToken),
    idToken: typeof idToken === 'string' ? idToken : undefined,
    receivedAt: response.receivedAt,
  }
}
