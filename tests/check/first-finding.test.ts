import { expect, test } from 'vitest'
import { executeCheck } from '../../src/check/execute.ts'
import { requireFirstFinding } from '../../src/check/first-finding.ts'
import { definition, openRun } from './run-fixture.ts'

test('a cause is one finding of a run: the first, on which the others depend', async () => {
  const { run } = await openRun()
  const finds = (cause: string, id: 'TOKEN-CLIENT-SECRET-ERROR' | 'TOKEN-CLIENT-UNKNOWN-ERROR') =>
    executeCheck(
      definition(async ({ run: ofCheck, expect }) => {
        requireFirstFinding(ofCheck, cause, id)
        expect.that(false, '401', '400')
      }),
      run,
    )
  expect(await finds('400', 'TOKEN-CLIENT-SECRET-ERROR')).toMatchObject({ verdict: 'fail' })
  expect(await finds('400', 'TOKEN-CLIENT-UNKNOWN-ERROR')).toMatchObject({
    verdict: 'inconclusive',
    reason: 'another requirement has the same finding',
    dependsOn: ['TOKEN-CLIENT-SECRET-ERROR'],
  })
  expect(await finds('403', 'TOKEN-CLIENT-UNKNOWN-ERROR')).toMatchObject({ verdict: 'fail' })
  expect(await finds('400', 'TOKEN-CLIENT-SECRET-ERROR')).toMatchObject({ verdict: 'fail' })
})
