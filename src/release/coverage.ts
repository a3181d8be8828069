import { isDecided } from '../results/outcome.ts'
import type { RequirementResult } from '../results/results.ts'
import { counted } from '../text/format.ts'
import type { Coverage, Decision, Finding } from './decision.ts'
import type { Policy } from './policy.ts'
import { percent } from './words.ts'

/**
 * How much of what applied was decided, over all and by area.
 * @param waived ids of those that are waived, or follow from what is
 */
export function coverageOf(
  requirements: readonly RequirementResult[],
  waived: ReadonlySet<string>,
): Decision['coverage'] {
  const areas = Map.groupBy(requirements, ({ area }) => area)
  return {
    ...shareOf(requirements, waived),
    areas: Object.fromEntries([...areas].map(([area, group]) => [area, shareOf(group, waived)])),
  }
}

function shareOf(requirements: readonly RequirementResult[], settled: ReadonlySet<string>): Coverage {
  const applicable = requirements.filter(({ verdict }) => verdict !== 'not-applicable').length
  const decided = requirements.filter(({ verdict }) => isDecided(verdict)).length
  const waived = requirements.filter(
    ({ id, verdict }) => verdict === 'inconclusive' && settled.has(id),
  ).length
  return { applicable, decided, waived, share: applicable === 0 ? null : (decided + waived) / applicable }
}

/** Where less was decided, or less applied, than the policy asks for. */
export function coverageFindings(coverage: Decision['coverage'], policy: Policy): Finding[] {
  const findings: Finding[] = []
  const undecided = (text: string) =>
    findings.push({ effect: 'undecided', subject: 'coverage', requirement: null, text })
  const none: Coverage = { applicable: 0, decided: 0, waived: 0, share: null }
  const look = (
    where: string,
    found: Coverage,
    least: number | undefined,
    applicable: number | undefined,
  ) => {
    // Of nothing, everything holds.
    if (found.share === null) undecided(`no requirement applied${where}`)
    else if (least !== undefined && found.share < least)
      undecided(
        `${percent(found.share)} of what applies${where} was decided or is waived (${found.decided + found.waived} of ${found.applicable}), and the policy asks for ${percent(least)}`,
      )
    if (applicable !== undefined && found.applicable < applicable && found.applicable > 0)
      undecided(
        `${counted(found.applicable, 'requirement')} applied${where}, and the policy asks for ${applicable}`,
      )
  }
  const { minimumCoverage: share, minimumApplicable: count } = policy
  look('', coverage, share.overall, count.overall)
  const areas = new Set([
    ...(policy.areas ?? []),
    ...Object.keys(share.areas ?? {}),
    ...Object.keys(count.areas ?? {}),
  ])
  for (const area of areas)
    look(` in the area ${area}`, coverage.areas[area] ?? none, share.areas?.[area], count.areas?.[area])
  return findings
}
