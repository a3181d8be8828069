import { expect, test } from 'vitest'
import { requirementVerdict } from '../../src/check/verdict.ts'
import {
  countNotChecked,
  type NotCheckedKind,
  notCheckedByReason,
  notCheckedInScopeText,
  notCheckedText,
  partlyCheckedByReason,
} from '../../src/results/not-checked.ts'
import type { RequirementResult } from '../../src/results/results.ts'
import type { Scope } from '../../src/results/scope.ts'
import { one, type RequirementFixture, runOf, withoutChecks } from './fixture/runs.ts'

test('counts what was not checked by kind, also that of level must', () => {
  const run = runOf([
    one('pass', { missingEffect: 'slow' }),
    one('fail', { missingEffect: 'planned' }),
    one('not-applicable', { missingEffect: 'slow' }),
    one('not-applicable', { forbiddenEffect: 'claim-change' }),
    one('not-applicable', { reason: 'needs TEST_USER to be set' }),
    one('not-applicable', { cause: 'target' }),
    one('not-applicable', { cause: 'target', level: 'client' }),
    one('not-applicable', { cause: 'environment', level: 'planned' }),
  ])
  const requirements = [...run.requirements, withoutChecks(one('not-applicable'))]
  expect(countNotChecked({ requirements })).toEqual({
    notApplicable: 6,
    needEnable: 1,
    neverAllowed: 1,
    needVariable: 1,
    withoutCheck: 1,
    clientDuties: 0,
    must: 5,
    mustByKind: { needEnable: 1, neverAllowed: 1, needVariable: 1, absent: 1, withoutCheck: 1 },
  })
})

/** A requirement with the checks of several. */
const withChecksOf = (id: string, ...fixtures: RequirementFixture[]): RequirementResult => {
  const found = runOf(fixtures).requirements
  const [first] = found
  if (!first) throw new Error('the run has no requirement')
  const checks = found.flatMap((requirement) => requirement.checks)
  return { ...first, id, verdict: requirementVerdict(checks.map(({ verdict }) => verdict)), checks }
}

test('lists each requirement once, with the reason by which it is counted', () => {
  const absent = one('not-applicable', { cause: 'target', reason: 'the feature is absent' })
  const slow = one('not-applicable', { missingEffect: 'slow', reason: 'waits' })
  const unset = one('not-applicable', { reason: 'needs TEST_USER to be set' })
  const requirements = [
    withChecksOf('ABSENT', absent),
    withChecksOf('SEVERAL', absent, unset, slow, unset),
    withChecksOf('SLOW', slow, { ...slow, reason: 'waits longer' }),
    { ...withChecksOf('NO-CHECK', absent), checks: [], reason: 'not observable' },
    { ...withChecksOf('NO-REASON', absent), checks: [], reason: null },
    withChecksOf('PARTLY', one('pass'), slow),
  ]
  expect(notCheckedByReason(requirements)).toEqual([
    { kind: 'needEnable', reason: 'waits', effect: 'slow', ids: ['SEVERAL', 'SLOW'] },
    { kind: 'absent', reason: 'the feature is absent', ids: ['ABSENT'] },
    { kind: 'withoutCheck', reason: 'not observable', ids: ['NO-CHECK'] },
    { kind: 'withoutCheck', reason: 'no reason is recorded', ids: ['NO-REASON'] },
  ])
  expect(countNotChecked({ requirements })).toMatchObject({
    notApplicable: 3,
    needEnable: 2,
    withoutCheck: 2,
  })
})

test('lists requirements of which some checks were not applicable separately, by each of these reasons', () => {
  const waits = one('not-applicable', { reason: 'waits' })
  const absent = one('not-applicable', { reason: 'absent' })
  const requirements = [
    withChecksOf('A', one('pass'), waits, absent, waits),
    withChecksOf('B', waits, one('fail')),
    withChecksOf('C', waits),
    withChecksOf('D', one('pass')),
  ]
  expect(partlyCheckedByReason(requirements)).toEqual([
    { reason: 'waits', ids: ['A', 'B'] },
    { reason: 'absent', ids: ['A'] },
  ])
})

