import { selects } from '../check/selection.ts'
import type { PastRun } from '../results/past-runs.ts'
import type { RequirementResult, RunResults } from '../results/results.ts'
import type { ViolatedSince } from './comparison.ts'

/** Maximum number of earlier runs that are searched for the start of a violation, to limit the waiting time. */
const maxSearched = 60

/** A violation whose start is searched for. */
interface Search {
  readonly id: string
  /** Areas whose requests its checks judge. */
  readonly judgedAreas: readonly string[]
  /** Runs with the violation, newest first. */
  readonly violated: RunResults[]
  /** Whether an earlier run found that the requirement holds. */
  ended: boolean
}

/**
 * For each requirement that an earlier run found violated: the first run since which no run found that it holds, and the
 * number of runs with the violation, including this one. A violation counts in every run, a pass only in a complete one; a
 * pass of a check that judges requests of other checks counts only in a run that selected all of these.
 * @param past the runs in the same folder that began earlier, newest first
 */
export function violatedSince(
  { run, requirements }: RunResults,
  past: readonly PastRun[],
): Readonly<Record<string, ViolatedSince>> {
  const searches = requirements.filter(({ verdict }) => verdict === 'fail').map(searchFor)
  let searched = 0
  for (const one of past) {
    if (searches.every(({ ended }) => ended) || searched === maxSearched) break
    const earlier = one.mayHaveTarget(run.target) ? one.results : undefined
    if (earlier?.run.target !== run.target || earlier.run.kind !== run.kind) continue
    searched += 1
    for (const search of searches) if (!search.ended) extend(search, earlier)
  }
  const isCut = searched === maxSearched
  return Object.fromEntries(
    searches.flatMap(({ id, violated, ended }) => {
      const first = violated.at(-1)
      if (!first) return []
      const since = { startedAt: first.run.startedAt, runs: violated.length + 1 }
      return [[id, isCut && !ended ? { ...since, atLeast: true } : since]]
    }),
  )
}

function searchFor({ id, checks }: RequirementResult): Search {
  const judgedAreas = checks.flatMap((check) => check.judgedAreas ?? [])
  return { id, judgedAreas, violated: [], ended: false }
}

function extend(search: Search, earlier: RunResults): void {
  const verdict = earlier.requirements.find(({ id }) => id === search.id)?.verdict
  if (verdict === 'fail') search.violated.push(earlier)
  const holds = verdict === 'pass' || verdict === 'observed'
  search.ended = holds && earlier.run.completed && selectsAreas(earlier, search.judgedAreas)
}

/** Whether a run selected whole areas, so that a check that judges their requests had all of them. */
function selectsAreas({ run: { selection } }: RunResults, areas: readonly string[]): boolean {
  if (areas.length === 0) return true
  const isSelected = selects(selection)
  return selection.only.length === 0 && areas.every((area) => isSelected({ id: '', area }))
}
