import { describe, expect, test } from 'vitest'
import { type Selection, selects } from '../../src/check/selection.ts'
import type { Cause } from '../../src/check/verdict.ts'
import { driftOf, driftVerdict } from '../../src/compare/drift.ts'
import type { PastRun } from '../../src/results/past-runs.ts'
import type { RunResults } from '../../src/results/results.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

const a = (verdict: RequirementFixture['verdict']): RequirementFixture => ({ id: 'A', verdict })
const at = (day: number) => ({ id: `run-${day}`, startedAt: `2026-11-${day}T03:00:00.000Z` })

/** An earlier run; damaged without results. */
function pastRun(results: RunResults | undefined): PastRun {
  return { head: { run: results?.run }, results, mayHaveTarget: () => true } as unknown as PastRun
}

/** The drift of a run against earlier ones, newest first. */
function drift(run: RunResults, ...earlier: readonly (RunResults | undefined)[]) {
  return driftOf(run, earlier.map(pastRun))
}

describe('a violation', () => {
  const since = (...earlier: readonly (RequirementFixture['verdict'] | undefined)[]) => {
    const past = earlier.map((verdict, index) => runOf(verdict ? [a(verdict)] : [], at(20 - index)))
    return drift(runOf([a('fail')], at(21)), ...past)?.violatedSince
  }

  test.each<[string, readonly (RequirementFixture['verdict'] | undefined)[], object]>([
    ['of all runs', ['fail', 'fail', 'fail'], { A: { startedAt: at(18).startedAt, runs: 4 } }],
    [
      'since a run in which it held',
      ['fail', 'pass', 'fail'],
      { A: { startedAt: at(20).startedAt, runs: 2 } },
    ],
    ['since it was observed', ['fail', 'observed', 'fail'], { A: { startedAt: at(20).startedAt, runs: 2 } }],
    [
      'across runs without a conclusion, or without the requirement',
      ['inconclusive', 'fail', undefined, 'not-applicable', 'fail'],
      { A: { startedAt: at(16).startedAt, runs: 3 } },
    ],
    ['of this run alone', ['pass', 'fail'], {}],
  ])('has a start and a number of runs: %s', (_, earlier, expected) => {
    expect(since(...earlier)).toEqual(expected)
  })

  test('is also counted in runs that selected less or are incomplete, but not in those of another target or kind', () => {
    const run = (day: number, rest: Partial<RunResults['run']> = {}) =>
      runOf([a('fail')], { ...at(day), ...rest })
    const found = drift(
      run(21),
      run(20, { selection: { only: ['A'], areas: [] } }),
      run(19, { completed: false }),
      run(18, { target: 'production' }),
      run(18, { kind: 'probe' }),
      undefined,
      runOf([a('fail'), { id: 'B', verdict: 'pass' }], at(17)),
    )
    expect(found?.violatedSince).toEqual({ A: { startedAt: at(17).startedAt, runs: 4 } })
  })

  describe('of a check that judges the requests of two areas', () => {
    /** A run in which the check of A judges the requests of B and C; D has no check. */
    const judging = (verdict: RequirementFixture['verdict'], rest: Partial<RunResults['run']>) => {
      const fixtures: RequirementFixture[] = [
        a(verdict),
        { id: 'B', verdict: 'pass' },
        { id: 'C', verdict: 'pass', area: 'events' },
        { id: 'D', verdict: 'not-applicable' },
        { id: 'E', verdict: 'pass', area: 'webhooks' },
      ]
      const run = runOf(fixtures, rest)
      const requirements = run.requirements
        .filter(selects(run.run.selection))
        .map(({ id, checks, ...rest }) => ({
          ...rest,
          id,
          checks: id === 'D' ? [] : checks.map((check) => (id === 'A' ? { ...check, judgedAreas } : check)),
        }))
      return { ...run, requirements }
    }
    const judgedAreas = ['token', 'events']
    const [onlyA, everything] = [
      { only: ['A'], areas: [] },
      { only: [], areas: [] },
    ]
    /** Since when A is violated, according to a run of a selection, two days after a violation and one after a pass. */
    const sinceAfterPass = (passed: Selection, selection: Selection) => {
      const found = drift(
        judging('fail', { ...at(21), selection }),
        judging('pass', { ...at(20), selection: passed }),
        judging('fail', at(19)),
      )
      expect(found).toBeDefined()
      return found?.violatedSince
    }
    const sinceThe19th = { A: { startedAt: at(19).startedAt, runs: 2 } }

    test.each<[string, Selection, object]>([
      ['does not end', onlyA, sinceThe19th],
      ['does not end', { only: ['A', 'B'], areas: [] }, sinceThe19th],
      ['does not end', { only: [], areas: ['token'] }, sinceThe19th],
      ['ends', { only: ['A', 'B', 'C'], areas: [] }, {}],
      ['ends', { only: ['*'], areas: [] }, {}],
      ['ends', { only: [], areas: judgedAreas }, {}],
      ['ends', everything, {}],
    ])('%s with the pass of a run of %j', (_, passed, expected) => {
      expect(sinceAfterPass(passed, everything)).toEqual(expected)
    })

    test('that a run of a part of them found, ends only with the pass of a run of the whole areas', () => {
      expect(sinceAfterPass({ only: ['*'], areas: [] }, onlyA)).toEqual(sinceThe19th)
      expect(sinceAfterPass({ only: [], areas: judgedAreas }, onlyA)).toEqual({})
    })
  })

  test('ends with a pass of a run of this requirement alone', () => {
    const selection = { only: ['A'], areas: [] }
    const earlier = [runOf([a('pass')], { ...at(20), selection }), runOf([a('fail')], at(19))]
    expect(drift(runOf([a('fail')], at(21)), ...earlier)?.violatedSince).toEqual({})
    expect(drift(runOf([a('fail')], { ...at(21), selection }), ...earlier)?.violatedSince).toEqual({})
  })

  test('ends with its own pass, while that of another requirement goes on', () => {
    const both = (day: number, verdict: RequirementFixture['verdict']) =>
      runOf([a(verdict), { id: 'B', verdict: 'fail' }], at(day))
    const found = drift(both(21, 'fail'), both(20, 'fail'), both(19, 'pass'), both(18, 'fail'))
    expect(found?.violatedSince).toEqual({
      A: { startedAt: at(20).startedAt, runs: 2 },
      B: { startedAt: at(18).startedAt, runs: 4 },
    })
  })

  test('does not end with a pass of an incomplete run', () => {
    const found = drift(
      runOf([a('fail')], at(21)),
      runOf([a('inconclusive')], at(20)),
      runOf([a('pass')], { ...at(19), completed: false }),
      runOf([a('fail')], at(18)),
    )
    expect(found?.violatedSince).toEqual({ A: { startedAt: at(18).startedAt, runs: 2 } })
  })

  test('is older than the runs that are compared, and has a start of at least that of the oldest run searched', () => {
    const day = (index: number) => new Date(Date.UTC(2026, 10, 20 - index)).toISOString()
    const runs = Array.from({ length: 70 }, (_, index) => runOf([a('fail')], { startedAt: day(index) }))
    const now = runOf([a('fail')], at(21))
    expect(drift(now, ...runs.slice(0, 15))?.violatedSince).toEqual({ A: { startedAt: day(14), runs: 16 } })
    expect(drift(now, ...runs)?.violatedSince).toEqual({
      A: { startedAt: day(59), runs: 61, atLeast: true },
    })
  })

  test('is searched for only until a run in which it held', () => {
    const passed = Array.from({ length: 10 }, () => pastRun(runOf([a('pass')])))
    const unread = Object.defineProperty(pastRun(undefined), 'results', {
      get: () => {
        throw new Error('an older run was read')
      },
    })
    expect(driftOf(runOf([a('fail')]), [...passed, unread])).toMatchObject({ violatedSince: {} })
  })

  test('that does not occur any more has no start', () => {
    expect(drift(runOf([a('pass')]), runOf([a('fail')]))?.violatedSince).toEqual({})
  })
})