test('counts the duties of partners among the requirements without a check', () => {
  const run = runOf([one('pass')])
  const duty = withoutChecks(one('not-applicable', { level: 'client' }))
  const requirements = [...run.requirements, duty, withoutChecks(one('not-applicable'))]
  expect(countNotChecked({ ...run, requirements })).toMatchObject({ withoutCheck: 2, clientDuties: 1 })
})

const off = one('not-applicable', { missingEffect: 'slow' })
const never = one('not-applicable', { forbiddenEffect: 'claim-change' })
const unset = one('not-applicable', { cause: 'configuration' })
const absent = one('not-applicable', { cause: 'target' })
const unchecked = 'without a check'
const must = (...fixtures: (RequirementFixture | typeof unchecked)[]) => fixtures.map(requirementOf)
const client = (...fixtures: (RequirementFixture | typeof unchecked)[]) =>
  must(...fixtures).map((requirement) => ({ ...requirement, level: 'client' }) as const)

function requirementOf(fixture: RequirementFixture | typeof unchecked): RequirementResult {
  return fixture === unchecked ? withoutChecks(one('not-applicable')) : withChecksOf('A', fixture)
}

test.each([
  [[], ''],
  [must(one('pass'), one('fail'), one('inconclusive')), ''],
  [must(unchecked), '1 requirement of level must, which has no check'],
  [must(unchecked, unchecked), '2 requirements of level must, which have no check'],
  [client(unchecked), '1 requirement, none of level must, which has no check'],
  [
    [...must(unchecked, off, off, absent), ...client(never)],
    '4 requirements of level must (2 are off by default on uat, 1 needs a feature or situation that was absent, 1 has no check), and 1 of other levels',
  ],
  [
    client(absent, unchecked, unchecked, unchecked),
    '4 requirements, none of level must (1 needs a feature or situation that was absent, 3 have no check)',
  ],
  [
    client(off, off, never, never, never, unset, unset, unset, absent),
    '9 requirements, none of level must (2 are off by default on uat, 3 are never allowed on uat, 3 need a variable to be set or changed, 1 needs a feature or situation that was absent)',
  ],
  [
    [...client(unset, never), ...must(off, off, unset, absent)],
    '4 requirements of level must (2 are off by default on uat, 1 needs a variable to be set or changed, 1 needs a feature or situation that was absent), and 2 of other levels',
  ],
  [
    client(never, absent, absent),
    '3 requirements, none of level must (1 is never allowed on uat, 2 need a feature or situation that was absent)',
  ],
  [
    client(off, absent),
    '2 requirements, none of level must (1 is off by default on uat, 1 needs a feature or situation that was absent)',
  ],
])('what a run did not check as text, case %#', (requirements, text) => {
  expect(notCheckedText({ ...runOf([]), requirements })).toBe(text)
})

const group = (kind: NotCheckedKind, ...ids: string[]) => ({ kind, reason: ids.join(), ids })

test.each<[ReturnType<typeof group>[], number, Partial<Scope>, string]>([
  [[], 0, {}, ''],
  [[], 2, {}, '2 requirements of other levels'],
  [[], 1, { areas: ['token'] }, '1 requirement of other levels or areas'],
  [[group('needEnable', 'A', 'B')], 0, {}, '2 requirements of level must, which are off by default on uat'],
  [
    [group('needEnable', 'A'), group('needEnable', 'B'), group('withoutCheck', 'C')],
    3,
    { levels: ['must', 'planned'], areas: ['token'] },
    '3 requirements of level must, planned in the area token (2 are off by default on uat, 1 has no check), and 3 of other levels or areas',
  ],
])('%j and %d others as text for a scope', (groups, others, scope, text) => {
  const given = { scope: { levels: ['must'], ...scope }, others, target: 'uat' } as const
  expect(notCheckedInScopeText(groups, given)).toBe(text)
})
