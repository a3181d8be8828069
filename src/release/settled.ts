import { isRecorded } from '../check/requirement.ts'
import type { Verdict } from '../check/verdict.ts'
import { transitiveFollowers } from '../results/dependencies.ts'
import type { CheckRecord, RequirementResult, RunResults } from '../results/results.ts'
import type { Follower } from './decision.ts'
import { hasExpired, type Waiver } from './waivers.ts'

/** The requirements that waivers settle, so that they do not block a release. */
interface Settled {
  /** The valid waivers by requirement id, including those of requirements that hold. */
  readonly validWaivers: ReadonlyMap<string, Waiver>
  /** Violated and inconclusive requirements with a valid waiver. */
  readonly waivedIds: ReadonlySet<string>
  /** Inconclusive requirements that follow from waived ones. */
  readonly followingWaived: readonly Follower[]
  readonly followingWaivedIds: ReadonlySet<string>
}

/** Which violated and inconclusive requirements of a run the waivers settle. */
export function settledBy(waivers: readonly Waiver[], { run, requirements }: RunResults, now: Date): Settled {
  const validWaivers = new Map(
    waivers
      .filter((waiver) => waiver.target === run.target && !hasExpired(waiver, now))
      .map((waiver) => [waiver.requirement, waiver]),
  )
  const waived = requirements.filter((one) => validWaivers.has(one.id) && isWaivable(one))
  const waivedIds = new Set<string>(waived.map(({ id }) => id))
  const followingWaived = requirementsFollowing(requirements, waivedIds)
  return {
    validWaivers,
    waivedIds,
    followingWaived,
    followingWaivedIds: new Set(followingWaived.map(({ requirement }) => requirement)),
  }
}

/** Whether a waiver can cover a requirement: one that is violated, or inconclusive without a defect of Plumbline. */
function isWaivable(requirement: RequirementResult): boolean {
  const { verdict, level } = requirement
  if (isRecorded(level)) return false
  return verdict === 'fail' || (verdict === 'inconclusive' && !hasDefect(requirement))
}

export function mayBlock(verdict: Verdict): boolean {
  return verdict === 'fail' || verdict === 'inconclusive'
}

/** Whether a check of the requirement met a defect of Plumbline. The defect may affect the other checks, too. */
export function hasDefect({ checks }: RequirementResult): boolean {
  return checks.some(({ cause }) => cause === 'harness')
}

/**
 * Inconclusive requirements that follow from waived ones: each of their inconclusive checks depends on a waived
 * requirement, or on a requirement that follows from one. A check that also depends on another violated or inconclusive
 * requirement does not follow.
 * @param all the requirements of the run
 * @param waived ids of the violated or inconclusive requirements with a waiver
 */
function requirementsFollowing(all: readonly RequirementResult[], waived: ReadonlySet<string>): Follower[] {
  const violatedOrInconclusive = new Set(all.filter(({ verdict }) => mayBlock(verdict)).map(({ id }) => id))
  const candidates = all
    .filter(({ verdict }) => verdict === 'inconclusive')
    .map(({ id, checks }) => ({ id, checks: checks.filter(({ verdict }) => verdict === 'inconclusive') }))
  const followers = transitiveFollowers(
    waived,
    candidates,
    ({ checks }, from) =>
      checks.length > 0 &&
      checks.every(
        ({ cause, dependsOn }) =>
          mayComeFromDependency(cause) &&
          dependsOn.some((id) => from.has(id)) &&
          dependsOn.every((id) => from.has(id) || !violatedOrInconclusive.has(id)),
      ),
  )
  const settled = new Set([...waived, ...followers.map(({ id }) => id)])
  return followers.map(({ id, checks }) => ({
    requirement: id,
    follows: [...new Set(checks.flatMap(({ dependsOn }) => dependsOn))].filter((other) => settled.has(other)),
    reason: checks[0]?.reason ?? '',
  }))
}

/** Whether a requirement that a check depends on may be behind this cause. Never with `throttled` or `harness`. */
function mayComeFromDependency(cause: CheckRecord['cause']): boolean {
  return cause === 'target' || cause === 'configuration' || cause === 'environment'
}
