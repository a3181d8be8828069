import { describe, kindOf } from '../../src/check/expect.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { isSigningKey, keysOf, publicValue } from '../../src/oauth/key-set.ts'
import { counted } from '../../src/text/format.ts'

type Key = NonNullable<ReturnType<typeof keysOf>>[number]

/** The actual value of keys that violate a rule; undefined if they follow it. */
export type KeysProblem = (keys: readonly Key[]) => string | undefined

export const rs256Problem: KeysProblem = (keys) => {
  const usable = keys.filter(
    (key) =>
      key.kty === 'RSA' &&
      [key.n, key.e].every(isBase64Url) &&
      isSigningKey(key) &&
      (key.alg ?? 'RS256') === 'RS256',
  )
  return usable.length > 0
    ? undefined
    : `no RSA key for RS256 with a base64url modulus and exponent among ${counted(keys.length, 'key')}`
}

/** Whether a value has the encoding of a modulus or exponent (RFC 7518, 6.3.1). */
function isBase64Url(value: unknown): boolean {
  return typeof value === 'string' && /^[\w-]+$/.test(value)
}

export const kidProblem: KeysProblem = (keys) =>
  keys.filter(isSigningKey).every(({ kid }) => typeof kid === 'string' && kid !== '')
    ? undefined
    : 'a signing key without kid'

/** Keys of different types may share a kid: a verifier distinguishes them (RFC 7517, 4.5). */
export const kidUniqueProblem: KeysProblem = (keys) =>
  reusesKid([keys]) ? 'two different keys of one type with the same kid' : undefined

function typedKid({ kty, kid }: Key): string {
  return `${kty} ${kid}`
}

/** Why a client cannot use the key with this kid, although it can use another key of the set. */
export function signerProblem(keys: readonly Key[], kid: string): string | undefined {
  const withKid = keys.filter((key) => key.kid === kid)
  // KEYSET-RS256 reports a set without a usable key.
  if (withKid.length === 0 || rs256Problem(keys) !== undefined || rs256Problem(withKid) === undefined)
    return undefined
  return 'a key that its use, key_ops or alg reserves for something else'
}

/** Whether different signing keys of one type have the same kid, in one or several key sets. */
export function reusesKid(keySets: readonly (readonly Key[])[]): boolean {
  const known = new Map<string, string>()
  return keySets
    .flat()
    .filter((key) => key.kid !== undefined && isSigningKey(key))
    .some((key) => {
      const value = publicValue(key)
      const earlier = known.get(typedKid(key)) ?? value
      known.set(typedKid(key), value)
      return value !== earlier
    })
}

/** The actual value of a response that is not a key set. */
export function shapeProblem(response: HttpResponse): string | undefined {
  const { keys } = response.object ?? {}
  if (keysOf(response) !== undefined) return undefined
  if (response.object === undefined) return describe(response)
  return Array.isArray(keys) ? 'a key that is not an object' : `keys: ${kindOf(keys)}`
}
