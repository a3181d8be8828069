import { expect, test } from 'vitest'
import { answerOf } from '../../src/report/answer.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

const fail: RequirementFixture = { id: 'C', verdict: 'fail' }

const some = (count: number, fixture: Omit<RequirementFixture, 'id'>) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${fixture.verdict}-${fixture.cause}-${index}`,
    ...fixture,
  }))
const misconfigured = {
  verdict: 'inconclusive',
  cause: 'configuration',
  variables: ['TEST_USER', 'TEST_PASSWORD'],
} as const
const noticeOf = (fixtures: readonly RequirementFixture[], run = {}) => answerOf(runOf(fixtures, run)).notice

test('a run in which most requirements are inconclusive first says that it decided little, and why', () => {
  expect(noticeOf([...some(12, misconfigured), ...some(5, { verdict: 'pass' })])).toBe(
    'This run decided little: 12 of 17 checked requirements are inconclusive, all because of the configuration (TEST_USER, TEST_PASSWORD).',
  )
  const throttled = some(3, { verdict: 'inconclusive', cause: 'throttled' })
  expect(noticeOf([...some(12, misconfigured), ...throttled])).toContain(
    '15 of 15 checked requirements are inconclusive, 12 of them because of the configuration',
  )
  const silent = some(8, { verdict: 'inconclusive', cause: 'environment', level: 'silent' })
  expect(noticeOf([...silent, ...some(12, { verdict: 'inconclusive', cause: 'throttled' })])).toContain(
    '12 of 12 checked requirements are inconclusive, all because of throttling.',
  )
  expect(noticeOf([...some(12, misconfigured), fail])).toMatch(
    /^This run decided little: 12 of 13 checked requirements are inconclusive,/,
  )
})

test('a run in which most requirements need a variable says so, too', () => {
  const unset = {
    verdict: 'not-applicable',
    cause: 'configuration',
    reason: 'needs TEST_USER to be set',
  } as const
  expect(noticeOf([...some(12, unset), fail, ...some(3, { verdict: 'pass' })])).toBe(
    'This run decided little: 12 of 16 requirements need a variable to be set or changed; the reason: needs TEST_USER to be set.',
  )
  const others = some(2, { ...unset, reason: 'needs ACR_ORDER to be set' }).map((one) => ({
    ...one,
    id: `${one.id}-order`,
  }))
  expect(noticeOf([...others, ...some(9, unset), ...some(4, misconfigured)])).toBe(
    'This run decided little: 11 of 15 requirements need a variable to be set or changed, and 4 are inconclusive; the most frequent reason: needs TEST_USER to be set.',
  )
  const absent = { ...unset, cause: 'target' } as const
  const effect = { ...unset, missingEffect: 'slow' } as const
  expect(noticeOf([...some(12, absent), fail])).toBeUndefined()
  expect(noticeOf([...some(12, effect), fail])).toBeUndefined()
  expect(noticeOf([...some(12, unset), ...some(12, { verdict: 'pass' })])).toBeUndefined()
})

test('there is no such notice with few inconclusive requirements, or if the run ended early', () => {
  expect(noticeOf(some(9, misconfigured))).toBeUndefined()
  expect(noticeOf([...some(12, misconfigured), ...some(12, { verdict: 'pass' })])).toBeUndefined()
  expect(noticeOf(some(12, misconfigured), { completed: false })).toBeUndefined()
})
