import { expect, test } from 'vitest'
import { compareWithPage } from '../../lawful/comparison.ts'
import { readExpectations } from '../../lawful/findings-page.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import type { CheckResult } from '../../src/check/result.ts'

const signIn = resultOf('AUTHZ-CODE-FLOW', 'pass')
const ids = new Set(['AUTHZ-CODE-FLOW', 'A-ONE', 'A-TWO', 'A-THREE'])

test('a run in which exactly the listed findings occur has no differences', () => {
  const page = pageOf('## Violations\n- `A-ONE`: Why.\n## Inconclusive\n- `A-TWO`: Why.')
  const found = compareWithPage([signIn, resultOf('A-ONE', 'fail'), resultOf('A-TWO', 'inconclusive')], page)
  expect(found).toMatchObject({ expected: ['A-ONE'], inconclusive: ['A-TWO'], differences: [] })
})

test('a violation that is not listed is a difference, with its finding', () => {
  const found = compareWithPage([signIn, resultOf('A-ONE', 'fail')], pageOf(''))
  expect(found.unexpected).toEqual(['A-ONE'])
  expect(found.differences).toEqual([
    'A-ONE is violated, but not listed on the page: the valid request: status 400, but status 200',
  ])
})

test('a listed violation that does not occur is a difference, whatever the verdict', () => {
  const page = pageOf('## Violations\n- `A-ONE`, `A-TWO`, `A-THREE`: Why.')
  const found = compareWithPage(
    [signIn, resultOf('A-ONE', 'pass'), resultOf('A-TWO', 'not-applicable')],
    page,
  )
  expect(found.missing).toEqual(['A-ONE', 'A-TWO', 'A-THREE'])
  expect(found.differences).toEqual([
    'A-ONE is listed as violated, but is pass',
    'A-TWO is listed as violated, but is not-applicable',
    'A-THREE is listed as violated, but is not checked',
  ])
})

test('a violation that depends on timing may occur or not', () => {
  const page = pageOf('## Violations that depend on timing\n- `A-ONE`: Why.')
  expect(compareWithPage([signIn, resultOf('A-ONE', 'fail')], page).differences).toEqual([])
  expect(compareWithPage([signIn, resultOf('A-ONE', 'pass')], page).differences).toEqual([])
})

test('an inconclusive requirement that depends on a violation needs no listing', () => {
  const page = pageOf('## Violations\n- `A-ONE`: Why.')
  const follower = resultOf('A-TWO', 'inconclusive', ['A-ONE'])
  const found = compareWithPage([signIn, resultOf('A-ONE', 'fail'), follower], page)
  expect(found).toMatchObject({ following: ['A-TWO'], differences: [] })
})

test('any other inconclusive requirement does, and a listed one must stay inconclusive', () => {
  const page = pageOf('## Inconclusive\n- `A-ONE`: Why.')
  const found = compareWithPage([signIn, resultOf('A-ONE', 'pass'), resultOf('A-TWO', 'inconclusive')], page)
  expect(found.unexplained).toEqual(['A-TWO'])
  expect(found.differences).toEqual([
    'A-TWO is inconclusive, but not listed on the page: no data (environment)',
    'A-ONE is listed as inconclusive, but is pass',
  ])
})

test('a listed defect of Plumbline must be removed once it is fixed', () => {
  const page = pageOf('## Defects of Plumbline\n- `A-ONE`, `A-TWO`: Why.')
  const broken = [signIn, resultOf('A-ONE', 'fail'), resultOf('A-TWO', 'inconclusive')]
  expect(compareWithPage(broken, page).differences).toEqual([])
  const repaired = compareWithPage(
    [signIn, resultOf('A-ONE', 'pass'), resultOf('A-TWO', 'not-applicable')],
    page,
  )
  expect(repaired.differences).toEqual([
    'A-ONE is listed as a defect of Plumbline, but is pass',
    'A-TWO is listed as a defect of Plumbline, but is not-applicable',
  ])
})

test('a run without a sign-in is a difference, even where the page lists its findings', () => {
  const page = pageOf('## Violations\n- `AUTHZ-CODE-FLOW`: Why.')
  const { differences } = compareWithPage([resultOf('AUTHZ-CODE-FLOW', 'fail')], page)
  expect(differences).toEqual(['the sign-in did not succeed: AUTHZ-CODE-FLOW is fail'])
})

function pageOf(markdown: string) {
  return readExpectations(markdown, ids)
}

function resultOf(
  requirement: string,
  verdict: CheckResult['verdict'],
  dependsOn: readonly string[] = [],
): CheckResult {
  const inconclusive = verdict === 'inconclusive'
  return {
    requirement,
    name: 'a check',
    file: 'suites/a.test.ts',
    verdict,
    cause: inconclusive ? 'environment' : null,
    reason: inconclusive ? 'no data' : null,
    advice: null,
    dependsOn: dependsOn as RequirementId[],
    finding: verdict === 'fail' ? { request: null, expected: 'status 400', actual: 'status 200' } : null,
    notes: [],
    observations: [],
    exchanges: [],
    durationMs: 1,
    requests: 1,
    logins: 0,
    effectsBeyondDefault: [],
    basis: {},
  }
}
