import { describe, expect, test } from 'vitest'
import { reusesKid } from '../../../suites/key-set/rules.ts'

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
