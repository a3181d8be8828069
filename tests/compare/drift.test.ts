import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import type { Cause, Verdict } from '../../src/check/verdict.ts'
import { type Comparison, compare } from '../../src/compare/compare.ts'
import {
  driftOf,
  driftVerdict,
  newlyDecided,
  noLongerChecked,
  notCompared,
  usedUp,
} from '../../src/compare/drift.ts'
import { conclusion, driftLine } from '../../src/compare/sentences.ts'
import { driftMarkdown } from '../../src/compare/text.ts'
import { summaryMarkdown } from '../../src/report/markdown.ts'
import { overviewOf } from '../../src/report/overview.ts'
import { terminalSummary } from '../../src/report/terminal.ts'
import { runsBefore } from '../../src/results/past-runs.ts'
import type { RunResults } from '../../src/results/results.ts'
import { exitCodeWithDrift } from '../../src/run/exit-code.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'
import { schemaErrors } from '../results/fixture/schema.ts'

describe('drift', () => {
  let reportDir: string
  const save = (day: number, run: RunResults, id = `202611${day}T010203Z-${run.run.target}-5f0a`) => {
    const directory = join(reportDir, 'runs', id)
    mkdirSync(directory, { recursive: true })
    const results = { ...run, run: { ...run.run, id } }
    expect(schemaErrors(results)).toEqual([])
    writeFileSync(join(directory, 'results.json'), JSON.stringify(results))
    return directory
  }
  const runs = () => {
    reportDir = mkdtempSync(join(tmpdir(), 'plumbline-drift-'))
  }
  afterEach(() => rmSync(reportDir, { recursive: true, force: true }))

  test('compares with the last run of the same target and kind that finished and checked as much', () => {
    runs()
    const fixtures: RequirementFixture[] = [
      { id: 'AA', verdict: 'pass' },
      { id: 'BB', verdict: 'pass' },
    ]
    save(10, runOf([{ id: 'AA', verdict: 'fail' }, fixtures[1] as RequirementFixture]))
    save(11, runOf(fixtures, { target: 'production' }))
    save(12, runOf(fixtures, { kind: 'probe' }))
    save(13, runOf(fixtures, { completed: false, finishedAt: null }))
    save(14, runOf([fixtures[0] as RequirementFixture], { selection: { only: ['AA'], areas: [] } }))
    const broken = save(15, runOf(fixtures))
    writeFileSync(join(broken, 'results.json'), '{ "formatVersion": 1, "run": {')
    const own = save(16, runOf(fixtures))
    save(17, runOf(fixtures))
    const drift = driftOf(runOf(fixtures), runsBefore(own))
    expect(drift?.before.id).toBe('20261110T010203Z-uat-5f0a')
    expect(drift?.changed.map(({ id }) => id)).toEqual(['AA'])
    const narrow = runOf([fixtures[0] as RequirementFixture], { selection: { only: ['AA'], areas: [] } })
    expect(driftOf(narrow, runsBefore(own))?.before.id).toBe('20261114T010203Z-uat-5f0a')
  })

  test('does not compare runs of different probes, whatever both judged about a 429', () => {
    runs()
    const judged: RequirementFixture = { id: 'AA', verdict: 'pass' }
    const probed = (name: string): RequirementFixture => ({
      id: name,
      verdict: 'observed',
      probe: { name, endpoint: 'token' },
    })
    save(10, runOf([judged, probed('RAMP')], { kind: 'probe' }))
    const hold = runOf([judged, probed('HOLD')], { kind: 'probe' })
    expect(driftOf(hold, runsBefore(save(11, hold)))).toBeUndefined()
    const ramp = runOf([judged, probed('RAMP')], { kind: 'probe' })
    expect(driftOf(ramp, runsBefore(save(12, ramp)))?.before.id).toBe('20261110T010203Z-uat-5f0a')
  })

  const violated: RequirementFixture = { id: 'BB', verdict: 'fail' }
  const unknown: RequirementFixture = { id: 'BB', verdict: 'inconclusive' }
  const aa: RequirementFixture = { id: 'AA', verdict: 'pass' }
  const at = (day: number) => ({ startedAt: `2026-11-${day}T03:00:00.000Z` })

  test('includes a change in spite of an inconclusive or missing verdict in one night', () => {
    runs()
    const limit = (value: number) => [{ key: 'events.max-page-size', value, requirement: 'BB' }]
    save(10, runOf([aa, { id: 'BB', verdict: 'observed' }], at(10), limit(100)))
    save(11, runOf([aa, unknown], at(11)))
    save(12, runOf([{ id: 'AA', verdict: 'not-applicable' }, unknown], at(12)))
    const now = runOf(
      [
        { id: 'AA', verdict: 'fail' },
        { id: 'BB', verdict: 'observed' },
      ],
      at(13),
      limit(50),
    )
    const drift = driftOf(now, runsBefore(save(13, now)))
    expect(drift).toMatchObject({
      changed: [{ id: 'AA', before: { verdict: 'pass' }, after: { verdict: 'fail' } }],
      observations: [{ key: 'events.max-page-size', before: 100, after: 50 }],
      olderBases: [{ requirements: ['BB'] }],
    })
    expect(driftLine(drift as Comparison)).toBe(
      'since 2026-11-11 03:00 UTC (20261111T010203Z-uat-5f0a), or since ' +
        '2026-11-10 03:00 UTC (20261110T010203Z-uat-5f0a) for 1 requirement: 1 verdict changed (AA, newly violated); 1 observation changed',
    )
    expect(driftMarkdown(drift as Comparison)).toContain(
      '- 1 requirement: compared with 20261110T010203Z-uat-5f0a, because later runs did not decide it',
    )
  })

  test('considers at most ten earlier runs', () => {
    runs()
    save(10, runOf([aa, violated], at(10)))
    for (let day = 11; day <= 20; day += 1) save(day, runOf([aa, unknown], at(day)))
    const now = runOf([aa, violated], at(21))
    expect(driftOf(now, runsBefore(save(21, now)))).toMatchObject({
      changed: [],
      violatedSince: {},
      olderBases: [],
    })
  })

  test('has the start of a violation, across inconclusive nights, but not across a night in which the requirement held', () => {
    runs()
    save(10, runOf([aa, violated], at(10)))
    save(11, runOf([aa, { id: 'BB', verdict: 'pass' }], at(11)))
    save(12, runOf([aa, violated], at(12)))
    save(13, runOf([aa, unknown], at(13)))
    const now = runOf([{ id: 'AA', verdict: 'fail' }, violated], at(14))
    const drift = driftOf(now, runsBefore(save(14, now))) as Comparison
    expect(drift).toMatchObject({
      violatedSince: { BB: { ...at(12), runs: 2 } },
      newlyViolated: ['AA'],
    })
    expect(summaryMarkdown(overviewOf(now, drift))).toContain(
      '**BB** (section "Token"; since 2026-11-12 03:00 UTC (2 runs))\n',
    )
    expect(summaryMarkdown(overviewOf(now, drift))).toContain('**AA** (section "Token"; newly violated)\n')
    const shown = terminalSummary(overviewOf(now, drift), { stream: process.stdout, directory: '.' })
    expect(stripVTControlCharacters(shown)).toContain(
      'BB  section "Token"; since 2026-11-12 03:00 UTC (2 runs)\n',
    )
  })

  test('calls a violation new only if an earlier run found that the requirement holds', () => {
    runs()
    const both = (verdict: Verdict) => [aa, { id: 'BB', verdict }]
    const sinceAfter = (day: number) => {
      const now = runOf(both('fail'), at(day))
      const drift = driftOf(now, runsBefore(save(day, now)))
      return overviewOf(now, drift).violations[0]?.since
    }
    save(10, runOf([aa], { ...at(10), version: '0.0.9' }))
    expect(sinceAfter(11)).toBe('not part of earlier runs')
    save(11, runOf(both('not-applicable'), at(11)))
    expect(sinceAfter(12)).toBe('not checked in earlier runs')
    save(12, runOf(both('inconclusive'), at(12)))
    save(13, runOf(both('inconclusive'), at(13)))
    expect(sinceAfter(14)).toBe('not checked in earlier runs')
    save(14, runOf([{ id: 'BB', verdict: 'pass' }], { ...at(14), selection: { only: ['BB'], areas: [] } }))
    expect(sinceAfter(15)).toBe('newly violated')
    runs()
    save(10, runOf(both('inconclusive'), at(10)))
    expect(sinceAfter(11)).toBe('inconclusive in earlier runs')
  })

  test('includes a requirement that the configuration no longer permits to check, each night', () => {
    runs()
    const gone = { verdict: 'not-applicable', reason: 'TEST_USER is not set' } as const
    save(10, runOf([aa, violated], at(10)))
    save(11, runOf([aa, { id: 'BB', ...gone }], at(11)))
    const now = runOf([aa, { id: 'BB', ...gone }], at(12))
    const drift = driftOf(now, runsBefore(save(12, now))) as Comparison
    expect(driftVerdict(drift)).toBe('drift')
    expect(exitCodeWithDrift(0, drift)).toBe(1)
    expect(driftLine(drift)).toMatch(
      /^since 2026-11-11 .*: no longer checked: 1 requirement \(TEST_USER is not set: BB\), violated before$/,
    )
    expect(conclusion(drift)).toBe(
      'No longer checked: 1 requirement (TEST_USER is not set: BB), violated before.',
    )
  })

  test('does not exist before the second run, nor of an incomplete run', () => {
    runs()
    const run = runOf([{ id: 'AA', verdict: 'pass' }])
    save(10, run)
    const second = save(11, run)
    expect(driftOf(run, runsBefore(join(reportDir, 'runs', '20261110T010203Z-uat-5f0a')))).toBeUndefined()
    expect(driftOf({ ...run, run: { ...run.run, completed: false } }, runsBefore(second))).toBeUndefined()
  })

  test('is none for a requirement that does not apply to another target', () => {
    const before = runOf([{ id: 'A', verdict: 'pass' }])
    const after = runOf([{ id: 'A', verdict: 'not-applicable' }], { target: 'production' })
    expect(driftVerdict(compare(before, after))).toBe('inconclusive')
    expect(newlyDecided(compare(after, before))).toEqual([])
  })

  test('distinguishes requirements that are no longer checked, newly decided, not compared, and used up', () => {
    const verdicts = {
      A: ['pass', 'not-applicable'],
      B: ['not-applicable', 'pass'],
      C: ['inconclusive', 'not-applicable'],
      D: ['not-applicable', 'inconclusive'],
      E: ['pass', 'inconclusive'],
      F: ['fail', 'not-applicable'],
      G: ['inconclusive', 'not-applicable'],
    } as const
    const causes: Readonly<Record<string, Cause>> = { F: 'environment', G: 'environment' }
    const run = (index: 0 | 1, rest: Partial<RunResults['run']> = {}) =>
      runOf(
        Object.entries(verdicts).map(([id, pair]) => ({
          id,
          verdict: pair[index],
          ...(index === 1 && causes[id] && { cause: causes[id] }),
        })),
        rest,
      )
    const comparison = compare(run(0), run(1))
    const parts = [noLongerChecked, newlyDecided, notCompared, usedUp].map((part) => part(comparison))
    expect(parts.map((part) => part.map(({ id }) => id))).toEqual([['A'], ['B'], ['E', 'C', 'D', 'G'], ['F']])
    expect(usedUp(compare(run(0), run(1, { target: 'production' })))).toEqual([])
  })

  test.for([
    ['pass', 'fail', 'drift'],
    ['pass', 'not-applicable', 'drift'],
    ['not-applicable', 'pass', 'inconclusive'],
    ['pass', 'pass', 'none'],
    ['pass', 'inconclusive', 'inconclusive'],
    ['not-applicable', 'not-applicable', 'inconclusive'],
  ] as const)('is decided by the verdicts: %s and then %s is %s', ([before, after, expected]) => {
    expect(
      driftVerdict(compare(runOf([{ id: 'A', verdict: before }]), runOf([{ id: 'A', verdict: after }]))),
    ).toBe(expected)
  })

  test('includes an observation that differs', () => {
    const run = (value: number) =>
      runOf([{ id: 'A', verdict: 'observed' }], {}, [{ key: 'a', value, requirement: 'A' }])
    expect(driftVerdict(compare(run(1), run(2)))).toBe('drift')
  })
})
