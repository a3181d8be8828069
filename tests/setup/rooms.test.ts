import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { roomsSvg } from '../../scripts/rooms.ts'
import { projectRoot } from '../../src/project.ts'

test('docs/pictures/rooms.svg shows the imports of today: node scripts/rooms.ts writes it', () => {
  expect(readFileSync(join(projectRoot, 'docs', 'pictures', 'rooms.svg'), 'utf8')).toBe(roomsSvg())
})
