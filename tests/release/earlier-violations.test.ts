import { describe, expect, test } from 'vitest'
import type { Policy } from '../../src/release/policy.ts'
import type { Waiver } from '../../src/release/waivers.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'
import { decidedOn, good, idsOf, requirementsWith, waiver } from './given.ts'

const earlier = (...ids: string[]) =>
  ids.map((id) => ({ id, run: '20261120T030000Z-uat-5f0a', startedAt: '2026-11-20T03:00:00.000Z' }))
const off = requirementsWith('not-applicable', 'B', 'C')
/** The decision on a run without ENABLE, after one that found B and C violated. */
const decidedAfter = (
  fixtures: readonly RequirementFixture[],
  policy: Partial<Policy> = {},
  waivers: readonly Waiver[] = [],
) => decidedOn(runOf(fixtures), policy, waivers, earlier('B', 'C'))
const noted = (...ids: string[]) =>
  ids.map((requirement) => ({
    effect: 'noted',
    subject: 'requirement',
    requirement,
    text: 'not decided in this run, but violated in an earlier run (2026-11-20 03:00 UTC, 20261120T030000Z-uat-5f0a)',
  }))

describe('violations of earlier runs that the run did not decide', () => {
  test('are part of a yes', () => {
    const one = decidedOn(runOf([good, ...off]), {}, [], earlier('B'))
    expect(one).toMatchObject({ release: true, findings: noted('B') })
    expect(one.because).toBe(
      'the only checked requirement (level must) holds; 2 more (level must) were not checked; B was violated in an earlier run',
    )
    expect(decidedAfter([good, ...off]).because).toMatch(
      /; 2 requirements were violated in earlier runs: B, C$/,
    )
  })

  test('are noted beside what blocks the release', () => {
    const decision = decidedAfter([...requirementsWith('fail', 'A'), ...off])
    expect(decision.because).toBe('1 requirement is violated: A')
    expect(decision.findings.slice(1)).toEqual(noted('B', 'C'))
  })

  test('include requirements that are inconclusive, if the policy allows this', () => {
    const open = requirementsWith('inconclusive', 'B')
    const { release, because, findings } = decidedAfter([good, ...open], { inconclusive: 'allow' })
    expect(release).toBe(true)
    expect(because).toMatch(/; B was violated in an earlier run$/)
    expect(findings).toEqual(expect.arrayContaining(noted('B')))
  })

  test('count only in the scope of the policy', () => {
    const [b, c] = off.map((one, index) => ({ ...one, area: ['token', 'events'][index] ?? '' }))
    if (!b || !c) throw new Error('there are two')
    expect(decidedAfter([good, b, c], { areas: ['token'] }).findings).toEqual(noted('B'))
    expect(decidedAfter([good, b, { ...c, level: 'planned' }]).findings).toEqual(noted('B'))
  })

  test('do not count if a waiver accepts them', () => {
    const waived = decidedAfter([good, ...off], {}, [waiver('B')])
    expect(waived.because).toMatch(/not checked; C was violated in an earlier run$/)
    expect(waived.findings.filter(({ subject }) => subject === 'requirement')).toEqual(noted('C'))
    const follower: RequirementFixture = {
      id: 'C',
      verdict: 'inconclusive',
      cause: 'target',
      dependsOn: idsOf('B'),
    }
    const followed = decidedAfter([good, ...requirementsWith('fail', 'B'), follower], {}, [waiver('B')])
    expect(followed.findings).toEqual([])
  })
})
