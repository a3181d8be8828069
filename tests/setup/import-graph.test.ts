import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importGraphSvg } from '../../scripts/import-graph.ts'
import { projectRoot } from '../../src/project.ts'

test('docs/pictures/import-graph.svg shows the imports of today: node scripts/import-graph.ts writes it', async () => {
  expect(readFileSync(join(projectRoot, 'docs', 'pictures', 'import-graph.svg'), 'utf8')).toBe(
    await importGraphSvg(),
  )
})
