import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Verdict } from '../check/verdict.ts'
import { type TargetName, targetNames } from '../target/profiles.ts'
import { runsIn } from './past-runs.ts'
import type { RunResults } from './results.ts'
import { runFiles } from './run-directory.ts'

/** What the newest run of a target that looked at a requirement said of it. */
interface LastVerdict {
  readonly target: TargetName
  readonly verdict: Verdict
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly run: string
}

/** Older runs are not asked: whoever wants to know of a requirement does not wait for all of history. */
const mostRuns = 200

/**
 * The last verdict of each target on some requirements, by requirement. Runs that cannot be read, and requirements
 * of which a run finished no check, are passed over.
 */
export function lastVerdicts(
  reportDir: string,
  ids: readonly string[],
): ReadonlyMap<string, readonly LastVerdict[]> {
  const found = new Map<string, LastVerdict[]>(ids.map((id) => [id, []]))
  for (const { id: run } of runsIn(reportDir).slice(0, mostRuns)) {
    const wanted = ids.filter((id) => (found.get(id)?.length ?? 0) < targetNames.length)
    if (wanted.length === 0) break
    const results = readWith(join(reportDir, 'runs', run, runFiles.results), wanted)
    if (results?.run?.kind !== 'check') continue
    const { target, startedAt } = results.run
    for (const { id, verdict, checks } of results.requirements) {
      const verdicts = found.get(id)
      if (checks.length > 0 && verdicts?.every((newer) => newer.target !== target))
        verdicts.push({ target, verdict, startedAt, run })
    }
  }
  return found
}

/** Results that name one of some requirements. To look for a name takes a tenth of the time that parsing takes. */
function readWith(file: string, ids: readonly string[]): RunResults | undefined {
  try {
    const text = readFileSync(file, 'utf8')
    if (!ids.some((id) => text.includes(`"${id}"`))) return undefined
    const results = JSON.parse(text) as RunResults
    return Array.isArray(results.requirements) ? results : undefined
  } catch {
    return undefined
  }
}
