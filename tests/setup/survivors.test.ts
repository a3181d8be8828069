import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { modules } from '../../mutation/modules.ts'
import { compareSurvivors, type Explanation } from '../../mutation/survivors.ts'
import { projectRoot } from '../../src/project.ts'

const mutant = { file: 'src/a.ts', line: 'return a < b', change: 'a < b → a <= b' }

test('a survivor without an explanation is found, and so is an explanation without a survivor', () => {
  const survivors = [
    { ...mutant, lineNumber: 7 },
    { ...mutant, change: 'a < b → true', lineNumber: 7 },
  ]
  const explanations = [
    { ...mutant, why: 'a is never b' },
    { ...mutant, line: 'return b', why: 'it is gone' },
  ]
  expect(compareSurvivors(survivors, explanations)).toEqual({
    unexplained: [survivors[1]],
    stale: [explanations[1]],
  })
})

test('survivors.json explains mutants of lines that exist, in files that are mutated', () => {
  const explanations: Explanation[] = JSON.parse(
    readFileSync(join(projectRoot, 'mutation', 'survivors.json'), 'utf8'),
  )
  const mutated = modules.flatMap(({ mutate }) => mutate)
  for (const { file, line, why } of explanations) {
    expect(mutated).toContain(file)
    const lines = readFileSync(join(projectRoot, file), 'utf8').split('\n')
    expect(lines.map((text) => text.trim())).toContain(line)
    expect(why).toMatch(/\w{3}/)
  }
})

test('the files of all modules exist', () => {
  const files = modules.flatMap(({ mutate, tests }) => [...mutate, ...tests])
  expect(files.filter((file) => !existsSync(join(projectRoot, file)))).toEqual([])
})
