import type { RequirementId } from '../../src/check/requirement.ts'
import { decide } from '../../src/release/decide.ts'
import type { ReleaseDecision } from '../../src/release/decision.ts'
import type { Policy } from '../../src/release/policy.ts'
import type { Waiver } from '../../src/release/waivers.ts'
import type { EarlierViolation } from '../../src/results/earlier-violations.ts'
import type { RunResults } from '../../src/results/results.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

export const now = new Date('2026-11-21T02:00:00Z')
/** Requirements of a level that no policy of these tests covers. */
export const catalogueOf = (...ids: string[]) =>
  ids.map((id) => ({ id, area: 'token', level: 'client' }) as const)
/** The strictest policy. */
export const strict: Policy = {
  target: 'uat',
  kind: 'check',
  maximumAgeHours: 24,
  levels: ['must'],
  inconclusive: 'block',
  minimumCoverage: {},
  minimumApplicable: {},
  waiverFindings: 'block',
}
export const waiver = (requirement: string, rest: Partial<Waiver> = {}): Waiver => ({
  requirement,
  target: 'uat',
  reason: 'fixed with the next release',
  owner: 'team events',
  issue: 'https://issues.example.com/EH-1',
  expires: '2026-11-21',
  ...rest,
})
/** The decision on a run with these verdicts of requirements. */
export const decided = (
  fixtures: readonly RequirementFixture[],
  policy: Partial<Policy> = {},
  waivers: readonly Waiver[] = [],
  run: Partial<RunResults['run']> = {},
): ReleaseDecision => decidedOn(runOf(fixtures, run), policy, waivers)
/** The decision on a run. */
export const decidedOn = (
  results: RunResults,
  policy: Partial<Policy> = {},
  waivers: readonly Waiver[] = [],
  earlierViolations: readonly EarlierViolation[] = [],
): ReleaseDecision =>
  decide({
    results,
    policy: { ...strict, ...policy },
    waivers,
    catalogue: catalogueOf('A', 'B', 'C', 'KNOWN'),
    earlierViolations,
    now,
    version: '0.1.0',
  })
export const good: RequirementFixture = { id: 'A', verdict: 'pass' }
/** Requirements of one verdict. */
export const requirementsWith = (
  verdict: RequirementFixture['verdict'],
  ...ids: string[]
): RequirementFixture[] => ids.map((id) => ({ id, verdict }))
/** Texts as ids of requirements. */
export const idsOf = (...names: string[]) => names as RequirementId[]
