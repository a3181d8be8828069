import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { followsFrom } from '../../src/run/follows-from.ts'
import { loadSuites, projectRoot } from '../../src/run/suites.ts'

test.for([
  ['the ID token is no JWT; see IDTOKEN-JWT', ['IDTOKEN-JWT']],
  ['it is not there; see AA-B and AA-C', ['AA-B', 'AA-C']],
  ['it is not there; see AA-B, AA-C-2 and AA-D', ['AA-B', 'AA-C-2', 'AA-D']],
  ['it took too long', []],
  ['see IDTOKEN-JWT for more', []],
  [null, []],
] as const)('%j', ([reason, ids]) => {
  expect(followsFrom(reason)).toEqual(ids)
})

test('all that reasons in the sources name are requirements', async () => {
  const known = new Set((await loadSuites()).requirements.map(({ id }) => id))
  const files = globSync(['src/check/**/*.ts', 'suites/**/*.ts'], { cwd: projectRoot })
  const reasons = files.flatMap(
    // What is put together in a template has no literal id to look at.
    (file) => readFileSync(join(projectRoot, file), 'utf8').match(/; see [A-Z][^'"`$\n]*(?=['"`])/g) ?? [],
  )
  expect(reasons.length).toBeGreaterThan(90)
  for (const reason of reasons) {
    const ids = followsFrom(reason)
    expect(ids, reason).not.toHaveLength(0)
    for (const id of ids) expect(known, reason).toContain(id)
  }
})
