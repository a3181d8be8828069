import type { HttpResponse } from '../http/response.ts'
import { membersIn } from '../text/json.ts'

/** Members that hold tokens. */
export const tokenNames = ['access_token', 'id_token', 'refresh_token']

/** Shorter values may be part of other texts. */
const shortestToken = 16

/** The tokens of a token response. */
export function tokenValuesIn({ object }: HttpResponse): string[] {
  return tokenNames.map((name) => object?.[name]).filter((value) => typeof value === 'string')
}

/**
 * Tokens in a refusal of the token endpoint: members at any depth that are named like a token and have a value like one,
 * and tokens that the run has received, in any text or header. A refusal may repeat what its request contains.
 * @param received tokens that the run has received
 * @param sent what the request contains
 * @returns what is disclosed, without its value
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

/** Whether a value may be a token: an error body may also describe a parameter in words, or contain the name of a message. */
function isTokenLike(value: unknown): value is string {
  if (typeof value !== 'string' || value.length < shortestToken || !/^[\w.~+/=-]+$/.test(value)) return false
  const isMixed = /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)
  return isMixed || /^[\da-f-]+$/i.test(value)
}
