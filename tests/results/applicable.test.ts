import { expect, test } from 'vitest'
import { countApplicable, countNotChecked, notCheckedText } from '../../src/results/applicable.ts'
import { type RequirementFixture, runOf } from './fixture/runs.ts'

/** One requirement, with an id that no other has. */
const one = (verdict: RequirementFixture['verdict'], rest: Partial<RequirementFixture> = {}) => ({
  id: `${verdict}-${Object.values(rest).join('-')}`,
  verdict,
  ...rest,
})

/** A requirement whose checks the run did not begin, or that has none. */
const withoutChecks = (fixture: RequirementFixture) => {
  const [requirement] = runOf([fixture]).requirements
  if (!requirement) throw new Error('the run has no requirement')
  return { ...requirement, checks: [] }
}

test('counts judged requirements by verdict, and recorded ones apart', () => {
  const { requirements } = runOf([
    ...[one('pass'), one('pass'), one('pass'), one('fail'), one('fail'), one('inconclusive')],
    one('observed'),
    one('observed', { level: 'silent' }),
    one('observed', { level: 'reference' }),
    one('inconclusive', { level: 'silent' }),
    one('inconclusive', { level: 'reference' }),
    one('not-applicable'),
  ])
  const unbegun = ['inconclusive', 'inconclusive', 'not-applicable'] as const
  const recorded = withoutChecks(one('inconclusive', { level: 'silent' }))
  expect(
    countApplicable([...requirements, ...unbegun.map((verdict) => withoutChecks(one(verdict))), recorded]),
  ).toEqual({
    applicable: 8,
    pass: 3,
    fail: 2,
    inconclusive: 3,
    unbegun: 2,
    observed: 3,
    unobserved: 3,
  })
})

test('counts what was not checked, and what ENABLE leaves out of it', () => {
  const run = runOf([
    one('pass', { missingEffect: 'slow' }),
    one('fail', { missingEffect: 'planned' }),
    one('not-applicable', { missingEffect: 'slow' }),
    one('not-applicable', { reason: 'needs TEST_USER to be set' }),
    one('not-applicable', { level: 'planned' }),
  ])
  const requirements = [...run.requirements.slice(0, 4), withoutChecks(one('not-applicable'))]
  expect(countNotChecked({ ...run, requirements })).toEqual({
    notApplicable: 2,
    needEnable: 1,
    needVariable: 1,
    withoutCheck: 1,
    clientDuties: 0,
    must: 3,
  })
})

test('counts the duties of clients among the requirements without a check', () => {
  const run = runOf([one('pass')])
  const duty = withoutChecks(one('not-applicable', { level: 'client' }))
  const requirements = [...run.requirements, duty, withoutChecks(one('not-applicable'))]
  expect(countNotChecked({ ...run, requirements })).toMatchObject({ withoutCheck: 2, clientDuties: 1 })
})

test.each([
  [{ notApplicable: 0, needEnable: 0, withoutCheck: 0, must: 0 }, ''],
  [{ notApplicable: 0, needEnable: 0, withoutCheck: 1, must: 1 }, '1 requirement has no check'],
  [
    { notApplicable: 3, needEnable: 2, withoutCheck: 2, must: 4 },
    '5 requirements (4 of level must): 2 are off by default on uat (ENABLE turns them on); 1 needs a feature or situation that was absent; 2 have no check',
  ],
  [
    { notApplicable: 0, needEnable: 0, withoutCheck: 3, clientDuties: 2, must: 1 },
    '3 requirements have no check, 2 of them duties of clients',
  ],
  [
    { notApplicable: 0, needEnable: 0, withoutCheck: 2, clientDuties: 2, must: 0 },
    '2 requirements have no check: they are duties of clients',
  ],
  [
    { notApplicable: 6, needEnable: 2, needVariable: 3, withoutCheck: 0, must: 0 },
    '6 requirements (none of level must): 2 are off by default on uat (ENABLE turns them on); 3 need a variable that is not set; 1 needs a feature or situation that was absent',
  ],
  [
    { notApplicable: 1, needEnable: 1, withoutCheck: 0, must: 0 },
    '1 requirement is off by default on uat (ENABLE turns it on)',
  ],
])('%j as text', (counts, text) => {
  expect(notCheckedText(counts, 'uat')).toBe(text)
})
