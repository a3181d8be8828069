import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { HttpResponse } from '../../../src/http/response.ts'
import { privateProblem } from '../../../suites/key-set/private-keys.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')

function keySetWith(value: unknown): HttpResponse {
  const json = { keys: [{ ...rsa.publicKey.export({ format: 'jwk' }), kid: 'one', also: [value] }] }
  return new HttpResponse(200, {}, JSON.stringify(json))
}

const lines = (text: string) => text.replaceAll(/.{64}/g, '$&\n')

test.each<readonly [string, string]>([
  ['PKCS #8', rsa.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')],
  ['PKCS #8 in lines', lines(rsa.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'))],
  ['PKCS #1 as base64url', rsa.privateKey.export({ format: 'der', type: 'pkcs1' }).toString('base64url')],
  ['SEC 1', ec.privateKey.export({ format: 'der', type: 'sec1' }).toString('base64')],
  ['PKCS #8 in hexadecimal', rsa.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('hex')],
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

const jwk = rsa.privateKey.export({ format: 'jwk' })
const { d, p, q } = jwk
const dotNet = { Modulus: jwk.n, Exponent: jwk.e, P: p, Q: q, D: d, InverseQ: jwk.qi }

test.each<readonly [string, unknown, string]>([
  ['a JWK in a text', JSON.stringify(jwk), 'a key with d, p, q, dp, dq, qi'],
  ['members without kty', { d, p, q }, 'a key with d, p, q'],
  ['members in upper case', dotNet, 'a key with P, Q, D'],
  [
    'members of an elliptic curve without kty',
    { crv: 'P-256', d: ec.privateKey.export({ format: 'jwk' }).d },
    'a key with d',
  ],
  ['integers', { N: 2 ** 255, E: 65537, D: 2 ** 250 }, 'a key with D'],
  [
    'an integer beyond the range of numbers',
    `{"N":1${'0'.repeat(400)},"D":1${'0'.repeat(390)}}`,
    'a key with D',
  ],
  [
    'arrays of octets',
    { n: [...Buffer.from(`${jwk.n}`, 'base64url')], d: [...Buffer.from(`${d}`, 'base64url')] },
    'a key with d',
  ],
  ['a short private member of a JWK', { kty: 'oct', k: 'c2VjcmV0' }, 'a key with k'],
  ['a factor', p, 'a factor of a published modulus'],
  ['a factor in hexadecimal', Buffer.from(`${q}`, 'base64url').toString('hex'), 'a factor of a published'],
  [
    'base64 of PEM',
    Buffer.from(rsa.privateKey.export({ format: 'pem', type: 'pkcs8' })).toString('base64'),
    'a private key in PEM',
  ],
])('finds %s', (_, value, problem) => {
  expect(privateProblem(keySetWith(value))).toMatch(problem)
})

test.each<readonly [string, unknown]>([
  ['private members that are null', { kty: 'RSA', d: null, p: null, q: null, oth: null }],
  ['the modulus in another member', jwk.n],
  ['a short factor', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAB'],
  ['a path of a drawing', { d: 'M0 0h24v24H0z', fill: 'none' }],
  ['numbers with names of members', { n: 3, d: 30 }],
  [
    'the largest number that is not an integer of a key',
    { n: Number.MAX_SAFE_INTEGER, d: Number.MAX_SAFE_INTEGER },
  ],
  ['short texts with names of members', { n: '3 keys', d: '30 days' }],
  ['a long text beside a number', { n: 3, d: 'The number of keys that are published.' }],
  ['members that are true or null', { n: null, d: null, p: true, q: true }],
  ['a text that begins like JSON', '{keys}'],
])('accepts %s', (_, value) => {
  expect(privateProblem(keySetWith(value))).toBeUndefined()
})
