import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digest, masked, shapeOf } from '../../src/evidence/shape.ts'
import { isWord } from '../../src/evidence/words.ts'

describe('the shape of a JSON value', () => {
  test.each<[unknown, unknown]>([
    [null, 'null'],
    ['abc', 'string(3)'],
    ['', 'string(0)'],
    [42, 'number'],
    [true, 'boolean'],
    [[], { 'array(0)': [] }],
    [['a', 'b', 'cc'], { 'array(3)': ['string(1)', 'string(2)'] }],
    [[1, 'a', null, true, {}], { 'array(5)': ['number', 'string(1)', 'null'] }],
    [{ active: false }, { active: 'boolean' }],
    [{ a: { b: { c: { d: { e: 1 } } } } }, { a: { b: { c: { d: 'object' } } } }],
    [{ a: { b: { c: [['deep']] } } }, { a: { b: { c: { 'array(1)': ['array(1)'] } } } }],
    [{}, {}],
  ])('%j', (value, shape) => {
    expect(shapeOf(value)).toEqual(shape)
  })

  test('of an object with forty members shows their names', () => {
    const data = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`name${index}`, 1]))
    expect(Object.keys(shapeOf(data) as object)).toHaveLength(40)
  })

  test('of an object keyed by data shows no names', () => {
    const data = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`name${index}`, 1]))
    expect(shapeOf(data)).toBe('object(41 members)')
  })

  test('of special member names is data, without prototype pollution', () => {
    const value = JSON.parse('{"__proto__":{"polluted":"yes"},"constructor":1,"a b":"c","toString":2,"":3}')
    const shape = shapeOf(value) as Record<string, unknown>
    expect(Object.getPrototypeOf(shape)).toBe(Object.prototype)
    expect(Object.keys(shape)).toHaveLength(5)
    expect(JSON.stringify(shape)).not.toContain('yes')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(JSON.stringify(shape)).not.toContain('a b')
  })

  test('contains no string of the value', () => {
    const secret = fc.string({ minLength: 8, unit: fc.constantFrom('ä', '§', '€', '¤') })
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 5 },
        secret,
        fc.constantFrom(null, true, 12_345_678),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(secret, tie('any'), { maxKeys: 4 }),
      ),
    })).any
    fc.assert(
      fc.property(value, (json) => {
        expect(JSON.stringify(shapeOf(json)) ?? '').not.toMatch(/[ä§€¤]|12345678/)
      }),
      { numRuns: 200 },
    )
  })
})

describe('a mask', () => {
  test('is equal for equal values, different for others, and reveals only the length', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(masked(a) === masked(b)).toBe(a === b)
        expect(masked(a)).toMatch(/^<\d+ characters, #[\w-]{8}>$/)
      }),
    )
    expect(masked('secret')).toBe(`<6 characters, #${digest('secret')}>`)
  })
})

test.each([
  'access_token',
  'introspection_endpoint_auth_signing_alg_values_supported',
  'https://example.com/claims/roles',
  'x5t#S256',
  'changedClaims',
  'userID2',
  'oauth20',
  'am-ext-user-id',
  'FEATURE_DISABLED',
  'openid-configuration',
  '$schema',
  '',
  '--',
  'a'.repeat(60),
  // Four digits, twelve letters in short pieces, and pieces of three letters.
  'a1b2c3d4',
  'aBcDeFgHiJkL',
  'AbcDefGhiJklMno',
  'abcdefghi1234',
])('%s reads like a word', (name) => {
  expect(isWord(name)).toBe(true)
})

test.each([
  'matti@example.com',
  '0401234567',
  'V1StGXR8_Z5jdHi6B-myT',
  'qZkPvTbWmXcRaLdJ',
  '9e107d9d372bb682',
  'a b',
  ' a',
  'a ',
  'ä',
  'a'.repeat(61),
  'a12345',
  'aBcDeFgHiJkLm',
  'AbcDefGhiJklMn',
])('%s does not', (name) => {
  expect(isWord(name)).toBe(false)
})
