import type { Verdict } from '../check/verdict.ts'
import { runsIn } from '../results/past-runs.ts'
import type { TargetName } from '../target/profiles.ts'

/** Only this many of the newest runs are considered, to limit the waiting time. */
const maxRuns = 200

/**
 * The ids of the requirements whose last verdict on a target is `fail` or `inconclusive`; requirements
 * that an interrupted run did not reach are `inconclusive`. A run of a part changes the last verdicts of this part only.
 * Unreadable runs are skipped.
 * @returns undefined if there is no check run of this target
 */
export function requirementsToRerun(reportDir: string, target: TargetName): ReadonlySet<string> | undefined {
  const last = new Map<string, Verdict | undefined>()
  let hasRun = false
  for (const { head } of runsIn(reportDir).slice(0, maxRuns)) {
    const { run, requirements } = head
    if (run?.kind !== 'check' || run.target !== target || !requirements) continue
    hasRun = true
    for (const { id, verdict } of requirements) if (id !== undefined && !last.has(id)) last.set(id, verdict)
    // Older runs add nothing to a run of everything.
    if (run.selection?.only?.length === 0 && run.selection.areas?.length === 0) break
  }
  if (!hasRun) return undefined
  const ids = [...last].flatMap(([id, verdict]) =>
    verdict === 'fail' || verdict === 'inconclusive' ? [id] : [],
  )
  return new Set(ids)
}
