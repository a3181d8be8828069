import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../src/project.ts'
import { longest } from '../sequencer.ts'

test('the test files that start first exist', () => {
  expect(longest.filter((file) => !existsSync(join(projectRoot, file)))).toEqual([])
})
