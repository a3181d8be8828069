import { isSelection, selects } from '../check/selection.ts'
import type { Verdict } from '../check/verdict.ts'
import type { JudgedRequests } from './judged-requests.ts'
import type { RunResults } from './results.ts'

// docs/verdicts.md#verdicts-of-earlier-runs lists which of these rules applies where.

/** Whether the verdict of a run on a requirement counts. In a damaged run, a requirement may have no verdict. */
type Counts = (id: string, verdict: Verdict | undefined) => boolean

/**
 * Decides which verdicts of a run replace those of earlier runs. All do, with one exception: a pass of a check that
 * judges requests of other checks, if the run did not select all of these checks. The check then saw fewer requests.
 * @param selection the selection of the run, which may be damaged
 */
export function replacesEarlierVerdicts(selection: unknown, judged: JudgedRequests): Counts {
  const isSelected = isSelection(selection) && selects(selection)
  return (id, verdict) => {
    const needed = judged.get(id)
    if (verdict !== 'pass' || !needed) return true
    return isSelected && needed.requirements.every(isSelected)
  }
}

/**
 * Decides which verdicts of a run end a violation that an earlier run found: `pass` and `observed`, if they replace
 * earlier verdicts and the run is complete. A violation, in contrast, counts in every run.
 */
export function endsViolations(
  { completed, selection }: Partial<RunResults['run']>,
  judged: JudgedRequests,
): Counts {
  const replacesEarlier = replacesEarlierVerdicts(selection, judged)
  return (id, verdict) =>
    completed === true && (verdict === 'pass' || verdict === 'observed') && replacesEarlier(id, verdict)
}
