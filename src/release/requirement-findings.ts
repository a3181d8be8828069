import { isRecorded } from '../check/requirement.ts'
import { reasonText } from '../check/result.ts'
import { rootCauses, violatedRoots } from '../results/dependencies.ts'
import { inconclusiveText } from '../results/inconclusive.ts'
import { type RequirementResult, type RunResults, requirementOutcome } from '../results/results.ts'
import { sectionText } from '../results/text.ts'
import { counted } from '../text/format.ts'
import type { PolicyFinding } from './decision.ts'
import type { Policy } from './policy.ts'
import { hasDefect, mayBlock } from './settled.ts'

// Findings of the release gate on single requirements.

/**
 * A waiver settles a violation, but not a second check of the same requirement that ended with a defect of Plumbline: that
 * check still blocks. Empty for all other settled requirements.
 */
export function defectFinding({ id, checks }: RequirementResult): PolicyFinding[] {
  const defect = checks.find(({ cause }) => cause === 'harness')
  if (defect === undefined) return []
  return [{ effect: 'undecided', subject: 'requirement', requirement: id, text: `harness: ${defect.reason}` }]
}

/** The finding on a violated or inconclusive requirement in the scope of the policy. */
export function requirementFinding(
  requirement: RequirementResult,
  policy: Policy,
  whyOf: ReturnType<typeof whyInconclusive>,
): PolicyFinding[] {
  const { id, verdict, section, statement, checks, level } = requirement
  if (!mayBlock(verdict) || isRecorded(level)) return []
  if (verdict === 'fail') {
    const { reason } = requirementOutcome(requirement)
    const others = checks.filter((check) => check.verdict === verdict).length - 1
    const more = others > 0 ? ` (and ${counted(others, 'more failed check')})` : ''
    return [
      {
        effect: 'violated',
        subject: 'requirement',
        requirement: id,
        text: `requirement: ${statement.replace(/\.$/, '')} (${sectionText(section)}); ${reason}${more}`,
      },
    ]
  }
  return [
    {
      effect: policy.inconclusive === 'allow' && !hasDefect(requirement) ? 'noted' : 'undecided',
      subject: 'requirement',
      requirement: id,
      ...whyOf(requirement),
    },
  ]
}

/** Why a requirement is inconclusive: the root cause of its first inconclusive check, with its reason. */
export function whyInconclusive(
  all: readonly RequirementResult[],
): (requirement: RequirementResult) => Pick<PolicyFinding, 'text' | 'follows' | 'reason'> {
  const roots = rootCauses(all)
  const violated = violatedRoots(all)
  return (requirement) => {
    const decisive = requirement.checks.find((check) => roots.has(check))
    const root = decisive && roots.get(decisive)
    // None of the requirement's checks began.
    if (root === undefined) {
      const { cause, reason } = requirementOutcome(requirement)
      return { text: `${cause}: ${reason}` }
    }
    const { cause, check } = root
    if (cause !== 'target') return { text: `${cause}: ${reasonText(check)}` }
    const { reason } = check
    const follows = violated(check)
    return { text: inconclusiveText(follows, reason), follows, reason }
  }
}

/** Violations outside the scope of the policy are noted. */
export function outOfScope(
  { requirements }: RunResults,
  inScope: readonly RequirementResult[],
): PolicyFinding[] {
  return requirements
    .filter((requirement) => requirement.verdict === 'fail' && !inScope.includes(requirement))
    .map(({ id, level, area }) => ({
      effect: 'noted',
      subject: 'requirement',
      requirement: id,
      text: `violated, but the policy does not cover level ${level} in the area ${area}`,
    }))
}
