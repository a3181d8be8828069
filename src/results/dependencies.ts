import type { Cause } from '../check/verdict.ts'
import type { CheckRecord, RequirementResult } from './results.ts'

/** The nodes in the order in which a depth-first search first visits them. The graph may have cycles. */
export function depthFirst<Node>(
  start: readonly Node[],
  successors: (node: Node) => readonly Node[],
): Node[] {
  const visited = new Set<Node>()
  const visit = (node: Node): void => {
    if (visited.has(node)) return
    visited.add(node)
    successors(node).forEach(visit)
  }
  start.forEach(visit)
  return [...visited]
}

/**
 * The candidates that follow from known ids, directly or through other candidates, in the order of discovery.
 * @param follows whether a candidate follows from `from`: the known ids, and those of the candidates found so far
 */
export function transitiveFollowers<Candidate extends { readonly id: string }>(
  known: Iterable<string>,
  candidates: readonly Candidate[],
  follows: (candidate: Candidate, from: ReadonlySet<string>) => boolean,
): Candidate[] {
  const from = new Set(known)
  const followers: Candidate[] = []
  // A candidate may follow from a later candidate, so repeat until no more is found.
  for (let before = -1; before < followers.length; ) {
    before = followers.length
    for (const candidate of candidates) {
      if (from.has(candidate.id) || !follows(candidate, from)) continue
      from.add(candidate.id)
      followers.push(candidate)
    }
  }
  return followers
}

/** The members of a check that show whether it is inconclusive, and why. */
type CheckDependency = Pick<CheckRecord, 'verdict' | 'cause' | 'dependsOn'>

/**
 * Inconclusive checks that a violation in the same run explains, directly or through other checks. Such a check has the
 * cause `environment`, and depends on a violated requirement or on one whose inconclusive checks are all explained.
 */
export function followersOfViolations<Check extends CheckDependency>(
  requirements: readonly (Pick<RequirementResult, 'id' | 'verdict'> & {
    readonly checks: readonly Check[]
  })[],
): ReadonlySet<Check> {
  const violated = requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
  const inconclusive = requirements
    .map(({ id, checks }) => ({ id, checks: checks.filter(({ verdict }) => verdict === 'inconclusive') }))
    .filter(({ checks }) => checks.length > 0)
  const isExplained = ({ cause, dependsOn }: Check, by: ReadonlySet<string>) =>
    cause === 'environment' && dependsOn.some((id) => by.has(id))
  const following = transitiveFollowers(violated, inconclusive, ({ checks }, by) =>
    checks.every((check) => isExplained(check, by)),
  )
  const explaining = new Set([...violated, ...following.map(({ id }) => id)])
  return new Set(
    inconclusive.flatMap(({ checks }) => checks.filter((check) => isExplained(check, explaining))),
  )
}

/** Why an inconclusive check could not decide. */
export interface RootCause {
  readonly cause: Cause
  /** The check with this cause: the inconclusive check itself, or a check that it depends on. */
  readonly check: CheckRecord
  /**
   * Requirements that the check depends on, directly or through other checks, but that the run did not contain. Empty
   * unless the cause is `environment`.
   */
  readonly missing: readonly string[]
}

/**
 * The root cause of each inconclusive check. If a check has no cause of its own, because it only depends on an
 * inconclusive requirement, its root cause is that of this requirement. Repeating the check helps only after this cause
 * is removed.
 */
export function rootCauses(requirements: readonly RequirementResult[]): ReadonlyMap<CheckRecord, RootCause> {
  const checksOf = new Map(requirements.map(({ id, checks }) => [id, checks.filter(isInconclusive)]))
  const causeOf = ({ cause }: CheckRecord) => cause ?? 'environment'
  const successors = ({ dependsOn }: CheckRecord) => dependsOn.flatMap((id) => checksOf.get(id) ?? [])
  const rootOf = (check: CheckRecord): RootCause => {
    const all = depthFirst([check], successors)
    // The check itself comes first, so its own cause takes precedence.
    const root = all.find((one) => causeOf(one) !== 'environment' && !isMisconfiguredByOthers(one)) ?? check
    const ids = causeOf(root) === 'environment' ? all.flatMap(({ dependsOn }) => dependsOn) : []
    const missing = [...new Set(ids)].filter((id) => !checksOf.has(id))
    return { cause: causeOf(root), check: root, missing }
  }
  return new Map([...checksOf.values()].flat().map((check) => [check, rootOf(check)]))
}

/**
 * A function that finds the violated requirements that an inconclusive check follows from, directly or through
 * inconclusive requirements. If there are none, the result is all requirements that the check depends on.
 */
export function violatedRoots(
  requirements: readonly RequirementResult[],
): (check: Pick<CheckRecord, 'dependsOn'>) => readonly string[] {
  const byId = new Map(requirements.map((one) => [one.id, one]))
  const successors = (id: string): readonly string[] => {
    const requirement = byId.get(id)
    if (requirement?.verdict !== 'inconclusive') return []
    return requirement.checks.filter(isInconclusive).flatMap(({ dependsOn }) => dependsOn)
  }
  return ({ dependsOn }) => {
    const roots = depthFirst<string>(dependsOn, successors).filter((id) => byId.get(id)?.verdict === 'fail')
    return roots.length > 0 ? roots : dependsOn
  }
}

function isInconclusive({ verdict }: CheckRecord): boolean {
  return verdict === 'inconclusive'
}

/** Whether a check has the cause `configuration` only because it depends on a requirement with that cause. */
function isMisconfiguredByOthers({ cause, dependsOn }: CheckRecord): boolean {
  return cause === 'configuration' && dependsOn.length > 0
}
