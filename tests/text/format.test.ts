import { expect, test } from 'vitest'
import { printable, wrap } from '../../src/text/format.ts'
import { code, plain } from '../../src/text/markdown.ts'

// What a target or a file from elsewhere might contain: a colour, a line of its own, text from right to left.
const hostile = 'a\x1b[31mb\x07c\x7fd\x9b2Je\u202ef'
const visible = 'a\\u001b[31mb\\u0007c\\u007fd\\u009b2Je\\u202ef'

test('control characters are visible in terminals and in Markdown', () => {
  expect(printable(hostile)).toBe(visible)
  expect(wrap(hostile, 100, 0)).toEqual([visible])
  expect(code(hostile)).toBe(`\`${visible}\``)
  expect(plain(hostile)).not.toContain('\x1b')
})

test('a text has no line breaks of its own', () => {
  expect(wrap('  one\n# two\r\nthree', 100, 4)).toEqual(['  one # two three'])
  expect(wrap('one two three', 8, 2)).toEqual(['one two', '  three'])
  expect(code('one\n`two`')).toBe("`one 'two'`")
})
