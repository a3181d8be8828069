import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TargetName } from '../target/profiles.ts'
import type { RunResults } from './results.ts'
import { runFiles } from './run-directory.ts'

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
  for (const id of runsOf(reportDir)) {
    const results = read(join(reportDir, 'runs', id, runFiles.results))
    if (results?.run?.kind !== 'check' || results.run.target !== target) continue
    const ids = results.requirements
      .filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive')
      .map((requirement) => requirement.id)
    return { run: results.run.id, ids }
  }
  return undefined
}

/** Ids of the runs in a folder. They sort by time, so that the newest comes first. */
export function runsOf(reportDir: string): string[] {
  try {
    return readdirSync(join(reportDir, 'runs')).sort().reverse()
  } catch {
    return []
  }
}

function read(file: string): RunResults | undefined {
  try {
    const results = JSON.parse(readFileSync(file, 'utf8')) as RunResults
    return Array.isArray(results.requirements) ? results : undefined
  } catch {
    return undefined
  }
}
