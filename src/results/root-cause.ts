import type { Cause } from '../check/verdict.ts'
import { reached } from './dependencies.ts'
import type { CheckRecord, RequirementResult } from './results.ts'

/** What keeps an inconclusive check from a verdict. */
export interface RootCause {
  readonly cause: Cause
  /** The check with this cause: the inconclusive check itself, or one on which it depends. */
  readonly check: CheckRecord
  /** Requirements on which it depends and which the run did not contain; empty unless the cause is `environment`. */
  readonly missing: readonly string[]
}

/**
 * What keeps each inconclusive check from a verdict. For a check that depends on an inconclusive requirement, it is the
 * cause of that requirement: repeating the check would not help before it is removed.
 */
export function rootCauses(requirements: readonly RequirementResult[]): ReadonlyMap<CheckRecord, RootCause> {
  const checksOf = new Map(requirements.map(({ id, checks }) => [id, checks.filter(isInconclusive)]))
  const causeOf = ({ cause }: CheckRecord) => cause ?? 'environment'
  const behind = (check: CheckRecord) =>
    causeOf(check) === 'environment' ? check.dependsOn.flatMap((id) => checksOf.get(id) ?? []) : []
  const rootOf = (check: CheckRecord): RootCause => {
    const all = reached([check], behind)
    const root = all.find((one) => causeOf(one) !== 'environment') ?? check
    const ids = causeOf(root) === 'environment' ? all.flatMap(({ dependsOn }) => dependsOn) : []
    const missing = [...new Set(ids)].filter((id) => !checksOf.has(id))
    return { cause: causeOf(root), check: root, missing }
  }
  return new Map([...checksOf.values()].flat().map((check) => [check, rootOf(check)]))
}

/**
 * The violated requirements that an inconclusive check follows from, directly or through other inconclusive ones.
 * @returns by check; what it depends on if none of these is violated
 */
export function violatedRoots(
  requirements: readonly RequirementResult[],
): (check: Pick<CheckRecord, 'dependsOn'>) => readonly string[] {
  const byId = new Map(requirements.map((one) => [one.id, one]))
  const behind = (id: string): readonly string[] => {
    const { verdict, checks = [] } = byId.get(id) ?? {}
    return verdict === 'inconclusive'
      ? checks.filter(isInconclusive).flatMap(({ dependsOn }) => dependsOn)
      : []
  }
  return ({ dependsOn }) => {
    const roots = reached<string>(dependsOn, behind).filter((id) => byId.get(id)?.verdict === 'fail')
    return roots.length > 0 ? roots : dependsOn
  }
}

function isInconclusive({ verdict }: CheckRecord): boolean {
  return verdict === 'inconclusive'
}
