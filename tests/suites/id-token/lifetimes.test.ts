import { expect, test } from 'vitest'
import { notValidFor } from '../../../suites/id-token/lifetimes.ts'

const exp = 1_800_000_000

test.each<[string, unknown, number | undefined]>([
  ['no nbf', undefined, undefined],
  ['a text', String(exp), undefined],
  ['the time of the response', exp - 300, undefined],
  ['the clock skew', exp - 240, undefined],
  ['a second more', exp - 239, 61],
  ['a time after exp', exp + 60, 360],
])('a new token that is valid for 300 s may be accepted after %s', (_, nbf, seconds) => {
  expect(notValidFor({ exp, nbf }, 300)).toBe(seconds)
})
