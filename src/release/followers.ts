import type { RequirementResult } from '../results/results.ts'
import type { Follower } from './decision.ts'

/**
 * Undecided requirements that follow from what is waived: those whose undecided checks all name requirements of
 * which each is settled, that is waived, or follows itself, or holds.
 * @param all those of the run
 * @param waived ids of open requirements that a waiver covers
 */
export function followersOf(all: readonly RequirementResult[], waived: ReadonlySet<string>): Follower[] {
  const open = new Set(
    all.filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive').map(({ id }) => id),
  )
  const settled = new Set(waived)
  const found: Follower[] = []
  for (let before = -1; before < found.length; ) {
    before = found.length
    for (const { id, verdict, checks } of all) {
      if (verdict !== 'inconclusive' || settled.has(id)) continue
      const undecided = checks.filter((check) => check.verdict === 'inconclusive')
      const named = undecided.map((check) => (check.cause === 'harness' ? [] : check.dependsOn))
      const follows = (ids: readonly string[]) =>
        ids.some((one) => settled.has(one)) && ids.every((one) => settled.has(one) || !open.has(one))
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
