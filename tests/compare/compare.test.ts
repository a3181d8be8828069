import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { Cause, Verdict } from '../../src/check/verdict.ts'
import { compare } from '../../src/compare/compare.ts'
import type { Comparison, VerdictDifference } from '../../src/compare/comparison.ts'
import { driftOf, driftVerdict } from '../../src/compare/drift.ts'
import { comparisonMarkdown, driftMarkdown } from '../../src/compare/markdown.ts'
import { comparisonText } from '../../src/compare/terminal.ts'
import { conclusion, driftLine } from '../../src/compare/text.ts'
import { summaryMarkdown } from '../../src/report/markdown.ts'
import { overviewOf } from '../../src/report/overview.ts'
import { terminalSummary } from '../../src/report/terminal.ts'
import { runsBefore } from '../../src/results/past-runs.ts'
import type { RunResults } from '../../src/results/results.ts'
import { valueText } from '../../src/results/text.ts'
import { exitCodeWithDrift } from '../../src/run/exit-code.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'
import { schemaErrors } from '../results/fixture/schema.ts'

const key = 'events.max-page-size'
const seen = (value: string | number | string[], requirement = 'A') => ({ key, value, requirement })

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
  key: fc.constantFrom(key, 'limits.token.ramp.last-clean-rate', 'limits.token.hold.latency-p99-ms'),
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
    undecided: swap(comparison.undecided),
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

