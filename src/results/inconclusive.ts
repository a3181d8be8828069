import { reasonText } from '../check/result.ts'
import type { Cause } from '../check/verdict.ts'
import { requirementOutcome } from './outcome.ts'
import type { RunResults } from './results.ts'
import { rootCauses, violatedRoots } from './root-cause.ts'

/** `follows from IDTOKEN-ISSUER: the ID token of the code exchange already violates it` */
export function followsText(violated: readonly string[], reason: string | null): string {
  return `follows from ${violated.join(', ') || 'a violation'}${reason === null ? '' : `: ${reason}`}`
}

/** Why requirements are inconclusive: one reason may stop many. */
export interface InconclusiveReason {
  readonly reason: string
  /** Ids of the requirements. */
  readonly ids: readonly string[]
  /** Whether the reason is a `followsText`. */
  readonly isFollower: boolean
}

/** Inconclusive requirements with one cause. */
interface InconclusiveCause {
  readonly cause: Cause
  readonly reasons: readonly InconclusiveReason[]
  /** Variables that may be wrong. */
  readonly variables: ReadonlySet<string>
}

/** The order in which causes are shown: the first explain others. */
const causes: readonly Cause[] = ['harness', 'target', 'configuration', 'throttled', 'environment']

/**
 * Inconclusive requirements by root cause and its reason. A violated requirement with inconclusive checks is not one of
 * them, but a defect of Plumbline is always shown.
 */
export function inconclusiveByCause(results: RunResults): InconclusiveCause[] {
  const roots = rootCauses(results.requirements)
  const violated = violatedRoots(results.requirements)
  const found: {
    id: string
    cause: Cause
    reason: string
    isFollower: boolean
    variables: readonly string[]
  }[] = []
  for (const requirement of results.requirements) {
    const { id, verdict, checks } = requirement
    for (const check of checks) {
      const root = roots.get(check)
      // The reason of a check that depends on others would send the reader from one requirement to the next.
      if (root === undefined || (verdict === 'fail' && check.cause !== 'harness')) continue
      const { cause, check: rootCheck } = root
      const isFollower = cause === 'target' && rootCheck.dependsOn.length > 0
      const reason = isFollower ? followsText(violated(rootCheck), rootCheck.reason) : reasonText(rootCheck)
      found.push({ id, cause, reason, isFollower, variables: rootCheck.variables ?? [] })
    }
    const { cause, reason } = requirementOutcome(requirement)
    if (verdict === 'inconclusive' && checks.length === 0)
      found.push({
        id,
        cause: cause ?? 'environment',
        reason: reason ?? '',
        isFollower: false,
        variables: [],
      })
  }
  const byCause = Map.groupBy(found, ({ cause }) => cause)
  return causes.flatMap((cause) => {
    const ofCause = byCause.get(cause)
    if (!ofCause) return []
    const reasons = [...Map.groupBy(ofCause, ({ reason }) => reason)].map(([reason, same]) => ({
      reason,
      ids: [...new Set(same.map(({ id }) => id))],
      isFollower: same.some(({ isFollower }) => isFollower),
    }))
    return [{ cause, reasons, variables: new Set(ofCause.flatMap(({ variables }) => variables)) }]
  })
}
