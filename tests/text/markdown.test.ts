import { expect, test } from 'vitest'
import { prose } from '../../src/text/markdown.ts'

test('text between backticks stays code, and all other text is escaped', () => {
  expect(prose('a *search* without `from` <b>')).toBe('a \\*search\\* without `from` &lt;b&gt;')
})

test('a single backtick, and code across lines, are escaped', () => {
  expect(prose('one ` only')).toBe('one \\` only')
  expect(prose('`two\nlines`')).toBe('\\`two lines\\`')
})
