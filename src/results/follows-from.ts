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
  const explained = new Set<string>(
    requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id),
  )
  const found = new Set<Check>()
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const { id, checks } of requirements) {
      const inconclusive = checks.filter(({ verdict }) => verdict === 'inconclusive')
      for (const check of inconclusive)
        if (check.cause === 'environment' && check.dependsOn.some((one) => explained.has(one)))
          found.add(check)
      if (inconclusive.length > 0 && inconclusive.every((check) => found.has(check))) explained.add(id)
    }
  }
  return found
}
