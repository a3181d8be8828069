import { runsIn } from '../results/past-runs.ts'
import type { TargetName } from '../target/profiles.ts'

/** The requirements to run again after the latest check of a target. */
interface UnfinishedRequirements {
  readonly run: string
  /** Ids of the violated and inconclusive requirements. */
  readonly ids: readonly string[]
}

/**
 * The requirements that were violated or inconclusive in the newest check of a target. Unreadable runs are skipped.
 * @returns undefined if there is no check of this target
 */
export function unfinishedOf(reportDir: string, target: TargetName): UnfinishedRequirements | undefined {
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
