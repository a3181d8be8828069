import { expect, test } from 'vitest'
import type { RequirementId } from '../../src/check/requirement.ts'
import { junit } from '../../src/report/junit.ts'
import { overviewOf } from '../../src/report/overview.ts'
import { missingDependencyRemedy, remedies } from '../../src/report/remedy.ts'
import { rootCauses, violatedRoots } from '../../src/results/dependencies.ts'
import { type RequirementFixture, runOf } from './fixture/runs.ts'

const open = (
  id: string,
  cause: RequirementFixture['cause'] = 'environment',
  ...on: string[]
): RequirementFixture => ({ id, verdict: 'inconclusive', cause, dependsOn: on as RequirementId[] })

const rootsIn = (...fixtures: RequirementFixture[]) => {
  const { requirements } = runOf(fixtures)
  const roots = rootCauses(requirements)
  return Object.fromEntries(
    requirements.map(({ id, checks }) => [id, checks.map((one) => roots.get(one)?.cause)]),
  )
}

test('the root cause of a check that depends on others is theirs, through several of them', () => {
  expect(
    rootsIn(
      open('LAST', 'environment', 'MIDDLE'),
      open('MIDDLE', 'environment', 'HOLDS', 'FIRST'),
      open('FIRST', 'configuration'),
      open('OWN', 'throttled', 'FIRST'),
      open('ALONE'),
      open('SECOND', 'environment', 'ALONE', 'FIRST'),
      open('UNSELECTED', 'environment', 'NOT-IN-THIS-RUN'),
      { id: 'HOLDS', verdict: 'pass' },
    ),
  ).toEqual({
    LAST: ['configuration'],
    MIDDLE: ['configuration'],
    FIRST: ['configuration'],
    OWN: ['throttled'],
    ALONE: ['environment'],
    SECOND: ['configuration'],
    UNSELECTED: ['environment'],
    HOLDS: [undefined],
  })
})

test('a check that is misconfigured only through another has its root cause', () => {
  const { requirements } = runOf([open('A', 'configuration', 'B'), open('B', 'configuration')])
  const names = [...rootCauses(requirements).values()].map(({ check }) => check.name)
  expect(names).toEqual(['a check of B', 'a check of B'])
})

test('the requirements that a run lacks are given for a check whose root cause is that they are missing', () => {
  const { requirements } = runOf([
    open('A', 'environment', 'B', 'Y'),
    open('B', 'environment', 'Z', 'Y'),
    open('C', 'environment', 'Z', 'D'),
    open('D', 'configuration'),
  ])
  const missing = [...rootCauses(requirements)].map(([{ name }, root]) => [name, root.missing])
  expect(Object.fromEntries(missing)).toEqual({
    'a check of A': ['Y', 'Z'],
    'a check of B': ['Z', 'Y'],
    'a check of C': [],
    'a check of D': [],
  })
})

test('a check without a cause counts as environment', () => {
  const { requirements } = runOf([open('A')])
  const checks = requirements[0]?.checks.map((check) => ({ ...check, cause: null })) ?? []
  const roots = rootCauses(requirements.map((requirement) => ({ ...requirement, checks })))
  expect([...roots.values()].map(({ cause }) => cause)).toEqual(['environment'])
})

test('checks that depend on each other end in their own cause', () => {
  expect(rootsIn(open('A', 'environment', 'B'), open('B', 'environment', 'A'))).toEqual({
    A: ['environment'],
    B: ['environment'],
  })
})

test('the reason of a check that depends on others is the root, not the next requirement', () => {
  const run = runOf([
    { ...open('A', 'environment', 'B'), reason: 'no request was refused' },
    { ...open('B', 'environment', 'C'), reason: 'there is no session' },
    { ...open('C', 'configuration'), reason: 'the password is wrong' },
  ])
  expect(overviewOf(run).inconclusive.map(({ reasons }) => reasons)).toEqual([
    [{ before: 'the password is wrong: ', ids: ['A', 'B', 'C'], after: '' }],
  ])
})

test('reports group a check under its root cause, and state who has to act', () => {
  const run = runOf([open('A', 'environment', 'B'), open('B', 'configuration')])
  expect(
    overviewOf(run).inconclusive.map(({ cause, reasons }) => [cause, reasons.flatMap(({ ids }) => ids)]),
  ).toEqual([['configuration', ['A', 'B']]])
  expect(overviewOf(run).inconclusive[0]?.reasons.map(({ before }) => before)).toEqual([
    'B is inconclusive: ',
  ])
  expect(junit(run).split(remedies.configuration)).toHaveLength(3)
})

test('a check that depends on requirements outside the run is not judged alone: they run together', () => {
  const group = (...fixtures: RequirementFixture[]) => {
    const run = runOf(fixtures, { selection: { only: ['A', 'B'], areas: [] } })
    return { run, groups: overviewOf(run).inconclusive }
  }
  const { run, groups } = group(open('A', 'environment', 'B'), open('B', 'environment', 'Z'), open('C'))
  expect(groups.map(({ title, remedy, command }) => [title, remedy, command])).toEqual([
    [
      'Depends on requirements that this run did not select',
      missingDependencyRemedy,
      'npx plumbline check --target uat --only A,B,Z',
    ],
    ['Environment', remedies.environment, 'npx plumbline check --target uat --rerun-failed --only A B'],
  ])
  expect(junit(run).split(missingDependencyRemedy)).toHaveLength(3)
  const many = Array.from({ length: 9 }, (_, index) => open(`A-${index}`, 'environment', 'Z'))
  expect(group(...many).groups[0]?.command).toBe('npx plumbline check --target uat')
})

test('a group lists a requirement once, with its first reason', () => {
  const run = runOf([
    { ...open('A'), reason: 'one' },
    { ...open('EXTRA'), reason: 'two' },
    { ...open('B'), reason: 'two' },
  ])
  const [first, extra, second] = run.requirements
  const checks = [...(first?.checks ?? []), ...(extra?.checks ?? [])]
  const requirements = [first, second].flatMap((one) =>
    one ? [{ ...one, ...(one === first && { checks }) }] : [],
  )
  expect(overviewOf({ ...run, requirements }).inconclusive.map(({ reasons }) => reasons)).toEqual([
    [
      { before: 'one: ', ids: ['A'], after: '' },
      { before: 'two: ', ids: ['B'], after: '' },
    ],
  ])
})

test('a check follows from the violations behind the requirements on which it depends', () => {
  const onOther = { dependsOn: ['OTHER' as RequirementId] }
  const { requirements } = runOf([
    { id: 'OTHER', verdict: 'fail' },
    { id: 'A', verdict: 'fail', furtherChecks: [{ verdict: 'inconclusive', ...onOther }] },
    { ...open('B', 'environment', 'A'), furtherChecks: [{ verdict: 'pass', ...onOther }] },
    { id: 'C', verdict: 'pass', dependsOn: ['A' as RequirementId] },
    { id: 'D', verdict: 'inconclusive' },
  ])
  const rootsOf = violatedRoots(requirements)
  const from = (...ids: string[]) => rootsOf({ dependsOn: ids as RequirementId[] })
  expect(from('A')).toEqual(['A'])
  expect(from('B')).toEqual(['A'])
  expect(from('B', 'D')).toEqual(['A'])
  // Without a violation behind them, the requirements themselves remain.
  expect(from('C')).toEqual(['C'])
  expect(from('D', 'UNKNOWN')).toEqual(['D', 'UNKNOWN'])
  expect(from()).toEqual([])
})
