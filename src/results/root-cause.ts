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

function isInconclusive({ verdict }: CheckRecord): boolean {
  return verdict === 'inconclusive'
}
