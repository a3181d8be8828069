import { type DecodedJwt, decodeJwt } from '../oauth/jwt.ts'
import { Inconclusive } from './verdict.ts'

export type TokenKind = 'accessToken' | 'idToken'

/** A token of a code exchange, decoded. @throws {Inconclusive} if it is absent or not a JWT */
export function decodedToken(
  tokens: { readonly accessToken: string; readonly idToken: string | undefined },
  kind: TokenKind,
): DecodedJwt {
  const token = tokens[kind]
  if (token === undefined)
    throw new Inconclusive('the code exchange returned no ID token', {
      dependsOn: ['TOKEN-ID-TOKEN-ISSUED'],
    })
  const decoded = decodeJwt(token)
  if (decoded) return decoded
  throw kind === 'idToken'
    ? new Inconclusive('the ID token is not a JWT', { dependsOn: ['IDTOKEN-JWT'] })
    : new Inconclusive('the access token is not a JWT', { dependsOn: ['ACCESSTOKEN-JWT'] })
}
