import { describe, expect, test } from 'vitest'
import type { Policy } from '../../src/release/policy.ts'
import { decisionMarkdown, decisionText } from '../../src/release/text.ts'
import { hasExpired, type Waiver } from '../../src/release/waivers.ts'
import { answerOf } from '../../src/report/answer.ts'
import { type RequirementFixture, runOf, withoutChecks } from '../results/fixture/runs.ts'
import { decided, decidedOn, good, idsOf, requirementsWith, waiver } from './given.ts'

describe('waivers of a decision', () => {
  test('are listed if a violated or inconclusive requirement in the scope needs them', () => {
    const { waived } = decided(
      [
        good,
        ...requirementsWith('fail', 'B'),
        { id: 'C', verdict: 'fail', level: 'planned' },
        { id: 'D', verdict: 'not-applicable' },
        { id: 'E', verdict: 'inconclusive', level: 'silent' },
      ],
      { waiverFindings: 'report', levels: ['must', 'silent'] },
      ['A', 'B', 'C', 'D', 'E'].map((id) => waiver(id)),
    )
    expect(waived).toEqual([{ ...waiver('B'), verdict: 'fail' }])
  })

  test('outside the scope settle the requirements that follow from them, which are not listed there', () => {
    const violated: RequirementFixture = { id: 'B', verdict: 'fail', level: 'planned' }
    const dependsOn = idsOf('B')
    const decision = decided(
      [
        good,
        violated,
        { id: 'C', verdict: 'inconclusive', cause: 'target', dependsOn },
        { id: 'D', verdict: 'inconclusive', dependsOn, level: 'planned' },
      ],
      {},
      [waiver('B')],
    )
    expect(decision.following.map(({ requirement }) => requirement)).toEqual(['C'])
    expect(decision).toMatchObject({
      release: true,
      because: '1 of 2 checked requirements (level must) hold; 1 follows from waived ones',
    })
  })

  test('are valid until the end of their last day in UTC', () => {
    const expired = (time: string) => hasExpired(waiver('A', { expires: '2026-11-21' }), new Date(time))
    expect([
      expired('2026-11-20T00:00:00Z'),
      expired('2026-11-21T23:59:59Z'),
      expired('2026-11-22T00:00:00Z'),
      expired('2026-11-22T00:30:00+02:00'),
      expired('2027-01-01T00:00:00Z'),
    ]).toEqual([false, false, true, false, true])
  })

  test('of inconclusive requirements count for coverage', () => {
    const fixtures: RequirementFixture[] = [good, { id: 'B', verdict: 'inconclusive' }]
    expect(decided(fixtures, { minimumCoverage: { overall: 1 } }, [waiver('B')])).toMatchObject({
      exitCode: 0,
      coverage: { decided: 1, waived: 1, following: 0, share: 1 },
    })
  })
})

