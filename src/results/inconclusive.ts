import { reasonText } from '../check/result.ts'
import type { Cause } from '../check/verdict.ts'
import { rootCauses, violatedRoots } from './dependencies.ts'
import { type RunResults, requirementOutcome } from './results.ts'

/**
 * `follows from IDTOKEN-ISSUER: the ID token of the code exchange already violates this rule`.
 * @param count of requirements
 */
export function followsText(violated: readonly string[], reason: string | null, count = 1): string {
  return `${count === 1 ? 'follows' : 'follow'} from ${violated.join(', ') || 'a violation'}${reason === null ? '' : `: ${reason}`}`
}

/** The same with the verdict: `inconclusive, follows from IDTOKEN-ISSUER: …` */
export function inconclusiveText(...of: Parameters<typeof followsText>): string {
  return `inconclusive, ${followsText(...of)}`
}

/** A reason why requirements are inconclusive; many may have the same one. */
export interface InconclusiveReason extends Pick<Found, 'reason' | 'follows'> {
  /** Ids of the requirements. */
  readonly ids: readonly string[]
}

/** Inconclusive requirements with one cause. */
interface InconclusiveCause {
  readonly cause: Cause
  /**
   * Ids to check together: of these requirements, and of those on which they depend and which the run did not contain.
   * Undefined if none is missing.
   */
  readonly together?: readonly string[]
  readonly reasons: readonly InconclusiveReason[]
  /** Variables that may be wrong. */
  readonly variables: ReadonlySet<string>
}

/** Why one check of a requirement is inconclusive. */
interface Found {
  readonly id: string
  readonly cause: Cause
  readonly reason: string | null
  /** The violated requirements that it follows from; undefined if it has another reason. */
  readonly follows?: readonly string[]
  readonly variables: readonly string[]
  /** Requirements on which it depends and which the run did not contain. */
  readonly missing: readonly string[]
}

/** The order in which causes are shown: earlier ones may explain later ones. */
const causes: readonly Cause[] = ['harness', 'target', 'configuration', 'throttled', 'environment']

/**
 * Inconclusive requirements by root cause and reason. A violated requirement with inconclusive checks is left out, except
 * for a defect of Plumbline, which is always shown.
 */
export function inconclusiveByCause(results: RunResults): InconclusiveCause[] {
  const roots = rootCauses(results.requirements)
  const violated = violatedRoots(results.requirements)
  const found: Found[] = []
  for (const requirement of results.requirements) {
    const { id, verdict, checks } = requirement
    for (const check of checks) {
      const root = roots.get(check)
      // The reason of a check that depends on others would send the reader from one requirement to the next.
      if (root === undefined || (verdict === 'fail' && check.cause !== 'harness')) continue
      const { cause, check: rootCheck, missing } = root
      const isFollower = cause === 'target' && rootCheck.dependsOn.length > 0
      const why = isFollower
        ? { reason: rootCheck.reason, follows: violated(rootCheck) }
        : { reason: reasonText(rootCheck) }
      found.push({ id, cause, ...why, variables: rootCheck.variables ?? [], missing })
    }
    const { cause, reason } = requirementOutcome(requirement)
    if (verdict === 'inconclusive' && checks.length === 0)
      found.push({ id, cause: cause ?? 'environment', reason: reason ?? '', variables: [], missing: [] })
  }
  return causes.flatMap((cause) => {
    const ofCause = found.filter((one) => one.cause === cause)
    const withMissing = ofCause.filter(({ missing }) => missing.length > 0)
    const others = ofCause.filter(({ missing }) => missing.length === 0)
    const ids = [...withMissing.map(({ id }) => id), ...withMissing.flatMap(({ missing }) => missing)]
    const together = [...new Set(ids)]
    return [
      ...(withMissing.length === 0 ? [] : [{ cause, together, ...reasonsOf(withMissing) }]),
      ...(others.length === 0 ? [] : [{ cause, ...reasonsOf(others) }]),
    ]
  })
}

/** The reasons of a group, each with its requirements. A requirement is listed once, with its first reason. */
function reasonsOf(found: readonly Found[]): Pick<InconclusiveCause, 'reasons' | 'variables'> {
  const first = found.filter(({ id }, index) => found.findIndex((one) => one.id === id) === index)
  const groups = Map.groupBy(first, ({ reason, follows }) => JSON.stringify([reason, follows]))
  const reasons = [...groups.values()].flatMap((same) => {
    const ids = same.map(({ id }) => id)
    return same.slice(0, 1).map(({ reason, follows }) => ({ reason, ids, ...(follows && { follows }) }))
  })
  return { reasons, variables: new Set(found.flatMap(({ variables }) => variables)) }
}
