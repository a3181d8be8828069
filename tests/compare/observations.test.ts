import { describe, expect, test } from 'vitest'
import { compare } from '../../src/compare/compare.ts'
import type { RunResults } from '../../src/results/results.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

describe('compared observations', () => {
  const key = 'events.max-page-size'
  const run = (value: number | string | string[], name = key) =>
    runOf([{ id: 'A', verdict: 'observed' }], {}, [observing(name, value)])
  const observing = (key: string, value: number | string | string[] | null, requirement = 'A') => ({
    key,
    value,
    requirement,
  })

  test('are those of requirements that are decided in both runs, by key and requirement', () => {
    const requirements: RequirementFixture[] = [
      { id: 'A', verdict: 'observed' },
      { id: 'B', verdict: 'observed' },
    ]
    const before = runOf(requirements, {}, [
      observing('b.two', 1),
      observing('a.one', 'x', 'B'),
      observing('a.one', 'x'),
      observing('c.same', null),
    ])
    const after = runOf(requirements, {}, [
      observing('c.same', null),
      observing('a.one', 'y'),
      observing('a.one', 'z', 'B'),
      observing('d.new', 5),
    ])
    expect(compare(before, after)).toMatchObject({
      observations: [
        { key: 'a.one', requirement: 'A', before: 'x', after: 'y' },
        { key: 'a.one', requirement: 'B', before: 'x', after: 'z' },
        { key: 'b.two', requirement: 'A', before: 1 },
        { key: 'd.new', requirement: 'A', after: 5 },
      ],
      alike: { observations: 1 },
    })
  })

  test.each([
    ['limits.token.hold.latency-p99-ms', 10, 20, true],
    ['limits.token.hold.latency-p99-ms', 20, 10, true],
    ['limits.token.hold.latency-p99-ms', 10, 20.1, false],
    ['limits.token.hold.latency-p99-ms', 10, 21, false],
    ['limits.token.hold.latency-p99-ms', 'a', 'b', false],
    ['limits.token.hold.latency-p99-ms', '10', 11, false],
    ['limits.token.hold.latency-p99-ms', 10, '11', false],
    ['limits.token.hold.latency-p99-ms.max', 10, 11, false],
    ['limits.token.hold.latency-p-ms', 10, 11, false],
    ['limits.token.limiter.rate-per-second', 11, 10, true],
    ['limits.token.limiter.rate-per-second', 11.1, 10, false],
    ['limits.token.limiter.rate-per-second', 10, 10.9, true],
    ['limits.token.limiter.rate-per-second', 10, 12, false],
    ['limits.token.ramp.last-clean-rate', 10, 11, false],
    ['limits.token.limiter.rate-per-second.max', 10, 11, false],
  ] as const)('%s: %s and %s are alike: %s', (key, one, other, alike) => {
    expect(compare(run(one, key), run(other, key)).observations).toHaveLength(alike ? 0 : 1)
  })

  test('of probes are compared where both runs made the probe, whatever their verdicts', () => {
    const run = (value: number | undefined) =>
      runOf([{ id: 'A', verdict: 'inconclusive' }], {}, [
        observing('limits.token.ramp.requests', 5),
        ...(value === undefined ? [] : [observing('limits.token.ramp.rate', value)]),
      ])
    expect(compare(run(1), run(2)).observations).toHaveLength(1)
    expect(compare(run(1), run(undefined)).observations).toEqual([
      { key: 'limits.token.ramp.rate', requirement: 'A', before: 1 },
    ])
    const none = runOf([{ id: 'A', verdict: 'inconclusive' }])
    for (const [one, other] of [
      [run(1), none],
      [none, run(1)],
    ] as const)
      expect(compare(one, other).observations).toEqual([])
    const [hold, holding] = ['limits.token.hold', 'limits.token.holding'].map((probe) =>
      runOf([{ id: 'A', verdict: 'inconclusive' }], {}, [observing(`${probe}.rate`, 1)]),
    )
    expect(compare(hold as RunResults, holding as RunResults).observations).toEqual([])
    const elsewhere = runOf([{ id: 'A', verdict: 'inconclusive' }], {}, [
      observing('other.limits.token.ramp', 1),
    ])
    expect(compare(elsewhere, elsewhere)).toMatchObject({ observations: [], alike: { observations: 0 } })
  })

  test('differ if the value differs, but not if only the order of a list does', () => {
    expect(compare(run(100), run(50)).observations).toEqual([
      { key, requirement: 'A', before: 100, after: 50 },
    ])
    expect(compare(run(['a', 'b']), run(['b', 'a'])).observations).toEqual([])
  })

  test('are not missing where their requirement is inconclusive', () => {
    const without = runOf([{ id: 'A', verdict: 'inconclusive' }])
    expect(compare(run(100), without).observations).toEqual([])
    expect(compare(run(100), runOf([{ id: 'A', verdict: 'pass' }])).observations).toEqual([
      { key, requirement: 'A', before: 100 },
    ])
  })

  test('of a probe in only one run are not compared', () => {
    const one = run(10, 'limits.token.ramp.last-clean-rate')
    const other = run(10, 'limits.userinfo.ramp.last-clean-rate')
    expect(compare(one, other)).toMatchObject({ observations: [], alike: { observations: 0 } })
  })

  test('of several checks are compared as one, by their values in any order', () => {
    const run = (...values: readonly (number | string)[]) =>
      runOf(
        [{ id: 'A', verdict: 'observed' }],
        {},
        values.map((value) => ({ key: 'a', value, requirement: 'A' })),
      )
    expect(compare(run(2, 10, 1), run('b')).observations).toMatchObject([
      { before: ['1', '10', '2'], after: 'b' },
    ])
    expect(compare(run(1, 2), run(2, 1)).observations).toEqual([])
    expect(compare(run(1, 2), run(1, 3)).observations).toHaveLength(1)
  })
})
