import { runsIn } from '../results/past-runs.ts'
import type { TargetName } from '../target/profiles.ts'

/** What the latest run of a target left undone. */
export interface Unfinished {
  readonly run: string
  /** Requirements that failed or were inconclusive. */
  readonly ids: readonly string[]
}

/**
 * The requirements that the newest check of a target found violated or could not decide. Runs that cannot be read
 * are passed over.
 * @returns undefined where there is no check of this target
 */
export function unfinishedOf(reportDir: string, target: TargetName): Unfinished | undefined {
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
