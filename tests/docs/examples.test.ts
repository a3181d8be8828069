import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../src/project.ts'
import { blocks } from './markdown.ts'

const sources = globSync('{suites,provider}/**/*.ts', { cwd: projectRoot }).map((file) =>
  readFileSync(join(projectRoot, file), 'utf8'),
)
const examples = blocks('docs/adding.md').filter(({ language }) => language === 'ts')

test.each(examples)('code at docs/adding.md:$line is in the sources', ({ text }) => {
  expect(sources.filter((source) => source.includes(text))).toHaveLength(1)
})

test('there are examples of each kind', () => {
  expect(examples).toHaveLength(4)
})
