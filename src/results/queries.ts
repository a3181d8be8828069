import type { ProbeId } from '../check/result.ts'
import { countVerdicts, type Verdict } from '../check/verdict.ts'
import type { CheckRecord, RequirementResult, RunResults } from './results.ts'

/**
 * Duration of a run in milliseconds, from the start of its command to its last verdict, without the time for reports.
 * Undefined until the run is finished.
 */
export function wallTime({ startedAt, finishedAt }: RunResults['run']): number | undefined {
  // The clock may have been set back during the run.
  return finishedAt === null ? undefined : Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt))
}

interface CheckInRun {
  readonly requirement: RequirementResult
  readonly check: CheckRecord
}

/** The checks of a run with one verdict, in the order of the requirements. */
export function checksWith(results: RunResults, verdict: Verdict): CheckInRun[] {
  return allChecks(results).filter(({ check }) => check.verdict === verdict)
}

export function allChecks(results: RunResults): CheckInRun[] {
  return results.requirements.flatMap((requirement) =>
    requirement.checks.map((check) => ({ requirement, check })),
  )
}

/** The probes of a run, in order, without the checks of 429 responses that a probe run contains, too. */
export function probesOf(results: RunResults): ProbeId[] {
  return allChecks(results).flatMap(({ check }) => check.probe ?? [])
}

interface AreaCounts {
  readonly area: string
  readonly counts: Readonly<Record<Verdict, number>>
}

/** The areas of a run, in its order, with the numbers of requirements by verdict. */
export function countsByArea({ requirements }: RunResults): AreaCounts[] {
  const areas = Map.groupBy(requirements, ({ area }) => area)
  return [...areas].map(([area, ofArea]) => ({ area, counts: countVerdicts(ofArea) }))
}
