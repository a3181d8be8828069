import type { CatalogueRequirement } from '../check/catalogue.ts'
import type { Selection } from '../check/selection.ts'
import type { Verdict } from '../check/verdict.ts'
import { replacesEarlierVerdicts } from '../results/earlier-verdicts.ts'
import { type JudgedRequests, withJudged } from '../results/judged-requests.ts'
import { runsIn } from '../results/past-runs.ts'
import type { TargetName } from '../target/profiles.ts'
import { someOf } from '../text/format.ts'

/** Plumbline reads at most this many of the newest runs, so that the command starts soon. */
const maxRuns = 200

/**
 * The ids of the requirements whose last verdict on a target is `fail` or `inconclusive`.
 * - Requirements that an interrupted run did not reach are `inconclusive`, so they run again. (`explain` shows an older
 *   verdict for them.)
 * - A partial run changes only the verdicts of the requirements that it checked.
 * - Runs that cannot be read are skipped.
 * @param judged requirements that judge requests of other requirements. A pass counts only if the run selected these
 *   other requirements too
 * @returns undefined if there is no check run of this target
 */
export function requirementsToRerun(
  reportDir: string,
  target: TargetName,
  judged: JudgedRequests,
): ReadonlySet<string> | undefined {
  const last = new Map<string, Verdict | undefined>()
  let hasRun = false
  const runs = runsIn(reportDir).filter((run) => run.mayHaveTarget(target))
  for (const { head } of runs.slice(0, maxRuns)) {
    const { run, requirements } = head
    if (run?.kind !== 'check' || run.target !== target || !requirements) continue
    hasRun = true
    const replaces = replacesEarlierVerdicts(run.selection, judged)
    // A run of all requirements makes older runs irrelevant.
    const selectsAll = run.selection?.only.length === 0 && run.selection.areas.length === 0
    for (const { id, verdict } of requirements) {
      const isChecked = selectsAll || verdict !== 'not-applicable'
      if (id !== undefined && isChecked && !last.has(id) && replaces(id, verdict)) last.set(id, verdict)
    }
    if (selectsAll) break
  }
  if (!hasRun) return undefined
  const ids = [...last].flatMap(([id, verdict]) =>
    verdict === 'fail' || verdict === 'inconclusive' ? [id] : [],
  )
  return new Set(ids)
}

/** What a run with `--rerun-failed` checks. */
interface Rerun {
  readonly selection: Selection
  readonly requirements: readonly CatalogueRequirement[]
  /** A sentence that explains why the run contains more requirements than those to run again. */
  readonly why?: string
}

/**
 * The requirements to run again, and the requirements whose requests they judge. Alone, a check that judges requests of
 * other checks could miss the violation that it found before.
 * @param ids requirements to run again
 */
export function rerunOf(
  ids: readonly string[],
  all: readonly CatalogueRequirement[],
  judged: JudgedRequests,
): Rerun {
  const judging = ids.filter((id) => judged.has(id))
  const areas = [...new Set(judging.flatMap((id) => judged.get(id)?.areas ?? []))]
  const together = withJudged(ids, judged)
  const chosen = all.filter(({ id }) => together.has(id))
  const selectsAreas = chosen.every(({ area }) => areas.includes(area))
  // A selection of whole areas also contains their requirements without a check, as with --area.
  const requirements = selectsAreas ? all.filter(({ area }) => areas.includes(area)) : chosen
  const [verb, noun] = [judging.length === 1 ? 'judges' : 'judge', areas.length === 1 ? 'area' : 'areas']
  return {
    selection: selectsAreas ? { only: [], areas } : { only: requirements.map(({ id }) => id), areas: [] },
    requirements,
    ...(judging.length > 0 && {
      why: `${someOf(judging)} ${verb} requests of other checks, so this run contains all checks of the ${noun} ${areas.join(', ')}.`,
    }),
  }
}
