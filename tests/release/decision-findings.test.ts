import { describe, expect, test } from 'vitest'
import type { RequirementId } from '../../src/check/requirement.ts'
import { type RequirementFixture, runOf, withoutChecks } from '../results/fixture/runs.ts'
import { decided, decidedOn, good, requirementsWith, waiver } from './given.ts'

describe('the findings of a release decision', () => {
  const requirement = { subject: 'requirement' } as const

  test('are in order of their effects, each with its reason', () => {
    const { findings } = decided([
      { id: 'PLANNED', verdict: 'fail', level: 'planned', area: 'webhook' },
      { id: 'B', verdict: 'inconclusive', reason: 'no answer' },
      { id: 'C', verdict: 'fail', reason: 'it was accepted' },
      good,
    ])
    expect(findings).toEqual([
      {
        ...requirement,
        effect: 'violated',
        requirement: 'C',
        text: 'requirement: What C requires (section "Token"); it was accepted',
      },
      { ...requirement, effect: 'undecided', requirement: 'B', text: 'throttled: no answer' },
      {
        ...requirement,
        effect: 'noted',
        requirement: 'PLANNED',
        text: 'violated, but the policy does not cover level planned in the area webhook',
      },
    ])
  })

  test('count the other failed checks of a requirement', () => {
    const furtherChecks = (['fail', 'pass', 'fail'] as const).map((verdict) => ({ verdict }))
    const { findings } = decided([{ id: 'B', verdict: 'fail', reason: 'it was accepted', furtherChecks }])
    expect(findings[0]?.text).toBe(
      'requirement: What B requires (section "Token"); it was accepted (and 2 more failed checks)',
    )
  })

  test('name the violation that explains an inconclusive requirement', () => {
    const follower: RequirementFixture = {
      id: 'B',
      verdict: 'inconclusive',
      cause: 'target',
      reason: 'no token',
    }
    expect(decided([good, follower]).findings).toMatchObject([
      { effect: 'undecided', text: 'inconclusive, follows from a violation: no token' },
    ])
  })

  test('name the root cause of a requirement that is inconclusive because of another one, as the first page does', () => {
    const root: RequirementFixture = { id: 'B', verdict: 'inconclusive', reason: 'waited 5 min' }
    const follower: RequirementFixture = {
      id: 'C',
      verdict: 'inconclusive',
      cause: 'environment',
      reason: 'no token was issued',
      dependsOn: ['B' as RequirementId],
    }
    expect(decided([good, root, follower]).findings).toMatchObject([
      { requirement: 'B', text: 'throttled: waited 5 min' },
      { requirement: 'C', text: 'throttled: waited 5 min' },
    ])
  })

  test('give the reason of the inconclusive check, not of one that passed', () => {
    const results = runOf([good, { id: 'B', verdict: 'inconclusive', reason: 'waited 5 min' }])
    const [passed, inconclusive] = results.requirements
    if (!passed || !inconclusive) throw new Error('no requirement')
    const both = { ...inconclusive, checks: [...passed.checks, ...inconclusive.checks] }
    const { findings } = decidedOn({ ...results, requirements: [passed, both] })
    expect(findings).toMatchObject([{ requirement: 'B', text: 'throttled: waited 5 min' }])
  })

  test('report that the run ended before the checks of a requirement', () => {
    const run = runOf([good])
    const unbegun = withoutChecks({ id: 'B', verdict: 'inconclusive' })
    const { findings } = decidedOn({ ...run, requirements: [...run.requirements, unbegun] })
    expect(findings).toMatchObject([
      { requirement: 'B', text: 'environment: the run ended before its checks' },
    ])
  })

  test('with a defect of Plumbline in one check are not allowed', () => {
    const verdict = 'inconclusive'
    const defective: RequirementFixture = { id: 'B', verdict, furtherChecks: [{ verdict, cause: 'harness' }] }
    expect(decided([good, defective], { inconclusive: 'allow' }).findings).toMatchObject([
      { effect: 'undecided', requirement: 'B' },
    ])
  })

  test('contain a defect of Plumbline in another check of a waived violation', () => {
    const crashed = { verdict: 'inconclusive', cause: 'harness', reason: 'a step crashed' } as const
    const violated: RequirementFixture = { id: 'B', verdict: 'fail', furtherChecks: [crashed] }
    expect(decided([good, violated], {}, [waiver('B')])).toMatchObject({
      exitCode: 2,
      findings: [{ ...requirement, effect: 'undecided', requirement: 'B', text: 'harness: a step crashed' }],
    })
  })

  test('that the policy allows are noted', () => {
    expect(
      decided([good, ...requirementsWith('inconclusive', 'B')], { inconclusive: 'allow' }).findings,
    ).toMatchObject([{ effect: 'noted', requirement: 'B' }])
  })

  test('exclude requirements outside the scope, except violations', () => {
    const outside = { level: 'silent', area: 'token' } as const
    const { findings } = decided([
      good,
      { id: 'B', verdict: 'inconclusive', ...outside },
      { id: 'C', verdict: 'pass', ...outside },
    ])
    expect(findings).toEqual([])
  })
})
