import { describe, kindOf } from '../../src/check/expect.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { isSigningKey, keysOf } from '../../src/oauth/key-set.ts'

type Key = NonNullable<ReturnType<typeof keysOf>>[number]

/** The actual value of keys that violate a rule; undefined if they follow it. */
export type KeysProblem = (keys: readonly Key[]) => string | undefined

/** Members of a private or symmetric key (RFC 7518, 6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

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
    : `${keys.length} keys, none of them an RSA key for RS256 with a base64url modulus and exponent`
}

/** Whether a value has the encoding of modulus and exponent (RFC 7518, 6.3.1). */
function isBase64Url(value: unknown): boolean {
  return typeof value === 'string' && /^[\w-]+$/.test(value)
}

/** Private members of a key, and private keys anywhere else in the response: as a JWK or in PEM. */
export function privateProblem(response: HttpResponse): string | undefined {
  const keys = keysOf(response) ?? []
  const others = objectsIn(response.json).filter((object) => 'kty' in object)
  const [found] = [...keys, ...others]
    .map((key) => privateMembers.filter((member) => member in key))
    .filter((members) => members.length > 0)
  if (found) return `a key with ${found.join(', ')}`
  return response.text.includes('PRIVATE KEY-----') ? 'a private key in PEM' : undefined
}

function objectsIn(json: unknown): object[] {
  if (json === null || typeof json !== 'object') return []
  return [json, ...Object.values(json).flatMap(objectsIn)]
}

export const kidProblem: KeysProblem = (keys) =>
  keys.filter(isSigningKey).every(({ kid }) => typeof kid === 'string' && kid !== '')
    ? undefined
    : 'a signing key without kid'

/** Keys of different types may share a kid: a verifier distinguishes them (RFC 7517, 4.5). */
export const kidUniqueProblem: KeysProblem = (keys) => {
  const kids = keys.filter(isSigningKey).flatMap((key) => (key.kid === undefined ? [] : [typedKid(key)]))
  return new Set(kids).size === kids.length ? undefined : 'two keys of one type with the same kid'
}

/** The kid with the type of the key. */
export function typedKid({ kty, kid }: Key): string {
  return `${kty} ${kid}`
}

/** The actual value of a response that is not a key set. */
export function shapeProblem(response: HttpResponse): string | undefined {
  const { keys } = response.object ?? {}
  if (keysOf(response) !== undefined) return undefined
  if (response.object === undefined) return describe(response)
  return Array.isArray(keys) ? 'a key that is not an object' : `keys: ${kindOf(keys)}`
}
