import { join } from 'node:path'
import type { Verdict } from '../check/verdict.ts'
import type { TargetName } from '../target/profiles.ts'
import { isObject } from '../text/json.ts'
import { replacesEarlierVerdicts } from './earlier-verdicts.ts'
import type { JudgedRequests } from './judged-requests.ts'
import { runsIn } from './past-runs.ts'
import type { RequirementResult, RunResults } from './results.ts'
import { runFiles } from './run-directory.ts'
import { parseStoredJson, readStoredFile } from './stored-file.ts'

/** The verdict on a requirement in the newest run of a target that checked it; without one, in the newest that did not. */
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
 * The last verdict of each target on some requirements, by requirement, for `explain`. Skips unreadable runs, requirements
 * without a finished check, and requirements that an interrupted run left inconclusive.
 * @param judged the requirements whose pass counts only together with those that they judge
 */
export function lastVerdicts(
  reportDir: string,
  ids: readonly string[],
  judged: JudgedRequests,
): ReadonlyMap<string, readonly LastVerdict[]> {
  const found = new Map<string, LastVerdict[]>(ids.map((id) => [id, []]))
  for (const past of runsIn(reportDir).slice(0, maxRuns)) {
    // A run that would add nothing is not read.
    const isKnown = ({ target, verdict }: LastVerdict) => past.isNamedAfter(target) && isChecked(verdict)
    const wanted = ids.filter((id) => !found.get(id)?.some(isKnown))
    if (wanted.length === 0) continue
    const results = readIfNamed(join(past.directory, runFiles.results), wanted)
    const { kind, target, startedAt, selection, completed } = results?.run ?? {}
    if (kind !== 'check' || target === undefined || startedAt === undefined) continue
    const replacesEarlier = replacesEarlierVerdicts(selection, judged)
    for (const { id, verdict, checks } of results?.requirements ?? []) {
      const isUnfinished = checks.length === 0 || (completed === false && verdict === 'inconclusive')
      if (!isUnfinished && replacesEarlier(id, verdict))
        addLast(found.get(id), { target, verdict, startedAt, run: past.id })
    }
  }
  return found
}

/** Adds a verdict, unless a newer run checked the requirement on the same target. */
function addLast(newer: LastVerdict[] | undefined, last: LastVerdict): void {
  const index = newer?.findIndex(({ target }) => target === last.target) ?? -1
  const known = newer?.[index]
  if (!known) newer?.push(last)
  else if (!isChecked(known.verdict) && isChecked(last.verdict)) newer?.splice(index, 1, last)
}

function isChecked(verdict: Verdict): boolean {
  return verdict !== 'not-applicable'
}

/** Reads results only if they contain one of the ids: searching takes a tenth of the time of parsing. */
function readIfNamed(file: string, ids: readonly string[]): Verdicts | undefined {
  try {
    const text = readStoredFile(file).toString('utf8')
    if (!ids.some((id) => text.includes(`"${id}"`))) return undefined
    const value = parseStoredJson(text)
    if (!isObject(value) || !isObject(value.run) || !Array.isArray(value.requirements)) return undefined
    return { run: value.run, requirements: value.requirements.filter(isRequirement) }
  } catch {
    return undefined
  }
}

/** The part of a run that is read; the run may be damaged. */
interface Verdicts {
  readonly run: Partial<RunResults['run']>
  readonly requirements: readonly RequirementResult[]
}

function isRequirement(value: unknown): value is RequirementResult {
  return isObject(value) && typeof value.verdict === 'string' && Array.isArray(value.checks)
}
