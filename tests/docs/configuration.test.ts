import { expect, test } from 'vitest'
import { configurationFiles } from '../../scripts/configuration.ts'
import { variableNames } from '../../src/target/variables.ts'
import { read } from './markdown.ts'

test.each(Object.entries(configurationFiles()))(
  '%s is what scripts/configuration.ts writes',
  (path, text) => {
    expect(read(path)).toBe(text)
  },
)

test.each([
  ['.env.example', (name: string) => `\n#${name}=`],
  ['docs/configuration.md', (name: string) => `\n| \`${name}\` |`],
])('%s has every variable once', (path, entry) => {
  const text = read(path)
  expect(variableNames.filter((name) => text.split(entry(name)).length !== 2)).toEqual([])
})
