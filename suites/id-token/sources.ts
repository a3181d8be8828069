import type { TokenKind } from '../../src/check/tokens/issued-tokens.ts'
import type { TokenSteps } from '../../src/check/tokens/token-steps.ts'
import { notApplicable } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { type DecodedJwt, decodeJwt } from '../../src/oauth/jwt.ts'

const names = { idToken: 'ID token', accessToken: 'access token' } as const

/** Both kinds of tokens, with the prefix of their requirement ids, and their name in findings. */
export const tokenKinds = [
  { kind: 'idToken', prefix: 'IDTOKEN', name: names.idToken },
  { kind: 'accessToken', prefix: 'ACCESSTOKEN', name: names.accessToken },
] as const

/** The request of a finding about a token: `the code exchange, which returned the ID token`. */
export function returnedBy(request: string, kind: TokenKind): string {
  return `${request}, which returned the ${names[kind]}`
}

// Requests that return tokens, for findings.
export const codeExchange = 'the code exchange'
export const secondCodeExchange = 'the code exchange of the second login'
export const refresh = 'the first refresh'

/**
 * A token in the response to a refresh; undefined if it is not a JWT.
 * @throws {NotApplicable} if there is no ID token
 * @throws {Inconclusive} if there is no access token
 */
export function refreshedJwt(
  tokens: TokenSteps,
  response: HttpResponse,
  kind: TokenKind,
): DecodedJwt | undefined {
  const { accessToken } = tokens.refreshedTokens(response)
  const token = kind === 'accessToken' ? accessToken : response.object?.id_token
  if (token === undefined)
    return notApplicable('refreshes of this target return no ID token, which is optional', 'target')
  return typeof token === 'string' ? decodeJwt(token) : undefined
}
