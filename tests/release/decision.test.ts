import { describe, expect, test } from 'vitest'
import { decided, good, now, requirementsWith, strict, waiver } from './given.ts'

describe('a release decision', () => {
  test.for<[string, Parameters<typeof decided>, 0 | 1 | 2, RegExp]>([
    ['every requirement holds', [[good]], 0, /^the only checked requirement \(level must\) holds$/],
    ['a violation', [[good, { id: 'B', verdict: 'fail' }]], 1, /^1 requirement is violated: B$/],
    ['a violation of another level', [[good, { id: 'B', verdict: 'fail', level: 'planned' }]], 0, /hold/],
    [
      'a violation in an area that the policy does not cover',
      [[good, { id: 'B', verdict: 'fail', area: 'events' }], { areas: ['token'] }],
      0,
      /hold/,
    ],
    [
      'inconclusive, which blocks',
      [[good, { id: 'B', verdict: 'inconclusive' }]],
      2,
      /could not be decided: B/,
    ],
    [
      'inconclusive, which is allowed',
      [[good, { id: 'B', verdict: 'inconclusive' }], { inconclusive: 'allow' }],
      0,
      /^1 of 2 checked requirements \(level must\) hold; 1 is inconclusive, which the policy allows$/,
    ],
    [
      'inconclusive because of a defect of Plumbline, which is never allowed',
      [[good, { id: 'B', verdict: 'inconclusive', cause: 'harness' }], { inconclusive: 'allow' }],
      2,
      /could not be decided: B/,
    ],
    [
      'a waived defect of Plumbline',
      [[good, { id: 'B', verdict: 'inconclusive', cause: 'harness' }], {}, [waiver('B')]],
      2,
      /could not be decided: B/,
    ],
    [
      'nothing judged in an area of the policy',
      [
        [good, { id: 'B', verdict: 'inconclusive', area: 'events' }],
        { inconclusive: 'allow', areas: ['token', 'events'] },
      ],
      2,
      /^no requirement was judged in the area events;/,
    ],
    [
      'nothing judged at all',
      [requirementsWith('inconclusive', 'A', 'B'), { inconclusive: 'allow' }],
      2,
      /^no requirement was judged;/,
    ],
    [
      'an area in another case',
      [[good], { areas: ['token'] }, [], { selection: { only: [], areas: ['TOKEN'] } }],
      0,
      /hold/,
    ],
    ['no requirement applied', [[{ id: 'A', verdict: 'not-applicable' }]], 2, /no requirement was judged/],
    [
      'too few requirements decided',
      [
        [good, { id: 'B', verdict: 'inconclusive' }],
        { inconclusive: 'allow', minimumCoverage: { overall: 0.6 } },
      ],
      2,
      /^the coverage is 50 %, but the policy requires 60 %; no requirement is violated$/,
    ],
    [
      'too few requirements decided in an area',
      [
        [good, { id: 'B', verdict: 'inconclusive', area: 'events' }],
        { inconclusive: 'allow', minimumCoverage: { areas: { events: 0.5 } } },
      ],
      2,
      /^the coverage in the area events is 0 % \(0 of 1\), but the policy requires 50 %;/,
    ],
    ['an area in which nothing applied', [[good], { areas: ['token', 'events'] }], 2, /in the area events/],
    [
      'too few requirements applied',
      [[good], { minimumApplicable: { overall: 2 } }],
      2,
      /1 requirement was checked/,
    ],
    [
      'another target',
      [[good], {}, [], { target: 'embedded' }],
      2,
      /^the run checked the target embedded, but the policy requires uat; no checked requirement is violated$/,
    ],
    [
      'another target, with a violation',
      [[{ id: 'A', verdict: 'fail' }], {}, [], { target: 'embedded' }],
      2,
      /^the run checked the target embedded, but the policy requires uat$/,
    ],
    [
      'another target and kind, with a violation',
      [[{ id: 'A', verdict: 'fail' }], {}, [], { target: 'embedded', kind: 'probe' }],
      2,
      /^the run checked the target embedded, but the policy requires uat; the run is a probe run, but the policy requires a check run$/,
    ],
    [
      'only some areas',
      [[good], {}, [], { selection: { only: [], areas: ['token', 'events'] } }],
      2,
      /^the run selected only 1 of 4 requirements: the areas token, events; no checked requirement is violated$/,
    ],
    [
      'only a part, with a violation',
      [[{ id: 'A', verdict: 'fail' }], {}, [], { selection: { only: ['A'], areas: [] } }],
      1,
      /^1 requirement is violated: A$/,
    ],
    ['another kind', [[good], {}, [], { kind: 'probe' }], 2, /is a probe run/],
    ['incomplete', [[good], {}, [], { completed: false, finishedAt: null }], 2, /the run is incomplete/],
    [
      'incomplete, with a violation',
      [[{ id: 'A', verdict: 'fail' }], {}, [], { completed: false }],
      1,
      /violated/,
    ],
    ['too old', [[good], { maximumAgeHours: 0.5 }], 2, /ended 56 min 57 s ago, and the policy allows 30 min/],
    [
      'a second too old',
      [[good], { maximumAgeHours: (56 * 60 + 56) / 3600 }],
      2,
      /ended 56 min 57 s ago, and the policy allows 56 min 56 s/,
    ],
    ['from the future', [[good], {}, [], { finishedAt: '2027-01-01T00:00:00Z' }], 2, /a clock is wrong/],
    [
      'only one requirement',
      [[good], {}, [], { selection: { only: ['A'], areas: [] } }],
      2,
      /selected only 1 of 4 requirements: A;/,
    ],
    [
      'only one area',
      [[good], {}, [], { selection: { only: [], areas: ['token'] } }],
      2,
      /only 1 of 4 requirements: the area token;/,
    ],
    [
      'the area that the policy covers',
      [[good], { areas: ['token'] }, [], { selection: { only: [], areas: ['token'] } }],
      0,
      /hold/,
    ],
    [
      'a violation that is waived, on the last day',
      [[good, { id: 'B', verdict: 'fail' }], {}, [waiver('B')]],
      0,
      /^1 of 2 checked requirements \(level must\) hold; 1 is waived$/,
    ],
    [
      'a violation whose waiver has expired',
      [[good, { id: 'B', verdict: 'fail' }], {}, [waiver('B', { expires: '2026-11-20' })]],
      1,
      /violated: B/,
    ],
    [
      'a violation that is waived on another target',
      [[good, { id: 'B', verdict: 'fail' }], {}, [waiver('B', { target: 'production' })]],
      1,
      /violated: B/,
    ],
    [
      'an inconclusive requirement that is waived',
      [[good, { id: 'B', verdict: 'inconclusive' }], {}, [waiver('B')]],
      0,
      /waived/,
    ],
    [
      'an expired waiver',
      [[good], {}, [waiver('A', { expires: '2026-11-20' })]],
      2,
      /A expired on 2026-11-20; the requirement holds, so remove the waiver;/,
    ],
    [
      'an expired waiver of a requirement that was not checked',
      [[good, { id: 'B', verdict: 'not-applicable' }], {}, [waiver('B', { expires: '2026-11-20' })]],
      2,
      /^the waiver of B expired on 2026-11-20: its owner \(team events\) must renew or remove it;/,
    ],
    [
      'a waiver of an unknown requirement',
      [[good], {}, [waiver('KNOWNS')]],
      2,
      /no such requirement; the nearest is KNOWN/,
    ],
    [
      'a waiver of an unknown requirement on another target',
      [[good], {}, [waiver('KNOWNS', { target: 'production' })]],
      2,
      /no such requirement/,
    ],
    [
      'a waiver of a requirement that the run did not check',
      [[good], {}, [waiver('KNOWN')]],
      2,
      /does not contain/,
    ],
    [
      'a waiver of a requirement that holds',
      [[good], {}, [waiver('A')]],
      2,
      /^the waiver of A is no longer needed: the requirement holds, so remove the waiver;/,
    ],
    [
      'a waiver of a requirement that holds, only reported',
      [[good], { waiverFindings: 'report' }, [waiver('A')]],
      0,
      /hold/,
    ],
    [
      'a waiver of a requirement that did not apply',
      [[good, { id: 'B', verdict: 'not-applicable' }], {}, [waiver('B')]],
      0,
      /hold/,
    ],
  ])('on a run: %s', ([, given, exitCode, because]) => {
    const decision = decided(...given)
    expect(decision.because).toMatch(because)
    expect(decision).toMatchObject({ exitCode, release: exitCode === 0 })
  })

  test.each([
    ['yes', [good], {}],
    ['no', requirementsWith('fail', 'A'), { completed: false }],
    ['no', requirementsWith('inconclusive', 'A'), {}],
    ['no decision', [good], { completed: false }],
    ['no decision', requirementsWith('fail', 'A'), { kind: 'probe' as const }],
  ])('answers %s', (answer, fixtures, run) => {
    expect(decided(fixtures, {}, [], run).answer).toBe(answer)
  })

  test('contains its inputs', () => {
    const decision = decided([good], { maximumAgeHours: 5 })
    expect(decision).toMatchObject({
      formatVersion: 1,
      release: true,
      exitCode: 0,
      because: 'the only checked requirement (level must) holds',
      decidedAt: now.toISOString(),
      version: '0.1.0',
      run: { target: 'uat' },
      policy: { ...strict, maximumAgeHours: 5 },
      coverage: { applicable: 1, decided: 1, waived: 0, following: 0, observed: 0, share: 1 },
      findings: [],
      waived: [],
      following: [],
    })
  })
})
