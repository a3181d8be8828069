import { runsIn } from '../results/past-runs.ts'
import type { TargetName } from '../target/profiles.ts'

/** The requirements that are violated or inconclusive in the latest check. */
interface RequirementsToRerun {
  /** Id of its run. */
  readonly run: string
  readonly ids: readonly string[]
}

/**
 * The requirements that are violated or inconclusive in the latest check of a target. Unreadable runs are skipped.
 * @returns undefined if there is no check of this target
 */
export function requirementsToRerun(reportDir: string, target: TargetName): RequirementsToRerun | undefined {
  for (const { id, head } of runsIn(reportDir)) {
    const { run, requirements } = head
    if (run?.kind !== 'check' || run.target !== target || !requirements) continue
    const ids = requirements
      .filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive')
      .flatMap((requirement) => requirement.id ?? [])
    return { run: id, ids }
  }
  return undefined
}
