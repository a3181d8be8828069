import type { CheckRecord, RequirementResult } from './results.ts'

/** What of a check shows from what it follows. */
type Undecided = Pick<CheckRecord, 'verdict' | 'cause' | 'dependsOn'>

/**
 * Inconclusive checks that a violation of the same run explains, directly or through other checks: those with cause
 * `environment` that depend on a requirement that failed, or on one that is inconclusive for no other reason.
 */
export function followersOfViolations<Check extends Undecided>(
  requirements: readonly (Pick<RequirementResult, 'id' | 'verdict'> & {
    readonly checks: readonly Check[]
  })[],
): ReadonlySet<Check> {
  const blamed = new Set<string>(requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id))
  const found = new Set<Check>()
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const { id, checks } of requirements) {
      const undecided = checks.filter(({ verdict }) => verdict === 'inconclusive')
      for (const check of undecided)
        if (check.cause === 'environment' && check.dependsOn.some((one) => blamed.has(one))) found.add(check)
      if (undecided.length > 0 && undecided.every((check) => found.has(check))) blamed.add(id)
    }
  }
  return found
}
