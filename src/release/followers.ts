import { followersFrom } from '../results/dependencies.ts'
import type { CheckRecord, RequirementResult } from '../results/results.ts'
import type { Follower } from './decision.ts'

/**
 * Inconclusive requirements that follow from waived ones: all their inconclusive checks depend on requirements that are
 * settled (waived, or followers themselves) or hold, and have no other cause.
 * @param all the requirements of the run
 * @param waived ids of the violated or inconclusive requirements with a waiver
 */
export function followersOf(all: readonly RequirementResult[], waived: ReadonlySet<string>): Follower[] {
  const open = new Set(
    all.filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive').map(({ id }) => id),
  )
  const undecided = all
    .filter(({ verdict }) => verdict === 'inconclusive')
    .map(({ id, checks }) => {
      const inconclusive = checks.filter(({ verdict }) => verdict === 'inconclusive')
      const named = inconclusive.map(({ cause, dependsOn }) => (isDependency(cause) ? dependsOn : []))
      return { id, named, reason: inconclusive[0]?.reason ?? '' }
    })
  const found = followersFrom(
    waived,
    undecided,
    ({ named }, from) =>
      named.length > 0 &&
      named.every(
        (ids) => ids.some((id) => from.has(id)) && ids.every((id) => from.has(id) || !open.has(id)),
      ),
  )
  const settled = new Set([...waived, ...found.map(({ id }) => id)])
  return found.map(({ id, named, reason }) => ({
    requirement: id,
    follows: [...new Set(named.flat())].filter((one) => settled.has(one)),
    reason,
  }))
}

/** Whether a check is inconclusive only because of requirements on which it depends: `target` if one is violated in the same run. */
function isDependency(cause: CheckRecord['cause']): boolean {
  return cause === 'target' || cause === 'environment'
}
