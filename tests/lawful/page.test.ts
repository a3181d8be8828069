import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { readExpectations } from '../../lawful/findings-page.ts'
import { loadSuites } from '../../src/check/suites.ts'
import { projectRoot } from '../../src/project.ts'

const ids = new Set(['A-ONE', 'A-TWO', 'B-ONE', 'C-ONE'])
const folder = join(projectRoot, 'lawful')

test('several requirements may share a reason, which may have several lines', () => {
  const page = readExpectations(
    [
      '# Name',
      'Text with `A-ONE` in it.',
      '## Violations',
      '- `A-ONE`,',
      '  `A-TWO`: A reason: that',
      '  goes on.',
      '',
      '## Violations that depend on timing',
      '- `C-ONE`: Luck.',
      '## Inconclusive',
      '- `B-ONE`: Another reason.',
    ].join('\n'),
    ids,
  )
  expect([...page.violations]).toEqual([
    ['A-ONE', 'A reason: that goes on.'],
    ['A-TWO', 'A reason: that goes on.'],
  ])
  expect([...page.occasional.keys()]).toEqual(['C-ONE'])
  expect([...page.inconclusive]).toEqual([['B-ONE', 'Another reason.']])
  expect(page.defects.size).toBe(0)
})

test.each([
  ['an unknown requirement', '## Violations\n- `X-ONE`: Why.', 'X-ONE is not a requirement'],
  ['a missing reason', '## Violations\n- `A-ONE`', 'A-ONE has no reason'],
  ['an empty reason', '## Violations\n- `A-ONE`: ', 'A-ONE has no reason'],
  ['an item of another form', '## Violations\n- A-ONE: Why.', 'is not a list of requirements'],
  ['an item outside the sections', '# Name\n- `A-ONE`: Why.', 'is not a list of requirements'],
  ['a second listing', '## Violations\n- `A-ONE`: Why.\n## Inconclusive\n- `A-ONE`: Why.', 'listed twice'],
  ['an unknown section', '## Wishes\n- `A-ONE`: Why.', '"Wishes" is not a section'],
])('%s is rejected', (_, markdown, message) => {
  expect(() => readExpectations(markdown, ids)).toThrow(message)
})

test('every implementation has a page that lists requirements only, and every page an implementation', async () => {
  const { requirements } = await loadSuites()
  const known = new Set(requirements.map(({ id }) => id))
  const pages = globSync('*.md', { cwd: folder }).map((file) => basename(file, '.md'))
  const implementations = globSync('implementations/*.ts', { cwd: folder }).map((file) =>
    basename(file, '.ts'),
  )
  expect(pages.sort()).toEqual(implementations.sort())
  for (const name of pages) {
    const page = readExpectations(readFileSync(join(folder, `${name}.md`), 'utf8'), known)
    expect(page.violations.size, name).toBeGreaterThan(0)
  }
})