describe('requirements that follow from a waived violation', () => {
  const reason = 'the token of the code exchange breaks this rule as well'
  const full = { minimumCoverage: { overall: 1, areas: { token: 1 } } }
  const violated: RequirementFixture = { id: 'ID-ISSUER', verdict: 'fail' }
  const follower: RequirementFixture = {
    id: 'ID-REFRESHED',
    verdict: 'inconclusive',
    cause: 'target',
    reason,
    dependsOn: idsOf('ID-ISSUER'),
  }

  test('are settled by its waiver, for coverage too, and listed', () => {
    const decision = decided([good, violated, follower], full, [waiver('ID-ISSUER')])
    expect(decision.because).toBe(
      '1 of 3 checked requirements (level must) hold; 1 is waived and 1 follows from waived ones',
    )
    expect(decision).toMatchObject({
      exitCode: 0,
      findings: [],
      coverage: { applicable: 3, decided: 2, waived: 1, following: 1, share: 1 },
      following: [{ requirement: 'ID-REFRESHED', follows: ['ID-ISSUER'], reason }],
    })
    expect(decisionMarkdown(decision, 'policy.json')).toContain(
      'judged or waived (3 of 3: 2 judged, 1 following from waived ones)',
    )
    expect(decisionMarkdown(decision, 'policy.json')).toContain(
      '**ID-REFRESHED**: inconclusive, follows from ID-ISSUER',
    )
  })

  test('are counted beside those with a waiver: gate, its Markdown, first page and JSON agree', () => {
    const fixtures: RequirementFixture[] = [
      good,
      violated,
      follower,
      { ...follower, id: 'ID-OBSERVED', level: 'silent' },
      { id: 'TOKEN-SLOW', verdict: 'inconclusive', cause: 'throttled' },
    ]
    const policy = { ...full, levels: ['must', 'silent'] } satisfies Partial<Policy>
    const decision = decided(fixtures, policy, [waiver('ID-ISSUER'), waiver('TOKEN-SLOW')])
    const because =
      '1 of 4 checked requirements (level must, silent) hold; 2 are waived and 1 follows from waived ones'
    const settled =
      'judged or waived (4 of 4: 2 judged, 1 waived and inconclusive, 1 following from waived ones)'
    expect(decision).toMatchObject({
      because,
      coverage: { applicable: 4, decided: 2, waived: 2, following: 1, share: 1 },
      waived: [{ requirement: 'ID-ISSUER' }, { requirement: 'TOKEN-SLOW' }],
      following: [{ requirement: 'ID-REFRESHED' }],
    })
    expect(decisionMarkdown(decision, 'policy.json')).toContain(settled)
    expect(decisionText(decision, process.stderr, 'policy.json').replace(/\s+/g, ' ')).toContain(settled)
    expect(answerOf(runOf(fixtures), { decision }).sentence).toBe(`Release: yes, because ${because}.`)
  })

  test('are also settled indirectly', () => {
    const third: RequirementFixture = { ...follower, id: 'ID-AFTER', dependsOn: idsOf('ID-REFRESHED') }
    expect(decided([third, violated, follower], full, [waiver('ID-ISSUER')])).toMatchObject({
      exitCode: 0,
      following: [{ requirement: 'ID-REFRESHED' }, { requirement: 'ID-AFTER', follows: ['ID-REFRESHED'] }],
    })
  })

  test.for<[string, RequirementFixture, RequirementFixture]>([
    [
      'that also depends on a requirement that holds',
      violated,
      { ...follower, dependsOn: idsOf('ID-ISSUER', 'A') },
    ],
    ['of which another check passed', violated, { ...follower, furtherChecks: [good] }],
    [
      'of a waived inconclusive requirement',
      { id: 'ID-ISSUER', verdict: 'inconclusive' },
      { ...follower, cause: 'environment' },
    ],
  ])('include one %s', ([, waived, given]) => {
    const { following } = decided([good, waived, given], full, [waiver('ID-ISSUER')])
    expect(following).toEqual([{ requirement: 'ID-REFRESHED', follows: ['ID-ISSUER'], reason }])
  })

  test('are not settled if the run ended before their checks', () => {
    const run = runOf([good, violated])
    const results = { ...run, requirements: [...run.requirements, withoutChecks(follower)] }
    expect(decidedOn(results, {}, [waiver('ID-ISSUER')])).toMatchObject({ exitCode: 2, following: [] })
  })

  test('are not settled if they also depend on a violation without a waiver, or are violated themselves', () => {
    const other: RequirementFixture = { id: 'ID-OTHER', verdict: 'fail', furtherChecks: [follower] }
    const both = { ...follower, dependsOn: idsOf('ID-ISSUER', 'ID-OTHER') }
    expect(decided([violated, other, both], {}, [waiver('ID-ISSUER')])).toMatchObject({
      because: '1 requirement is violated: ID-OTHER',
      following: [],
    })
  })

  test.for<[string, readonly RequirementFixture[], Waiver]>([
    ['a violation on another target', [good, follower], waiver('ID-ISSUER', { target: 'production' })],
    ['a requirement that holds', [{ id: 'ID-ISSUER', verdict: 'pass' }, follower], waiver('ID-ISSUER')],
    [
      'one of two violations',
      [
        violated,
        { id: 'ID-OTHER', verdict: 'inconclusive' },
        { ...follower, dependsOn: idsOf('ID-ISSUER', 'ID-OTHER') },
      ],
      waiver('ID-ISSUER'),
    ],
    [
      'a violation that only the text of the reason names',
      [violated, { ...follower, reason: 'there is none; see ID-ISSUER', dependsOn: [] }],
      waiver('ID-ISSUER'),
    ],
    [
      'a violation, if the check has another reason',
      [violated, { ...follower, cause: 'throttled' }],
      waiver('ID-ISSUER'),
    ],
    [
      'a violation, if another of its checks has another reason',
      [violated, { ...follower, furtherChecks: [{ verdict: 'inconclusive', cause: 'throttled' }] }],
      waiver('ID-ISSUER'),
    ],
    [
      'a violation, if the cause is a defect of Plumbline',
      [violated, { ...follower, cause: 'harness' }],
      waiver('ID-ISSUER'),
    ],
  ])('are not settled by a waiver of %s', ([, fixtures, given]) => {
    expect(decided(fixtures, {}, [given])).toMatchObject({ exitCode: 2, following: [] })
  })

  test('stay inconclusive if the waiver has expired', () => {
    const expired = waiver('ID-ISSUER', { expires: '2026-11-20' })
    expect(decided([good, violated, follower], full, [expired])).toMatchObject({ exitCode: 1, following: [] })
  })
})
