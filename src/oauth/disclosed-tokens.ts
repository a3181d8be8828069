import type { HttpResponse } from '../http/response.ts'
import { membersIn } from '../text/json.ts'

/** Members of a token response whose values are tokens. */
export const tokenNames = ['access_token', 'id_token', 'refresh_token']

/** Minimum length of a value to search for. Shorter values may be part of other texts. */
const shortestToken = 16

export function tokenValuesIn({ object }: HttpResponse): string[] {
  return tokenNames.map((name) => object?.[name]).filter((value) => typeof value === 'string')
}

/**
 * Tokens that a refusal of the token endpoint discloses and the request does not contain:
 * - members at any depth with the name and form of a token;
 * - earlier tokens of the run, in any text or header.
 * @param received tokens that the run has received
 * @param sent texts of the request
 * @returns names of the members or a phrase, never a token
 */
export function disclosedTokens(
  response: HttpResponse,
  received: readonly string[],
  sent: readonly string[],
): string[] {
  const isRepeated = (token: string) => sent.some((text) => text.includes(token))
  const names = membersIn(response.json).flatMap(([name, value]) =>
    tokenNames.includes(name) && isTokenLike(value) && !isRepeated(value) ? [name] : [],
  )
  if (names.length > 0) return [...new Set(names)]
  const isReceived = received.some(
    (token) => token.length >= shortestToken && !isRepeated(token) && response.contains(token),
  )
  return isReceived ? ['a token of an earlier response'] : []
}

/** Whether a value looks like a token, and not like words or a message name such as `token_not_found_for_client`. */
function isTokenLike(value: unknown): value is string {
  if (typeof value !== 'string' || value.length < shortestToken || !/^[\w.~+/=-]+$/.test(value)) return false
  const isMixed = /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)
  return isMixed || /^[\da-f-]+$/i.test(value)
}
