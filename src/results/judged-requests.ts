import { judgedAreasOf } from '../check/catalogue.ts'
import type { Suites } from '../check/suites.ts'

interface Judged {
  /** The areas whose requests are judged. */
  readonly areas: readonly string[]
  /** The requirements of these areas that have checks. */
  readonly requirements: readonly { readonly id: string; readonly area: string }[]
}

/** For each requirement whose checks judge requests of other checks, by id: what they judge. */
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

/** The given ids, and the ids of the requirements whose requests they judge. */
export function withJudged(ids: readonly string[], judged: JudgedRequests): ReadonlySet<string> {
  const requirements = ids.flatMap((id) => judged.get(id)?.requirements ?? [])
  return new Set([...ids, ...requirements.map(({ id }) => id)])
}
