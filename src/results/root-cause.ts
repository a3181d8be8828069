import type { Cause } from '../check/verdict.ts'
import type { CheckRecord, RequirementResult } from './results.ts'

/** What keeps an inconclusive check from a verdict. */
interface RootCause {
  readonly cause: Cause
  /** The check with this cause: the inconclusive check itself, or one on which it depends. */
  readonly check: CheckRecord
}

/**
 * What keeps each inconclusive check from a verdict. For a check that depends on an inconclusive requirement, it is the
 * cause of that requirement: repeating the check would not help before it is removed.
 */
export function rootCauses(requirements: readonly RequirementResult[]): ReadonlyMap<CheckRecord, RootCause> {
  const checksOf = new Map(requirements.map(({ id, checks }) => [id, checks.filter(isInconclusive)]))
  const rootOf = (check: CheckRecord, seen: ReadonlySet<CheckRecord>): RootCause => {
    const own = { cause: check.cause ?? 'environment', check }
    if (own.cause !== 'environment' || seen.has(check)) return own
    const path = new Set([...seen, check])
    const others = check.dependsOn.flatMap((id) => checksOf.get(id) ?? [])
    return others.map((other) => rootOf(other, path)).find(({ cause }) => cause !== 'environment') ?? own
  }
  return new Map([...checksOf.values()].flat().map((check) => [check, rootOf(check, new Set<CheckRecord>())]))
}

/**
 * The violated requirements that an inconclusive check follows from, directly or through other inconclusive ones.
 * @returns by check; what it depends on if none of these is violated
 */
export function violatedRoots(
  requirements: readonly RequirementResult[],
): (check: Pick<CheckRecord, 'dependsOn'>) => readonly string[] {
  const byId = new Map(requirements.map((one) => [one.id, one]))
  const rootsOf = (ids: readonly string[], seen: ReadonlySet<string>): string[] =>
    ids.flatMap((id) => {
      const found = byId.get(id)
      if (found?.verdict === 'fail') return [id]
      if (found?.verdict !== 'inconclusive' || seen.has(id)) return []
      const next = found.checks.filter(isInconclusive).flatMap(({ dependsOn }) => dependsOn)
      return rootsOf(next, new Set([...seen, id]))
    })
  return ({ dependsOn }) => {
    const roots = [...new Set(rootsOf(dependsOn, new Set()))]
    return roots.length > 0 ? roots : dependsOn
  }
}

function isInconclusive({ verdict }: CheckRecord): boolean {
  return verdict === 'inconclusive'
}
