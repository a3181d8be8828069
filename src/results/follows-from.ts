import { followersFrom } from './dependencies.ts'
import type { CheckRecord, RequirementResult } from './results.ts'

/** The members of a check that show why it is inconclusive. */
type CheckDependency = Pick<CheckRecord, 'verdict' | 'cause' | 'dependsOn'>

/**
 * Inconclusive checks that a violation in the same run explains, directly or through other checks: their cause is
 * `environment`, and they depend on a violated requirement, or on one that is itself inconclusive only for this reason.
 */
export function followersOfViolations<Check extends CheckDependency>(
  requirements: readonly (Pick<RequirementResult, 'id' | 'verdict'> & {
    readonly checks: readonly Check[]
  })[],
): ReadonlySet<Check> {
  const violated = requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
  const inconclusive = requirements
    .map(({ id, checks }) => ({ id, checks: checks.filter(({ verdict }) => verdict === 'inconclusive') }))
    .filter(({ checks }) => checks.length > 0)
  const isExplained = ({ cause, dependsOn }: Check, by: ReadonlySet<string>) =>
    cause === 'environment' && dependsOn.some((id) => by.has(id))
  const following = followersFrom(violated, inconclusive, ({ checks }, by) =>
    checks.every((check) => isExplained(check, by)),
  )
  const explaining = new Set([...violated, ...following.map(({ id }) => id)])
  return new Set(
    inconclusive.flatMap(({ checks }) => checks.filter((check) => isExplained(check, explaining))),
  )
}