describe('compare', () => {
  test('swapping the runs only swaps the two sides of the comparison', () => {
    fc.assert(
      fc.property(anyRun, anyRun, (a, b) => {
        expect(mirrored(compare(a, b))).toEqual(compare(b, a))
      }),
    )
  })

  test('a run does not differ from itself', () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        expect(compare(run, run)).toMatchObject({
          differsIn: [],
          changed: [],
          undecided: [],
          applicability: [],
          observations: [],
          appeared: [],
          vanished: [],
          notSelected: { before: [], after: [] },
        })
      }),
    )
  })

  test('every requirement is in exactly one part of a comparison, unless it is equal in both runs', () => {
    fc.assert(
      fc.property(anyRun, anyRun, (a, b) => {
        const result = compare(a, b)
        const listed = [
          ...[...result.changed, ...result.undecided, ...result.applicability].map(({ id }) => id),
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
      'undecided',
    ],
    [
      'inconclusive for another cause',
      { id: 'A', verdict: 'inconclusive', cause: 'throttled' },
      { id: 'A', verdict: 'inconclusive', cause: 'environment' },
      'undecided',
    ],
    ['applied once', { id: 'A', verdict: 'not-applicable' }, { id: 'A', verdict: 'fail' }, 'applicability'],
  ])('%s', ([, before, after, where]) => {
    const result = compare(runOf([before]), runOf([after]))
    expect(result[where]).toMatchObject([{ id: 'A', before: { verdict: before.verdict } }])
  })

  test('a requirement that stays violated by another check is a change', () => {
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

  test('a requirement is new if the other run selected its area, otherwise not selected', () => {
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

describe('observations', () => {
  const run = (value: number | string | string[], rest: Partial<RequirementFixture> = {}, name = key) =>
    runOf([{ id: 'A', verdict: 'observed', ...rest }], {}, [{ key: name, value, requirement: 'A' }])

  test('another value is a difference, another order of a list is not', () => {
    expect(compare(run(100), run(50)).observations).toEqual([
      { key, requirement: 'A', before: 100, after: 50 },
    ])
    expect(compare(run(['a', 'b']), run(['b', 'a'])).observations).toEqual([])
  })

  test('is not missed where its requirement was not decided', () => {
    const without = runOf([{ id: 'A', verdict: 'inconclusive' }])
    expect(compare(run(100), without).observations).toEqual([])
    expect(compare(run(100), runOf([{ id: 'A', verdict: 'pass' }])).observations).toEqual([
      { key, requirement: 'A', before: 100 },
    ])
  })

  test.for([
    ['limits.token.hold.latency-p99-ms', 10, 20, 0],
    ['limits.token.hold.latency-p99-ms', 10, 21, 1],
    ['limits.token.limiter.rate-per-second', 10, 10.9, 0],
    ['limits.token.limiter.rate-per-second', 10, 12, 1],
    ['limits.token.ramp.last-clean-rate', 10, 11, 1],
  ] as const)('%s: %d and %d', ([name, one, other, differences]) => {
    expect(compare(run(one, {}, name), run(other, {}, name)).observations).toHaveLength(differences)
  })

  test('of a probe in only one run are not compared', () => {
    const one = run(10, {}, 'limits.token.ramp.last-clean-rate')
    const other = run(10, {}, 'limits.userinfo.ramp.last-clean-rate')
    expect(compare(one, other)).toMatchObject({ observations: [], alike: { observations: 0 } })
  })
})

describe('text', () => {
  const uat = runOf([{ id: 'A', verdict: 'pass' }])
  const production = { target: 'production', hosts: ['idp.example'] } as const

  test('the conclusion on two targets that agree', () => {
    const alike = compare(uat, runOf([{ id: 'A', verdict: 'pass' }], production))
    expect(conclusion(alike)).toBe('uat and production do not differ in the 1 requirement that both decided.')
    const unlike = compare(uat, runOf([{ id: 'A', verdict: 'fail' }], production))
    expect(conclusion(unlike)).toMatch(/^uat and production differ: 1 verdict differs/)
    expect(comparisonMarkdown(unlike)).toContain('- hosts: idp.uat.example → idp.example')
  })

  test('content of a target is shown as text', () => {
    const hostile = runOf([{ id: 'A', verdict: 'fail', reason: '<script>|alert</script>' }])
    expect(driftMarkdown(compare(uat, hostile)).join('\n')).toContain('&lt;script&gt;\\|alert&lt;/script&gt;')
  })

  test('drift in one line', () => {
    expect(driftLine(compare(uat, runOf([{ id: 'A', verdict: 'fail' }])))).toBe(
      'since 2026-11-21 01:02 UTC (20261121T010203Z-uat-5f0a): 1 verdict changed (A)',
    )
    expect(driftLine(compare(uat, runOf([{ id: 'A', verdict: 'inconclusive' }])))).toBe(
      'since 2026-11-21 01:02 UTC (20261121T010203Z-uat-5f0a): no requirement was decided in both runs, so nothing can be compared',
    )
    const pair = (verdict: Verdict) =>
      runOf([
        { id: 'A', verdict: 'pass' },
        { id: 'B', verdict },
      ])
    expect(driftLine(compare(pair('pass'), pair('inconclusive')))).toBe(
      'since 2026-11-21 01:02 UTC (20261121T010203Z-uat-5f0a): no change; 1 requirement became inconclusive',
    )
    expect(driftLine(compare(pair('not-applicable'), pair('pass')))).toMatch(
      /^since .*: no change; 1 requirement newly checked$/,
    )
    expect(driftLine(compare(pair('not-applicable'), pair('inconclusive')))).toMatch(
      /^since .*: no change; 1 requirement inconclusive in one run or both/,
    )
    expect(driftLine(compare(uat, uat))).toMatch(/^since .*: no change$/)
  })

  test('if nothing can be compared, drift and comparison say so in the same words', () => {
    const nothing = compare(uat, runOf([{ id: 'A', verdict: 'inconclusive' }]))
    const words = 'o requirement was decided in both runs, so nothing can be compared'
    expect(conclusion(nothing)).toBe(`N${words}.`)
    expect(driftLine(nothing)).toContain(`: n${words}`)
  })

  test('differences with the same reason share a line', () => {
    const ids = Array.from({ length: 12 }, (_, index) => `ID-${index}`)
    const run = (verdict: Verdict) => runOf(ids.map((id) => ({ id, verdict, reason: 'the secret is wrong' })))
    const found = compare(run('pass'), run('inconclusive'))
    const text = comparisonText(found, process.stdout)
    expect(text.match(/the secret is wrong/g)).toHaveLength(1)
    expect(text.replace(/\s+/g, ' ')).toMatch(/12 requirements pass → inconclusive.*, and 9 more/)
    expect(comparisonMarkdown(found)).toContain('| ID-0, ID-1, ID-10, ID-11, ID-2,')
  })

  test('a verdict that became not applicable is in the sentence, and in the table under the same name', () => {
    const gone = compare(
      runOf([{ id: 'A', verdict: 'pass' }]),
      runOf([{ id: 'A', verdict: 'not-applicable', cause: 'target', reason: 'needs a consent page' }]),
    )
    expect(driftLine(gone)).toMatch(
      /^since .*: no longer checked: 1 requirement \(needs a consent page: A\)$/,
    )
    const lines = driftMarkdown(gone)
    expect(lines).toContain('### No longer checked')
    expect(lines).not.toContain('### Applied in one run only')
  })

  test('many reasons are counted', () => {
    const ids = ['A', 'B', 'C']
    const pass = runOf(ids.map((id) => ({ id, verdict: 'pass' })))
    const gone = runOf(ids.map((id) => ({ id, verdict: 'not-applicable' })))
    expect(conclusion(compare(pass, gone))).toBe('No longer checked: 3 requirements, for 3 reasons.')
  })
})

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

  test('is found against the last run with the same target and kind that finished and checked as much', () => {
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

  test('runs of other probes are not comparable, whatever both judged about a 429', () => {
    runs()
    const judged: RequirementFixture = { id: 'AA', verdict: 'pass' }
    const probed = (id: string): RequirementFixture => ({ id, verdict: 'observed', level: 'silent' })
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

  test('an inconclusive or missing verdict in one night hides no change', () => {
    runs()
    const limit = (value: number) => [{ key, value, requirement: 'BB' }]
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
      observations: [{ key, before: 100, after: 50 }],
      olderBases: [{ requirements: ['BB'] }],
    })
    expect(driftLine(drift as Comparison)).toBe(
      'since 2026-11-11 03:00 UTC (20261111T010203Z-uat-5f0a), and for 1 requirement since ' +
        '2026-11-10 03:00 UTC (20261110T010203Z-uat-5f0a): 1 verdict changed (AA); 1 observation changed',
    )
    expect(driftMarkdown(drift as Comparison)).toContain(
      '- 1 requirement: compared with 20261110T010203Z-uat-5f0a, because later runs did not decide it',
    )
  })

  test('at most ten earlier runs are considered', () => {
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

  test('a violation has a start, across inconclusive nights, but not across a night in which the requirement held', () => {
    runs()
    save(10, runOf([aa, violated], at(10)))
    save(11, runOf([aa, { id: 'BB', verdict: 'pass' }], at(11)))
    save(12, runOf([aa, violated], at(12)))
    save(13, runOf([aa, unknown], at(13)))
    const now = runOf([{ id: 'AA', verdict: 'fail' }, violated], at(14))
    const drift = driftOf(now, runsBefore(save(14, now))) as Comparison
    expect(drift.violatedSince).toEqual({ BB: { ...at(12), runs: 2 } })
    expect(summaryMarkdown(overviewOf(now, drift))).toContain(
      '**BB** (section "Token"; since 2026-11-12 03:00 UTC (2 runs)): ',
    )
    expect(summaryMarkdown(overviewOf(now, drift))).toContain(
      '**AA** (section "Token"; first seen in this run): ',
    )
    const shown = terminalSummary(overviewOf(now, drift), { stream: process.stdout, results: 'results.json' })
    expect(stripVTControlCharacters(shown)).toContain(
      'BB  section "Token"; since 2026-11-12 03:00 UTC (2 runs)\n',
    )
  })

  test('a requirement that the configuration no longer permits to check is drift, each night', () => {
    runs()
    const gone = { verdict: 'not-applicable', reason: 'TEST_USER is not set' } as const
    save(10, runOf([aa, violated], at(10)))
    save(11, runOf([aa, { id: 'BB', ...gone }], at(11)))
    const now = runOf([aa, { id: 'BB', ...gone }], at(12))
    const drift = driftOf(now, runsBefore(save(12, now))) as Comparison
    expect(driftVerdict(drift)).toBe('drift')
    expect(exitCodeWithDrift(0, drift)).toBe(1)
    expect(driftLine(drift)).toMatch(
      /^since 2026-11-11 .*: no longer checked: 1 requirement \(TEST_USER is not set: BB\)$/,
    )
    expect(conclusion(drift)).toBe('No longer checked: 1 requirement (TEST_USER is not set: BB).')
  })

  test('there is none before the second run, nor of an incomplete run', () => {
    runs()
    const run = runOf([{ id: 'AA', verdict: 'pass' }])
    save(10, run)
    const second = save(11, run)
    expect(driftOf(run, runsBefore(join(reportDir, 'runs', '20261110T010203Z-uat-5f0a')))).toBeUndefined()
    expect(driftOf({ ...run, run: { ...run.run, completed: false } }, runsBefore(second))).toBeUndefined()
  })
})

test('a requirement that does not apply to another target is not drift', () => {
  const before = runOf([{ id: 'A', verdict: 'pass' }])
  const after = runOf([{ id: 'A', verdict: 'not-applicable' }], { target: 'production' })
  expect(driftVerdict(compare(before, after))).toBe('undecided')
})

test.for([
  ['pass', 'fail', 'drift'],
  ['pass', 'not-applicable', 'drift'],
  ['not-applicable', 'pass', 'undecided'],
  ['pass', 'pass', 'none'],
  ['pass', 'inconclusive', 'undecided'],
  ['not-applicable', 'not-applicable', 'undecided'],
] as const)('%s and then %s is %s', ([before, after, expected]) => {
  expect(
    driftVerdict(compare(runOf([{ id: 'A', verdict: before }]), runOf([{ id: 'A', verdict: after }]))),
  ).toBe(expected)
})

test('an empty value is a word, so that no cell of a table is empty', () => {
  const [none, empty] = [valueText([]), valueText('')]
  expect([none, empty]).toEqual(['none', 'empty'])
})

test('an observation of several checks is compared as one', () => {
  const run = (...values: number[]) =>
    runOf(
      [{ id: 'A', verdict: 'observed' }],
      {},
      values.map((value) => seen(value)),
    )
  expect(compare(run(1, 2), run(2, 1)).observations).toEqual([])
  expect(compare(run(1, 2), run(1, 3)).observations).toHaveLength(1)
})
