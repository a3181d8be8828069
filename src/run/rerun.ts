import type { TargetName } from '../target/profiles.ts'
import { runsIn } from './past-runs.ts'

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
  for (const past of runsIn(reportDir)) {
    const { run } = past.head
    if (run?.kind !== 'check' || run.target !== target || !past.results) continue
    const { results } = past
    const ids = results.requirements
      .filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive')
      .map((requirement) => requirement.id)
    return { run: results.run.id, ids }
  }
  return undefined
}
