import { expect, test } from 'vitest'
import { countApplicable } from '../../src/results/applicable.ts'
import { one, runOf, withoutChecks } from './fixture/runs.ts'

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
    inconclusiveObserveOnly: 3,
  })
})
