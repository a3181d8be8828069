import type { Verdict } from '../check/verdict.ts'
import type { TargetName } from '../target/profiles.ts'
import { replacesEarlierVerdicts } from './earlier-verdicts.ts'
import type { JudgedRequests } from './judged-requests.ts'
import { runsIn } from './past-runs.ts'

/**
 * The verdict on a requirement in the newest run of a target that checked the requirement. If no run did, the verdict
 * is `not-applicable`.
 */
interface LastVerdict {
  readonly target: TargetName
  readonly verdict: Verdict
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly run: string
}

/** Only this many of the newest runs are read, to limit the waiting time. */
const maxRuns = 50

/**
 * For `explain`: the last verdicts on each requirement, one per target. Skips runs that cannot be read, requirements
 * without a finished check, and requirements that an interrupted run left inconclusive.
 * @param judged requirements that judge requests of others; a pass counts only in a run that also selected the others
 */
export function lastVerdicts(
  reportDir: string,
  ids: readonly string[],
  judged: JudgedRequests,
): ReadonlyMap<string, readonly LastVerdict[]> {
  const lastById = new Map(ids.map((id) => [id, new Map<TargetName, LastVerdict>()]))
  for (const past of runsIn(reportDir).slice(0, maxRuns)) {
    // Does not read a run if newer runs of its target have checked each requirement.
    const isKnown = ({ target, verdict }: LastVerdict) => past.isNamedAfter(target) && isChecked(verdict)
    if ([...lastById.values()].every((byTarget) => [...byTarget.values()].some(isKnown))) continue
    const { run = {}, requirements = [] } = past.head
    const { kind, target, startedAt, selection, completed } = run
    if (kind !== 'check' || target === undefined || startedAt === undefined) continue
    const replacesEarlier = replacesEarlierVerdicts(selection, judged)
    for (const { id = '', verdict, checks } of requirements) {
      const isUnfinished = !checks?.length || (completed === false && verdict === 'inconclusive')
      if (verdict === undefined || isUnfinished || !replacesEarlier(id, verdict)) continue
      const newer = lastById.get(id)?.get(target)
      if (!newer || (!isChecked(newer.verdict) && isChecked(verdict)))
        lastById.get(id)?.set(target, { target, verdict, startedAt, run: past.id })
    }
  }
  return new Map([...lastById].map(([id, byTarget]) => [id, [...byTarget.values()]]))
}

function isChecked(verdict: Verdict): boolean {
  return verdict !== 'not-applicable'
}
