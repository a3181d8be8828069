import { judgedAreasOf } from '../check/catalogue.ts'
import type { Suites } from '../check/suites.ts'

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

/** The given requirements, and all requirements with checks in the areas whose requests the given ones judge. */
export function withJudged(ids: readonly string[], judged: JudgedRequests): ReadonlySet<string> {
  const together = ids.flatMap((id) => judged.get(id)?.requirements ?? [])
  return new Set([...ids, ...together.map(({ id }) => id)])
}
