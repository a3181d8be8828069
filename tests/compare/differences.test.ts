import { describe, expect, test } from 'vitest'
import { compare, requireComparable } from '../../src/compare/compare.ts'
import { canPrecede, driftVerdict, noLongerChecked } from '../../src/compare/drift.ts'
import type { RunResults } from '../../src/results/results.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

const pass = (id: string): RequirementFixture => ({ id, verdict: 'pass' })

describe('a comparison', () => {
  test('names the runs, in what they differ, and what is equal', () => {
    const before = runOf([pass('A'), { id: 'B', verdict: 'observed' }, { id: 'C', verdict: 'inconclusive' }])
    const after = runOf([pass('A'), { id: 'B', verdict: 'fail' }, { id: 'C', verdict: 'inconclusive' }], {
      id: 'other',
      target: 'production',
      hosts: ['idp.example'],
      version: '0.2.0',
      startedAt: '2026-11-22T01:02:03.000Z',
    })
    const { run } = before
    const found = compare(before, after)
    expect(found.before).toEqual({
      id: run.id,
      kind: 'check',
      target: 'uat',
      hosts: ['idp.uat.example'],
      startedAt: '2026-11-21T01:02:03.000Z',
      version: '0.1.0',
      selection: { only: [], areas: [] },
    })
    expect(found).toMatchObject({
      formatVersion: 1,
      after: { id: 'other', target: 'production' },
      differsIn: ['target', 'hosts', 'version'],
      alike: { requirements: 1, observations: 0 },
    })
    const narrow = { selection: { only: ['A'], areas: [] } }
    expect(compare(runOf([pass('A')]), runOf([pass('A')], narrow)).differsIn).toEqual(['selection'])
  })

  test('lists differences, and requirements of one run, by their ids', () => {
    const fail = (id: string): RequirementFixture => ({ id, verdict: 'fail' })
    const ids = ['C', 'A', 'D', 'B']
    const found = compare(
      runOf([...ids.map(pass), pass('Z'), pass('Y')]),
      runOf([...ids.map(fail), pass('X'), pass('W')]),
    )
    expect(found.changed.map(({ id }) => id)).toEqual(['A', 'B', 'C', 'D'])
    expect([found.appeared, found.vanished]).toEqual([
      ['W', 'X'],
      ['Y', 'Z'],
    ])
    expect(found.notSelected).toEqual({ before: [], after: [] })
  })

  test('has the verdicts of the checks that differ, by their names', () => {
    const withChecks = (verdict: RequirementFixture['verdict'], ...names: readonly string[]): RunResults => {
      const run = runOf([{ id: 'A', verdict }])
      const [requirement] = run.requirements
      const [check] = requirement?.checks ?? []
      if (!requirement || !check) throw new Error('the fixture has a check')
      return { ...run, requirements: [{ ...requirement, checks: names.map((name) => ({ ...check, name })) }] }
    }
    const found = compare(withChecks('pass', 'two', 'one', 'zero'), withChecks('fail', 'one', 'three', 'two'))
    expect(found.changed[0]?.checks).toEqual([
      { name: 'one', before: 'pass', after: 'fail' },
      { name: 'three', before: null, after: 'fail' },
      { name: 'two', before: 'pass', after: 'fail' },
      { name: 'zero', before: 'pass', after: null },
    ])
  })

  test('of two runs with the same verdict has the checks that turned red, and no other', () => {
    const withVerdicts = (...verdicts: readonly RequirementFixture['verdict'][]): RunResults => {
      const run = runOf([{ id: 'A', verdict: 'fail' }])
      const [requirement] = run.requirements
      const [check] = requirement?.checks ?? []
      if (!requirement || !check) throw new Error('the fixture has a check')
      const checks = verdicts.map((verdict, index) => ({ ...check, name: `check ${index}`, verdict }))
      return { ...run, requirements: [{ ...requirement, checks }] }
    }
    const found = compare(withVerdicts('fail', 'pass', 'pass'), withVerdicts('fail', 'fail', 'pass'))
    expect(found.changed.map(({ checks }) => checks)).toEqual([
      [{ name: 'check 1', before: 'pass', after: 'fail' }],
    ])
    expect(compare(withVerdicts('fail', 'inconclusive'), withVerdicts('fail', 'pass')).changed).toEqual([])
  })

  test('of requirements that apply in neither run has no difference, whatever the cause', () => {
    const none = (cause: 'target' | 'configuration') => runOf([{ id: 'A', verdict: 'not-applicable', cause }])
    expect(compare(none('target'), none('configuration'))).toMatchObject({
      applicability: [],
      inconclusive: [],
    })
  })

  test('of equal verdicts with other checks has no difference', () => {
    const [before, after] = [runOf([pass('A')]), runOf([pass('A')])]
    const [requirement] = after.requirements
    if (!requirement) throw new Error('the fixture has a requirement')
    const checks = requirement.checks.map((check) => ({ ...check, name: 'a new name' }))
    expect(compare(before, { ...after, requirements: [{ ...requirement, checks }] })).toMatchObject({
      changed: [],
      alike: { requirements: 1 },
    })
  })

  test('of requirements that one run did not select shows which run', () => {
    const narrow = runOf([pass('A')], { selection: { only: ['A'], areas: [] } })
    const whole = runOf([pass('C'), pass('A'), pass('B')])
    expect(compare(narrow, whole)).toMatchObject({
      appeared: [],
      notSelected: { before: ['B', 'C'], after: [] },
    })
    expect(compare(whole, narrow)).toMatchObject({
      vanished: [],
      notSelected: { before: [], after: ['B', 'C'] },
    })
  })
})

