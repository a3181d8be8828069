import { judgedAreasOf } from '../check/catalogue.ts'
import { isSelection, selects } from '../check/selection.ts'
import type { Suites } from '../check/suites.ts'
import type { Verdict } from '../check/verdict.ts'

/** The areas whose requests the checks of a requirement judge, and the requirements of these areas that have checks. */
interface Judged {
  readonly areas: readonly string[]
  readonly requirements: readonly { readonly id: string; readonly area: string }[]
}

/** The requirements whose checks judge requests of other checks, with what they judge, by id. */
export type JudgedRequests = ReadonlyMap<string, Judged>

export function judgedRequests({ requirements, checks }: Suites): JudgedRequests {
  const checked = new Set<string>(checks.map(({ requirement }) => requirement))
  return new Map(
    checks.flatMap((check) => {
      const areas = judgedAreasOf(check)
      if (!areas) return []
      const judged = requirements.filter(({ id, area }) => checked.has(id) && areas.includes(area))
      return [[check.requirement, { areas, requirements: judged }] as const]
    }),
  )
}

/**
 * Decides which verdicts of a run replace those of earlier runs: all but a pass of a check that judges requests of other
 * checks, if the run did not select all of these. Alone, the check sees fewer requests.
 * @param selection of a run that may be damaged
 */
export function replacesEarlierVerdicts(
  selection: unknown,
  judged: JudgedRequests,
): (id: string, verdict: Verdict | undefined) => boolean {
  let isSelected: ((requirement: { id: string; area: string }) => boolean) | undefined
  return (id, verdict) => {
    const needed = judged.get(id)
    if (verdict !== 'pass' || !needed) return true
    isSelected ??= isSelection(selection) ? selects(selection) : () => false
    return needed.requirements.every(isSelected)
  }
}

/** The requirements to run together with some: all that have checks in the areas whose requests these judge. */
export function withJudged(ids: readonly string[], judged: JudgedRequests): ReadonlySet<string> {
  const together = ids.flatMap((id) => judged.get(id)?.requirements ?? [])
  return new Set([...ids, ...together.map(({ id }) => id)])
}
