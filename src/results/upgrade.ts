import { isObject } from '../text/json.ts'

/** In format 1, a reason ended with the requirements it depended on: `see A`, `see A and B` or `see A, B and C`. */
const pointer = /; see ([A-Z][A-Z0-9]*-[A-Z0-9-]+(?:(?:, | and )[A-Z][A-Z0-9]*-[A-Z0-9-]+)*)\.?$/

/**
 * Converts results of format 1 to format 2: findings have `request`, `expected` and `actual`, and dependencies are ids.
 * Values that do not have format 1 stay unchanged, and the schema rejects them.
 */
export function upgradeResults(results: unknown): unknown {
  if (!isObject(results) || results.formatVersion !== 1 || !Array.isArray(results.requirements))
    return results
  return { ...results, formatVersion: 2, requirements: results.requirements.map(upgradeRequirement) }
}

function upgradeRequirement(requirement: unknown): unknown {
  if (!isObject(requirement) || !Array.isArray(requirement.checks)) return requirement
  return { ...requirement, checks: requirement.checks.map(upgradeCheck) }
}

function upgradeCheck(check: unknown): unknown {
  if (!isObject(check)) return check
  const { expectation, sent, ...kept } = check
  const reason = typeof check.reason === 'string' ? check.reason : undefined
  const [tail, ids] = pointer.exec(reason ?? '') ?? []
  return {
    ...kept,
    ...(reason !== undefined && tail && { reason: reason.slice(0, -tail.length) }),
    advice: null,
    dependsOn: ids?.split(/, | and /) ?? [],
    finding: isObject(expectation)
      ? { request: sent ?? null, expected: expectation.acceptable, actual: expectation.came }
      : null,
  }
}
