import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonExcess, jsonExcess, parseJson } from '../../src/text/json.ts'

const limits = { depth: 8, members: 100 }

describe('JSON from outside', () => {
  test.each([
    ['arrays', '['.repeat(9) + ']'.repeat(9), 'nests deeper than 8 levels'],
    ['objects', `${'{"a":'.repeat(9)}1${'}'.repeat(9)}`, 'nests deeper than 8 levels'],
    ['a million levels that never end', '['.repeat(1_000_000), 'nests deeper than 8 levels'],
    ['many items', `[${'1,'.repeat(101)}1]`, 'contains more than 100 values'],
    ['many members', `{${'"a":1,'.repeat(51)}"b":1}`, 'contains more than 100 values'],
  ])('beyond its limits: %s', (_what, text, excess) => {
    expect(jsonExcess(text, limits)).toBe(excess)
    expect(() => parseJson(text, limits)).toThrow(JsonExcess)
  })

  test.each([
    ['brackets in a string', JSON.stringify('[{'.repeat(500))],
    ['an escaped quotation mark', JSON.stringify(`"${'['.repeat(50)}\\"${','.repeat(500)}`)],
    ['backslashes before the end of a string', JSON.stringify(['\\', '\\\\', '[[[[[[[[[[[['])],
  ])('within its limits: %s', (_what, text) => {
    expect(parseJson(text, limits)).toEqual(JSON.parse(text))
  })

  test('a string without an end is not JSON', () => {
    expect(() => parseJson('["abc', limits)).toThrow(SyntaxError)
  })

  test('any JSON within the limits equals the result of JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
        expect(parseJson(JSON.stringify(value), { depth: 100, members: 100_000 })).toEqual(
          JSON.parse(JSON.stringify(value)),
        )
      }),
    )
  })
})
