import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSuites } from '../../src/check/suites.ts'
import { projectRoot } from '../../src/project.ts'
import { followersOfViolations, followsFrom } from '../../src/results/follows-from.ts'
import { type Came, runOf } from './fixture/runs.ts'

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

test('what follows from a violation, at first or second hand, and nothing else', () => {
  const undecided = (id: string, reason: string, cause: Came['cause'] = 'environment'): Came => ({
    id,
    verdict: 'inconclusive',
    cause,
    reason,
  })
  const { requirements } = runOf([
    undecided('AA-SECOND', 'there is none; see AA-FIRST'),
    undecided('AA-FIRST', 'it is broken; see AA-VIOLATED and AA-GOOD'),
    { id: 'AA-VIOLATED', verdict: 'fail' },
    { id: 'AA-GOOD', verdict: 'pass' },
    undecided('AA-OTHER', 'it is broken; see AA-GOOD'),
    undecided('AA-LATE', 'a time-out'),
    undecided('AA-AFTER-LATE', 'there is none; see AA-LATE'),
    undecided('AA-CONFIGURED', 'wrong; see AA-VIOLATED', 'configuration'),
  ])
  const followers = followersOfViolations(requirements)
  const ids = requirements.filter(({ checks }) => checks.some((check) => followers.has(check)))
  expect(ids.map(({ id }) => id)).toEqual(['AA-SECOND', 'AA-FIRST'])
})
