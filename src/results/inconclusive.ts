import { reasonText } from '../check/result.ts'
import type { Cause } from '../check/verdict.ts'
import { rootCauses, violatedRoots } from './dependencies.ts'
import { type RunResults, requirementOutcome } from './results.ts'

/**
 * `follows from IDTOKEN-ISSUER: the ID token of the code exchange already violates the same rule`.
 * @param count number of requirements that follow
 */
export function followsText(violated: readonly string[], reason: string | null, count = 1): string {
  return `${count === 1 ? 'follows' : 'follow'} from ${violated.join(', ') || 'a violation'}${reason === null ? '' : `: ${reason}`}`
}

/** `inconclusive, follows from IDTOKEN-ISSUER: …` */
export function inconclusiveText(...of: Parameters<typeof followsText>): string {
  return `inconclusive, ${followsText(...of)}`
}

/** A reason, with the requirements that are inconclusive because of it. */
export interface InconclusiveReason extends Pick<InconclusiveCheck, 'reason' | 'follows'> {
  /** Ids of the requirements. */
  readonly ids: readonly string[]
}

/** Inconclusive requirements with one cause. */
interface InconclusiveCause {
  readonly cause: Cause
  /**
   * Ids to check together in the next run: these requirements, and the requirements that they depend on, but that this
   * run did not contain. Undefined if this run contained all dependencies.
   */
  readonly together?: readonly string[]
  readonly reasons: readonly InconclusiveReason[]
  /** Variables that may be wrong. */
  readonly variables: ReadonlySet<string>
}

/** An inconclusive check, or a requirement whose checks had not begun when the run ended. */
interface InconclusiveCheck {
  readonly id: string
  readonly cause: Cause
  readonly reason: string | null
  /** The violated requirements that the check follows from; undefined if it has another reason. */
  readonly follows?: readonly string[]
  readonly variables: readonly string[]
  /** Requirements that the check depends on and the run did not contain. */
  readonly missing: readonly string[]
}

/** Causes in the order of reports: an earlier cause may explain a later one. */
const causes: readonly Cause[] = ['harness', 'target', 'configuration', 'throttled', 'environment']

/**
 * Inconclusive requirements by root cause and reason. Inconclusive checks of a violated requirement are omitted, except
 * those with a defect of Plumbline.
 */
export function inconclusiveByCause(results: RunResults): InconclusiveCause[] {
  const roots = rootCauses(results.requirements)
  const violated = violatedRoots(results.requirements)
  const inconclusiveChecks: InconclusiveCheck[] = []
  for (const requirement of results.requirements) {
    const { id, verdict, checks } = requirement
    for (const check of checks) {
      const root = roots.get(check)
      if (root === undefined || (verdict === 'fail' && check.cause !== 'harness')) continue
      // Show the reason of the root check, because the reason of a dependent check only refers to other requirements.
      const { cause, check: rootCheck, missing } = root
      const isFollower = cause === 'target' && rootCheck.dependsOn.length > 0
      const why = isFollower
        ? { reason: rootCheck.reason, follows: violated(rootCheck) }
        : { reason: reasonText(rootCheck) }
      inconclusiveChecks.push({ id, cause, ...why, variables: rootCheck.variables ?? [], missing })
    }
    const { cause, reason } = requirementOutcome(requirement)
    if (verdict === 'inconclusive' && checks.length === 0)
      inconclusiveChecks.push({
        id,
        cause: cause ?? 'environment',
        reason: reason ?? '',
        variables: [],
        missing: [],
      })
  }
  return causes.flatMap((cause) => {
    const ofCause = inconclusiveChecks.filter((one) => one.cause === cause)
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

/** Groups checks by reason. A requirement is listed once, with its first reason. */
function reasonsOf(checks: readonly InconclusiveCheck[]): Pick<InconclusiveCause, 'reasons' | 'variables'> {
  const firstChecks = checks.filter(({ id }, index) => checks.findIndex((one) => one.id === id) === index)
  const groups = Map.groupBy(firstChecks, ({ reason, follows }) => JSON.stringify([reason, follows]))
  const reasons = [...groups.values()].flatMap((group) => {
    const ids = group.map(({ id }) => id)
    return group.slice(0, 1).map(({ reason, follows }) => ({ reason, ids, ...(follows && { follows }) }))
  })
  return { reasons, variables: new Set(checks.flatMap(({ variables }) => variables)) }
}
