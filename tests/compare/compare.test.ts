import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Cause, Verdict } from '../../src/check/verdict.ts'
import { type Comparison, compare, type VerdictDifference } from '../../src/compare/compare.ts'
import type { RunResults } from '../../src/results/results.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

const verdict = fc.constantFrom<Verdict>('pass', 'fail', 'inconclusive', 'not-applicable', 'observed')
const cause = fc.constantFrom<Cause>('configuration', 'throttled', 'environment')
const fixtures = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('A', 'B', 'C', 'D', 'E'),
    verdict,
    cause,
    area: fc.constantFrom('token', 'events'),
  }),
  { selector: ({ id }) => id },
)
const selection = fc.record({
  only: fc.subarray(['A', 'B', '[CD]']),
  areas: fc.subarray(['token', 'events']),
})
const observation = fc.record({
  key: fc.constantFrom(
    'events.max-page-size',
    'limits.token.ramp.last-clean-rate',
    'limits.token.hold.latency-p99-ms',
  ),
  value: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.subarray(['a', 'b', 'c']), fc.constant(null)),
  requirement: fc.constantFrom('A', 'B'),
})
const anyRun = fc
  .tuple(
    fixtures,
    selection,
    fc.array(observation),
    fc.constantFrom<'uat' | 'production'>('uat', 'production'),
  )
  .map(([list, chosen, observations, target]) => runOf(list, { selection: chosen, target }, observations))

const mirrored = (comparison: Comparison): Comparison => {
  const swap = (list: readonly VerdictDifference[]) =>
    list.map((one) => ({
      ...one,
      before: one.after,
      after: one.before,
      checks: one.checks.map((check) => ({ ...check, before: check.after, after: check.before })),
    }))
  return {
    ...comparison,
    before: comparison.after,
    after: comparison.before,
    changed: swap(comparison.changed),
    inconclusive: swap(comparison.inconclusive),
    applicability: swap(comparison.applicability),
    observations: comparison.observations.map(({ before, after, ...rest }) => ({
      ...rest,
      ...(after !== undefined && { before: after }),
      ...(before !== undefined && { after: before }),
    })),
    appeared: comparison.vanished,
    vanished: comparison.appeared,
    notSelected: { before: comparison.notSelected.after, after: comparison.notSelected.before },
  }
}

describe('a comparison of two runs', () => {
  test('swaps its two sides if the runs are swapped', () => {
    fc.assert(
      fc.property(anyRun, anyRun, (a, b) => {
        expect(mirrored(compare(a, b))).toEqual(compare(b, a))
      }),
    )
  })

  test('has no difference between a run and itself', () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        expect(compare(run, run)).toMatchObject({
          differsIn: [],
          changed: [],
          inconclusive: [],
          applicability: [],
          observations: [],
          appeared: [],
          vanished: [],
          notSelected: { before: [], after: [] },
        })
      }),
    )
  })

  test('has every requirement in exactly one part, unless it is equal in both runs', () => {
    fc.assert(
      fc.property(anyRun, anyRun, (a, b) => {
        const result = compare(a, b)
        const listed = [
          ...[...result.changed, ...result.inconclusive, ...result.applicability].map(({ id }) => id),
          ...result.appeared,
          ...result.vanished,
          ...result.notSelected.before,
          ...result.notSelected.after,
        ]
        expect(new Set(listed).size).toBe(listed.length)
        const all = new Set([...a.requirements, ...b.requirements].map(({ id }) => id))
        expect(listed.length + result.alike.requirements).toBeLessThanOrEqual(all.size)
      }),
    )
  })

  test.for<[string, RequirementFixture, RequirementFixture, keyof Comparison]>([
    ['another verdict', { id: 'A', verdict: 'pass' }, { id: 'A', verdict: 'fail' }, 'changed'],
    [
      'inconclusive in one run',
      { id: 'A', verdict: 'pass' },
      { id: 'A', verdict: 'inconclusive' },
      'inconclusive',
    ],
    [
      'inconclusive for another cause',
      { id: 'A', verdict: 'inconclusive', cause: 'throttled' },
      { id: 'A', verdict: 'inconclusive', cause: 'environment' },
      'inconclusive',
    ],
    [
      'applicable in one run',
      { id: 'A', verdict: 'not-applicable' },
      { id: 'A', verdict: 'fail' },
      'applicability',
    ],
  ])('classifies a requirement: %s', ([, before, after, where]) => {
    const result = compare(runOf([before]), runOf([after]))
    expect(result[where]).toMatchObject([{ id: 'A', before: { verdict: before.verdict } }])
  })

  test('has a change if another check violates the same requirement', () => {
    const twoChecks = (first: Verdict, second: Verdict): RunResults => {
      const run = runOf([{ id: 'A', verdict: 'fail' }])
      const [requirement] = run.requirements
      const [check] = requirement?.checks ?? []
      if (!requirement || !check) throw new Error('the fixture has a check')
      const checks = [
        { ...check, name: 'one', verdict: first },
        { ...check, name: 'two', verdict: second },
      ]
      return { ...run, requirements: [{ ...requirement, checks }] }
    }
    const { changed } = compare(twoChecks('fail', 'pass'), twoChecks('pass', 'fail'))
    expect(changed[0]?.checks).toEqual([
      { name: 'one', before: 'fail', after: 'pass' },
      { name: 'two', before: 'pass', after: 'fail' },
    ])
  })

  test('has a new requirement if the other run selected its area, otherwise one that it did not select', () => {
    const both = runOf([
      { id: 'A', verdict: 'pass' },
      { id: 'B', verdict: 'pass' },
    ])
    const first = [{ id: 'A', verdict: 'pass' }] as const
    expect(compare(runOf(first), both)).toMatchObject({ appeared: ['B'], notSelected: { before: [] } })
    const selected = runOf(first, { selection: { only: ['a'], areas: [] } })
    expect(compare(selected, both)).toMatchObject({ appeared: [], notSelected: { before: ['B'] } })
  })
})