describe('the base of a requirement', () => {
  test('is the newest run in which it is decided, with its observations', () => {
    const observing = (value: number) => [{ key: 'a', value, requirement: 'A' }]
    const found = drift(
      runOf([a('observed')], at(21), observing(3)),
      runOf([a('inconclusive')], at(20), observing(1)),
      runOf([a('observed')], at(19), observing(2)),
      runOf([a('observed')], at(18), observing(3)),
    )
    expect(found).toMatchObject({
      before: { id: 'run-19' },
      observations: [{ before: 2, after: 3 }],
      olderBases: [],
    })
  })

  test('is named only if the run is compared with it', () => {
    const pair = (one: RequirementFixture['verdict'], other: RequirementFixture['verdict']) => [
      a(one),
      { id: 'B', verdict: other },
    ]
    const older = runOf(pair('pass', 'pass'), at(19))
    const night = runOf(pair('pass', 'inconclusive'), at(20))
    expect(drift(runOf(pair('pass', 'pass'), at(21)), night, older)).toMatchObject({
      before: { id: 'run-20' },
      olderBases: [{ ...at(19), id: 'run-19', requirements: ['B'] }],
    })
    expect(drift(runOf(pair('pass', 'inconclusive'), at(21)), night, older)).toMatchObject({
      before: { id: 'run-20' },
      inconclusive: [],
      olderBases: [],
    })
    expect(drift(runOf([a('pass')], at(21)), night, older)).toMatchObject({ olderBases: [] })
  })

  test('is the newest run if that is decided, and observations of older runs do not matter', () => {
    const observing = (value: number) => [{ key: 'a', value, requirement: 'A' }]
    const found = drift(
      runOf([a('observed')], at(21), observing(1)),
      runOf([a('observed')], at(20), observing(1)),
      runOf([a('observed')], at(19), observing(2)),
    )
    expect(found).toMatchObject({ observations: [], olderBases: [], alike: { observations: 1 } })
  })

  test('is the newest run if it applies in none and is decided in none', () => {
    const found = drift(runOf([a('pass')]), runOf([a('inconclusive')]), runOf([]))
    expect(found).toMatchObject({ inconclusive: [{ id: 'A' }], olderBases: [] })
  })

  test('is the first run that is shown if it is inconclusive in all runs', () => {
    const night = (day: number, cause: Cause, verdict: RequirementFixture['verdict']) =>
      runOf(
        [
          { id: 'A', verdict: 'inconclusive', cause },
          { id: 'B', verdict },
        ],
        at(day),
      )
    const earlier = [night(20, 'throttled', 'inconclusive'), night(19, 'environment', 'pass')]
    expect(drift(night(21, 'environment', 'pass'), ...earlier)).toMatchObject({
      before: { id: 'run-19' },
      inconclusive: [],
    })
  })

  test('is the newest run in which it does not apply if none is decided', () => {
    const earlier = [runOf([a('inconclusive')]), runOf([a('not-applicable')]), runOf([])] as const
    expect(drift(runOf([a('not-applicable')]), ...earlier)).toMatchObject({
      inconclusive: [],
      applicability: [],
    })
    expect(drift(runOf([a('pass')]), ...earlier)).toMatchObject({
      inconclusive: [],
      applicability: [{ id: 'A' }],
    })
  })
})

test('probe runs are comparable if they have a probe in common', () => {
  const probedAt = (endpoint: string, ...ids: readonly string[]) =>
    runOf(
      ids.map((id) => ({ id, verdict: 'observed', probe: { name: id, endpoint } })),
      { kind: 'probe' },
    )
  const probed = (...ids: readonly string[]) => probedAt('token', ...ids)
  expect(drift(probed('RAMP', 'HOLD'), probed('HOLD', 'BURST'))).toBeDefined()
  expect(drift(probed('RAMP', 'HOLD'), probed('BURST'))).toBeUndefined()
  expect(drift(probed('RAMP'), probedAt('events', 'RAMP'))).toBeUndefined()
})

test('drift is inconclusive if a requirement is, even if another one is equal', () => {
  const b: RequirementFixture = { id: 'B', verdict: 'pass' }
  const found = drift(runOf([a('inconclusive'), b]), runOf([a('pass'), b]))
  expect(found && driftVerdict(found)).toBe('inconclusive')
})
