import { describe, expect, test } from 'vitest'
import {
  audiencesOf,
  clockSkewSeconds,
  type ExpectedIdToken,
  halfCenturySeconds,
  isUnexpired,
  type Rejection,
  reachesLevel,
  rejectionsOf,
} from '../../src/oauth/id-token.ts'
import { alterSignature, forgedJwt } from '../../src/oauth/jwt.ts'
import { keyByKid, otherRsa, published, signed, signedByPublicKey } from './forged.ts'

// Section Authentication, 5: a client rejects an ID token for any of these reasons.

const now = 1_800_000_000
const expected: ExpectedIdToken = {
  issuer: 'https://login.example.com',
  clientId: 'application',
  nonce: 'n-1',
  requiredAcr: 'two',
  acrOrder: ['one', 'two', 'three'],
  now,
}
const header = { alg: 'RS256', kid: 'good' }
const claims = {
  iss: expected.issuer,
  sub: 'user',
  aud: expected.clientId,
  azp: expected.clientId,
  exp: now + 300,
  nonce: expected.nonce,
  acr: 'two',
}
const good = signed(header, claims)
const verdict = (token: string, changes: Partial<ExpectedIdToken> = {}) =>
  rejectionsOf(token, { ...expected, ...changes }, keyByKid)

describe('a valid ID token is accepted', () => {
  test.each<readonly [string, object]>([
    ['as it should be', {}],
    ['for several audiences with azp', { aud: ['others', 'application'] }],
    ['for a list of one audience without azp', { aud: ['application'], azp: undefined }],
    ['of a higher level', { acr: 'three' }],
    ['with further claims', { amr: ['pwd'], nbf: now, 'urn:example:more': {} }],
    ['that ended less than 60 s ago', { exp: now - clockSkewSeconds + 1 }],
  ])('%s', async (_, changes) => {
    expect(await verdict(signed(header, { ...claims, ...changes }))).toEqual([])
  })
})

describe('a forged ID token is rejected', () => {
  test.each<readonly [string, string]>([
    ['an altered inner character of its signature', alterSignature(good)],
    ['a claim added under the old signature', forgedJwt(good, { claims: { admin: true } }) ?? ''],
    ['another key under the same kid', signed(header, claims, { key: otherRsa.privateKey })],
    ['the kid of another published key', signed({ ...header, kid: 'other' }, claims)],
    ['an unknown kid', signed({ ...header, kid: 'unknown' }, claims)],
    ['no kid', signed({ alg: 'RS256' }, claims)],
    ['HS256 with the public key', signedByPublicKey(claims)],
    ['RS512', signed({ ...header, alg: 'RS512' }, claims, { hash: 'sha512' })],
    ['alg none with the old signature', forgedJwt(good, { header: { alg: 'none' } }) ?? ''],
    ['a key of its own', signed({ ...header, kid: 'own', jwk: published.good }, claims)],
  ])('for its signature: %s', async (_, token) => {
    expect(await verdict(token)).toEqual(['signature'])
  })

  test.each<readonly [string, string]>([
    ['alg none without a signature', forgedJwt(good, { header: { alg: 'none' }, signature: '' }) ?? ''],
    ['no JWT', 'opaque'],
    ['five parts', `${good}.a.b`],
    ['nothing', ''],
  ])('for its form: %s', async (_, token) => {
    expect(await verdict(token)).toEqual(['form'])
  })
})

