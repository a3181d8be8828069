import type { HttpResponse } from '../http/response.ts'
import type { Expect } from './expect.ts'

/** Claims that an error body does not contain by accident (OpenID Connect Core, 5.1). */
const identifying = ['sub', 'given_name', 'family_name', 'preferred_username', 'phone_number', 'birthdate']
/** Claims that do not identify a single user, and may be equal by accident. */
const common = new Set(['locale', 'zoneinfo', 'iss', 'aud', 'scope', 'client_id'])
/**
 * Members that describe a token (section Introspection response) and that an error body does not contain by accident.
 */
const describing = ['username', 'sub', 'exp', 'iat', 'nbf', 'jti', 'token_type']

/** Claims whose values no page contains by accident. */
const unmistakable = ['sub', 'email', 'preferred_username', 'phone_number']
/** Shorter values may be part of other texts. */
const shortestValue = 6

/**
 * Expects a refusal of UserInfo to reveal nothing about a user: neither values of the valid response, nor claims of
 * other users.
 * @param granted the response to a valid token
 */
export function expectNoClaims(expect: Expect, refusal: HttpResponse, granted: HttpResponse): void {
  const known = new Set(claimsIn(granted.json))
  const disclosed = [
    ...claimsIn(refusal.json).filter((claim) => known.has(claim)),
    ...identifying.filter((name) => isGiven(refusal.object?.[name])),
  ]
  const isCopy = granted.text !== '' && refusal.text === granted.text
  const values = unmistakable.map((name) => granted.object?.[name])
  expect.that(
    disclosed.length === 0 && !isCopy && !contains(refusal, values),
    'a refusal without claims of a user',
    `a response with status ${refusal.status} and claims of a user`,
  )
}

/**
 * Expects a refusal of introspection to reveal nothing about the token, in any form.
 * @param values of the token or its user, such as `sub`
 */
export function expectNoTokenInformation(
  expect: Expect,
  refusal: HttpResponse,
  values: readonly unknown[] = [],
): void {
  const { status, object = {} } = refusal
  const disclosed = describing.filter((name) => isGiven(object[name]))
  if (object.active === true) disclosed.unshift('active')
  if (disclosed.length === 0 && contains(refusal, values)) disclosed.push('a value of the token or its user')
  expect.that(
    disclosed.length === 0,
    'a refusal without token information',
    `a response with status ${status} and ${disclosed.join(', ')}`,
  )
}

/** Whether a body of any media type contains one of these values. */
function contains({ text }: HttpResponse, values: readonly unknown[]): boolean {
  return values.some(
    (value) => typeof value === 'string' && value.length >= shortestValue && text.includes(value),
  )
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** Names and values of strings and numbers at all depths, as text to compare. */
function claimsIn(json: unknown, name = ''): string[] {
  if (typeof json === 'object' && json !== null)
    return Object.entries(json).flatMap(([member, value]) =>
      claimsIn(value, Array.isArray(json) ? name : member),
    )
  if (!isGiven(json) || typeof json === 'boolean' || common.has(name)) return []
  return [`${name}=${JSON.stringify(json)}`]
}
