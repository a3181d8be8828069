import type { RequirementResult } from '../results/results.ts'
import type { Follower } from './decision.ts'

/**
 * Inconclusive requirements that follow from waived ones: all their inconclusive checks depend on requirements that are
 * settled (waived, or followers themselves) or hold.
 * @param all the requirements of the run
 * @param waived ids of the violated or inconclusive requirements with a waiver
 */
export function followersOf(all: readonly RequirementResult[], waived: ReadonlySet<string>): Follower[] {
  const open = new Set(
    all.filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive').map(({ id }) => id),
  )
  const settled = new Set(waived)
  const found: Follower[] = []
  const follows = (ids: readonly string[]) =>
    ids.some((one) => settled.has(one)) && ids.every((one) => settled.has(one) || !open.has(one))
  // A follower may settle an earlier requirement.
  for (let before = -1; before < found.length; ) {
    before = found.length
    for (const { id, verdict, checks } of all) {
      if (verdict !== 'inconclusive' || settled.has(id)) continue
      const undecided = checks.filter((check) => check.verdict === 'inconclusive')
      const named = undecided.map((check) => (check.cause === 'harness' ? [] : check.dependsOn))
      if (undecided.length === 0 || !named.every(follows)) continue
      settled.add(id)
      found.push({
        requirement: id,
        follows: [...new Set(named.flat())].filter((one) => settled.has(one)),
        reason: undecided[0]?.reason ?? '',
      })
    }
  }
  return found
}