describe('an ID token of another user, or of another time, is rejected', () => {
  test.each<readonly [Rejection, string, object]>([
    ['issuer', 'with a slash at its end', { iss: `${expected.issuer}/` }],
    ['issuer', 'in capitals', { iss: 'https://LOGIN.example.com' }],
    ['issuer', 'absent', { iss: undefined }],
    ['audience', 'of the neighbour', { aud: 'neighbour' }],
    ['audience', 'that only begins like the client', { aud: 'application-2' }],
    ['audience', 'joined in one string', { aud: 'application neighbour' }],
    ['audience', 'absent', { aud: undefined }],
    ['audience', 'an empty list', { aud: [] }],
    ['audience', 'with a number', { aud: ['application', 42] }],
    ['audience', 'with an empty string', { aud: ['application', ''] }],
    ['azp', 'of the neighbour', { azp: 'neighbour' }],
    ['azp', 'absent with several audiences', { aud: ['application', 'others'], azp: undefined }],
    ['expiry', 'more than 60 s ago', { exp: now - clockSkewSeconds - 1 }],
    ['expiry', 'exactly 60 s ago', { exp: now - clockSkewSeconds }],
    ['expiry', 'absent', { exp: undefined }],
    ['expiry', 'as text', { exp: String(now + 300) }],
    ['nonce', 'of another login', { nonce: 'n-0' }],
    ['nonce', 'absent', { nonce: undefined }],
    ['nonce', 'in a list', { nonce: ['n-1'] }],
    ['acr', 'below', { acr: 'one' }],
    ['acr', 'unknown', { acr: 'four' }],
    ['acr', 'absent', { acr: undefined }],
  ])('%s %s', async (rule, _, changes) => {
    expect(await verdict(signed(header, { ...claims, ...changes }))).toEqual([rule])
  })

  test('for each violated rule', async () => {
    const token = signed({ ...header, kid: 'other' }, { ...claims, iss: 'x', nonce: 'y', exp: 1 })
    expect(await verdict(token)).toEqual(['signature', 'issuer', 'expiry', 'nonce'])
  })
})

test('clocks may differ by up to 60 seconds', () => {
  expect(clockSkewSeconds).toBe(60)
  expect([59, 59.999, 60, 61].map((late) => isUnexpired({ exp: now }, now + late))).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test.each([Number.POSITIVE_INFINITY, Number.NaN, '1e9', null])('an exp of %s is invalid', (exp) => {
  expect(isUnexpired({ exp }, now)).toBe(false)
})

test('half a century has 50 years', () => {
  const years = halfCenturySeconds / 86_400 / 365.25
  expect(years).toBeGreaterThan(50)
  expect(years).toBeLessThan(50.5)
})

test('levels with an order are compared by it', () => {
  const order = ['one', 'two', 'three']
  const reaches = (acr: unknown, required?: string) => reachesLevel({ acr }, required, order)
  expect([reaches('two', 'one'), reaches('three', 'one'), reaches('three', 'two')]).toEqual(
    Array(3).fill('reached'),
  )
  expect([reaches('one', 'two'), reaches('one', 'three'), reaches('two', 'three')]).toEqual(
    Array(3).fill('below'),
  )
  expect([reaches('four', 'one'), reaches('one', 'four')]).toEqual(['unknown', 'unknown'])
  expect([reaches('one'), reaches(1)]).toEqual(['reached', 'reached'])
  expect([reaches(2, 'one'), reaches(['two'], 'one')]).toEqual(['below', 'below'])
})

test('levels without an order are equal or unknown', () => {
  expect(reachesLevel({ acr: 'a' }, 'a', undefined)).toBe('reached')
  expect(reachesLevel({ acr: 'b' }, 'a', undefined)).toBe('unknown')
  expect(reachesLevel({ acr: 'b' }, 'a', ['a'])).toBe('unknown')
  expect(reachesLevel({}, 'a', undefined)).toBe('below')
  expect(reachesLevel({}, undefined, undefined)).toBe('reached')
})

test('only the cached keys decide whether a token is valid', async () => {
  const requestedKids: string[] = []
  await rejectionsOf(good, expected, async (kid) => {
    requestedKids.push(kid)
    return published[kid]
  })
  expect(requestedKids).toEqual(['good'])
})

test.each<[unknown, readonly string[] | undefined]>([
  ['a', ['a']],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [[], undefined],
  [['a', ''], undefined],
  [['a', null], undefined],
  ['', undefined],
  [undefined, undefined],
])('the audiences of aud %j are %j', (aud, audiences) => {
  expect(audiencesOf({ aud })).toEqual(audiences)
})
