import type { CheckRecord, RequirementResult } from './results.ts'

/** `see A`, `see A and B` or `see A, B and C` at the end of a reason. */
const pointer = /; see ([A-Z][A-Z0-9]*-[A-Z0-9-]+(?:(?:, | and )[A-Z][A-Z0-9]*-[A-Z0-9-]+)*)\.?$/

/**
 * Ids of the requirements from which a check could not be decided, by its reason. Reasons name them at their end:
 * `the ID token is no JWT; see IDTOKEN-JWT`.
 * @returns empty where it follows from none
 */
export function followsFrom(reason: string | null): string[] {
  return pointer.exec(reason ?? '')?.[1]?.split(/, | and /) ?? []
}

/**
 * Undecided checks of which nothing but a violation of the same run is the reason, at first or second hand: those with
 * cause `environment` that follow from a requirement that failed, or that itself was undecided for no other reason.
 */
export function followersOfViolations(
  requirements: readonly Pick<RequirementResult, 'id' | 'verdict' | 'checks'>[],
): ReadonlySet<CheckRecord> {
  const blamed = new Set(requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id))
  const found = new Set<CheckRecord>()
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const { id, checks } of requirements) {
      const undecided = checks.filter(({ verdict }) => verdict === 'inconclusive')
      for (const check of undecided)
        if (check.cause === 'environment' && followsFrom(check.reason).some((one) => blamed.has(one)))
          found.add(check)
      if (undecided.length > 0 && undecided.every((check) => found.has(check))) blamed.add(id)
    }
  }
  return found
}
