import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { HttpResponse } from '../../../src/http/response.ts'
import { privateProblem, reusesKid } from '../../../suites/key-set/rules.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')

function keySetWith(value: string): HttpResponse {
  const json = { keys: [{ ...rsa.publicKey.export({ format: 'jwk' }), kid: 'one', also: [value] }] }
  return { status: 200, object: json, json, text: JSON.stringify(json) } as unknown as HttpResponse
}

const lines = (text: string) => text.replaceAll(/.{64}/g, '$&\n')

test.each<readonly [string, string]>([
  ['PKCS #8', rsa.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')],
  ['PKCS #8 in lines', lines(rsa.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'))],
  ['PKCS #1 as base64url', rsa.privateKey.export({ format: 'der', type: 'pkcs1' }).toString('base64url')],
  ['SEC 1', ec.privateKey.export({ format: 'der', type: 'sec1' }).toString('base64')],
  ['PKCS #8 of Ed25519', ed.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')],
])('finds a private key in DER: %s', (_, text) => {
  expect(privateProblem(keySetWith(text))).toBe('a private key in DER')
})

test.each<readonly [string, string]>([
  ['a public key', rsa.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')],
  ['a public key of RSA alone', rsa.publicKey.export({ format: 'der', type: 'pkcs1' }).toString('base64url')],
  [
    'a public key of an elliptic curve',
    ec.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  ],
  ['another sequence', Buffer.from(`0${'x'.repeat(60)}`).toString('base64')],
  ['a sentence', 'Keys are replaced in the first week of each quarter, and listed here before.'],
])('accepts %s', (_, text) => {
  expect(privateProblem(keySetWith(text))).toBeUndefined()
})

describe('a kid in two key sets', () => {
  const key = (members: object) => ({ kty: 'RSA', kid: 'one', n: 'wQ', e: 'AQAB', ...members })
  const curve = { kty: 'EC', crv: 'P-256', x: 'wQ', y: 'wg', use: 'sig' }

  test.each([
    ['another modulus', key({ n: 'wg' })],
    ['another exponent', key({ e: 'Aw' })],
    ['another point', key({ ...curve, y: 'ww' })],
    ['another curve', key({ ...curve, crv: 'P-384' })],
  ])('names %s', (_, later) => {
    expect(reusesKid([[key({}), key(curve)], [later]])).toBe(true)
  })

  test.each([
    ['the same key', key({ alg: 'RS256', use: 'sig' })],
    ['a modulus with an octet of zero before it', key({ n: 'AME' })],
    ['a key of another type', key(curve)],
    ['a key for encryption', key({ n: 'wg', use: 'enc' })],
    ['a key with another kid', key({ n: 'wg', kid: 'two' })],
    ['a key without kid', key({ n: 'wg', kid: undefined })],
  ])('may name %s', (_, later) => {
    expect(reusesKid([[key({})], [later]])).toBe(false)
  })
})
