import { createPrivateKey } from 'node:crypto'
import type { HttpResponse } from '../../src/http/response.ts'
import { keysOf } from '../../src/oauth/key-set.ts'
import { parseJson } from '../../src/text/json.ts'

/** Members of a private or symmetric key (RFC 7518, 6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
/** Lower-case names, in any library's notation: a key with a private exponent `d` also has one of these members. */
const companions = ['n', 'modulus', 'crv', 'p', 'q']
/** The first octet of a SEQUENCE in DER (X.690, 8.9). */
const derSequence = 0x30
/** Limits of JSON that is read from a text. */
const limits = { depth: 64, members: 10_000 }
/** Maximum number of keys that are compared with all texts. With more keys, the comparison would take too long. */
const maxModuli = 20
/** Minimum length of a part of a key, in octets or characters. Shorter integers can be factors by accident. */
const minLength = 16

/**
 * Private members of a key, and private keys anywhere else in the response: as a JWK, in PEM, in DER, or as a factor of
 * a published modulus. Texts that contain JSON are read as well.
 */
export function privateProblem(response: HttpResponse): string | undefined {
  const values = valuesIn(response.json)
  const objects = values.filter((value) => typeof value !== 'string')
  const found = [
    ...[...(keysOf(response) ?? []), ...objects.filter((object) => 'kty' in object)].map(privateMembersOf),
    ...objects.map(privateMembersWithoutType),
  ].find((members) => members.length > 0)
  if (found) return `a key with ${found.join(', ')}`
  const texts = values.filter((value) => typeof value === 'string')
  const encoded = texts.flatMap(decodings)
  const pem = 'PRIVATE KEY-----'
  if (
    [response.text, ...texts].some((text) => text.includes(pem)) ||
    encoded.some((one) => one.includes(pem))
  )
    return 'a private key in PEM'
  if (encoded.some(isPrivateKeyInDer)) return 'a private key in DER'
  return hasFactor(encoded, moduliOf(response)) ? 'a factor of a published modulus' : undefined
}

/** Strings and objects at all depths, including those in texts that contain JSON. */
function valuesIn(json: unknown): (string | object)[] {
  if (typeof json === 'string') return [json, ...valuesIn(jsonIn(json))]
  if (json === null || typeof json !== 'object') return []
  return [json, ...Object.values(json).flatMap(valuesIn)]
}

/** The array or object in a text; undefined if the text is not JSON, or exceeds the limits. */
function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return parseJson(text, limits)
  } catch {
    return undefined
  }
}

/** The private members of a key; a member with the value null is absent. */
function privateMembersOf(key: object): string[] {
  return namesIn(key).filter((name) => privateMembers.includes(name))
}

/**
 * Private members of an object without `kty`, in any library's notation. Empty if the object is not a key: other
 * objects may have members with these names, such as a number of days, but their values are too short for a key.
 */
function privateMembersWithoutType(object: object): string[] {
  const names = Object.entries(object).flatMap(([name, value]) =>
    name.toLowerCase() === 'crv' || isLong(value) ? [name] : [],
  )
  const lower = names.map((name) => name.toLowerCase())
  const isKey = lower.includes('d') && lower.some((name) => companions.includes(name))
  return isKey ? names.filter((name) => privateMembers.includes(name.toLowerCase())) : []
}

/** Whether a value may be a part of a key: a long text or integer, or an array or object of octets. */
function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length >= minLength
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  return typeof value === 'object' && value !== null
}

function namesIn(object: object): string[] {
  return Object.entries(object).flatMap(([name, value]) => (value === null ? [] : [name]))
}

/** The octets that a text encodes in base64, base64url or hexadecimal; empty if it is too short for a key. */
function decodings(text: string): Buffer[] {
  const encoded = text.replaceAll(/\s/g, '')
  if (encoded.length < minLength || !/^[\w+/-]+={0,2}$/.test(encoded)) return []
  const isHex = encoded.length % 2 === 0 && /^[\da-f]+$/i.test(encoded)
  return [Buffer.from(encoded, 'base64'), ...(isHex ? [Buffer.from(encoded, 'hex')] : [])]
}

function isPrivateKeyInDer(key: Buffer): boolean {
  // The shortest private keys have about 40 octets.
  if (key.length < 37 || key[0] !== derSequence) return false
  return (['pkcs8', 'pkcs1', 'sec1'] as const).some((type) => {
    try {
      createPrivateKey({ key, format: 'der', type })
      return true
    } catch {
      return false
    }
  })
}

function moduliOf(response: HttpResponse): bigint[] {
  const keys = (keysOf(response) ?? []).slice(0, maxModuli)
  return keys.flatMap(({ n }) => (typeof n === 'string' ? [integerOf(Buffer.from(n, 'base64url'))] : []))
}

/** Whether any of these buffers, read as an integer, divides a modulus. */
function hasFactor(encoded: readonly Buffer[], moduli: readonly bigint[]): boolean {
  return encoded
    .filter(({ length }) => length >= minLength)
    .map(integerOf)
    .some((factor) => moduli.some((modulus) => isFactor(factor, modulus)))
}

function isFactor(factor: bigint, modulus: bigint): boolean {
  return factor >> BigInt(8 * (minLength - 1)) > 0n && factor < modulus && modulus % factor === 0n
}

function integerOf(octets: Buffer): bigint {
  return BigInt(`0x0${octets.toString('hex')}`)
}