describe('runs', () => {
  const whole = runOf([pass('A')])

  test.each<[string, RunResults, RunResults, string]>([
    [
      'the first is incomplete',
      runOf([], { id: 'one', completed: false }),
      whole,
      'RUN_A: one is incomplete: compare completed runs',
    ],
    [
      'the second is incomplete',
      whole,
      runOf([], { id: 'two', completed: false }),
      'RUN_B: two is incomplete: compare completed runs',
    ],
    [
      'they are of two kinds',
      whole,
      runOf([], { id: 'two', kind: 'probe' }),
      'RUN_A: 20261121T010203Z-uat-5f0a is a check run and RUN_B two is a probe run: give two runs of the same kind',
    ],
  ])('cannot be compared where %s', (_, one, other, problem) => {
    const [name, what] = problem.split(/: (.*)/)
    expect(() => requireComparable(one, other)).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ name, what })] }),
    )
  })

  test('can be compared where both are complete and of one kind', () => {
    expect(() => requireComparable(whole, runOf([]))).not.toThrow()
  })

  test.each<[Partial<RunResults['run']>, boolean]>([
    [{}, true],
    [{ completed: false }, false],
    [{ kind: 'probe' }, false],
    [{ target: 'production' }, false],
    [{ selection: { only: ['B'], areas: [] } }, false],
    [{ selection: { only: ['A'], areas: [] } }, true],
  ])('precede others with the same target, kind and selection: %j %s', (changes, expected) => {
    expect(canPrecede(runOf([], changes).run, whole)).toBe(expected)
  })

  test('without a selection precede no other', () => {
    const { selection: _, ...head } = runOf([]).run
    expect(canPrecede(head, whole)).toBe(false)
  })
})

describe('a requirement is no longer checked', () => {
  const gone: RequirementFixture = { id: 'A', verdict: 'not-applicable' }

  test.each<[string, RequirementFixture, RequirementFixture, Partial<RunResults['run']>, number]>([
    ['by the configuration', pass('A'), gone, {}, 1],
    ['after a violation', { id: 'A', verdict: 'fail' }, gone, {}, 1],
    ['of another target', pass('A'), gone, { target: 'production' }, 0],
    ['by the target', pass('A'), { ...gone, cause: 'target' }, {}, 1],
    ['since a run used up what it needs', pass('A'), { ...gone, cause: 'environment' }, {}, 0],
    ['that was inconclusive', { id: 'A', verdict: 'inconclusive' }, gone, {}, 0],
    ['that applies now', gone, pass('A'), {}, 0],
    [
      'that applies now, but is inconclusive',
      gone,
      { id: 'A', verdict: 'inconclusive', cause: 'configuration' },
      {},
      0,
    ],
  ])('%s', (_, before, after, run, count) => {
    const found = compare(runOf([before]), runOf([after], run))
    expect(noLongerChecked(found)).toHaveLength(count)
    expect(driftVerdict(found) === 'drift').toBe(count > 0)
  })
})
