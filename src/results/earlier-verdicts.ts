import { isSelection, selects } from '../check/selection.ts'
import type { Verdict } from '../check/verdict.ts'
import type { JudgedRequests } from './judged-requests.ts'
import type { RunResults } from './results.ts'

// docs/verdicts.md#verdicts-of-earlier-runs lists which of these rules applies where.

/** Whether the verdict on a requirement in one run counts. In a damaged run, a requirement may have no verdict. */
type VerdictRule = (id: string, verdict: Verdict | undefined) => boolean

/**
 * Which verdicts of a run replace those of earlier runs: all, with one exception. A check that judges requests of other
 * checks may pass only because the run did not select all of these checks. Such a pass replaces nothing.
 * @param selection the selection of the run, which may be damaged
 */
export function replacesEarlierVerdicts(selection: unknown, judged: JudgedRequests): VerdictRule {
  const isSelected = isSelection(selection) && selects(selection)
  return (id, verdict) => {
    const needed = judged.get(id)
    if (verdict !== 'pass' || !needed) return true
    return isSelected && needed.requirements.every(isSelected)
  }
}

/**
 * Which verdicts of a run end a violation that an earlier run found: `pass` and `observed`, if they replace earlier
 * verdicts and the run is complete.
 */
export function endsViolations(
  { completed, selection }: Partial<RunResults['run']>,
  judged: JudgedRequests,
): VerdictRule {
  const replacesEarlier = replacesEarlierVerdicts(selection, judged)
  return (id, verdict) =>
    completed === true && (verdict === 'pass' || verdict === 'observed') && replacesEarlier(id, verdict)
}
