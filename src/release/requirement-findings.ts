import { isRecorded } from '../check/requirement.ts'
import { reasonText } from '../check/result.ts'
import { rootCauses, violatedRoots } from '../results/dependencies.ts'
import type { EarlierViolation } from '../results/earlier-violations.ts'
import { inconclusiveText } from '../results/inconclusive.ts'
import { type RequirementResult, type RunResults, requirementOutcome } from '../results/results.ts'
import { sectionText } from '../results/text.ts'
import { counted, minuteOf } from '../text/format.ts'
import type { FindingWeight, PolicyFinding } from './decision.ts'
import type { Policy } from './policy.ts'
import { hasDefect, mayBlock } from './settled.ts'

// Findings of the release gate on single requirements.

type FindingText = Pick<PolicyFinding, 'text' | 'follows' | 'reason'>

function findingOn(requirement: string, effect: FindingWeight, text: FindingText): PolicyFinding {
  return { effect, subject: 'requirement', requirement, ...text }
}

/**
 * The finding on a requirement that waivers settle, if one of its checks met a defect of Plumbline: no waiver covers a
 * defect.
 */
export function defectFinding({ id, checks }: RequirementResult): PolicyFinding[] {
  const defect = checks.find(({ cause }) => cause === 'harness')
  if (defect === undefined) return []
  return [findingOn(id, 'undecided', { text: `harness: ${defect.reason}` })]
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
    const otherFailures = checks.filter((check) => check.verdict === verdict).length - 1
    const more = otherFailures > 0 ? ` (and ${counted(otherFailures, 'more failed check')})` : ''
    const text = `requirement: ${statement.replace(/\.$/, '')} (${sectionText(section)}); ${reason}${more}`
    return [findingOn(id, 'violated', { text })]
  }
  const isAllowed = policy.inconclusive === 'allow' && !hasDefect(requirement)
  return [findingOn(id, isAllowed ? 'noted' : 'undecided', whyOf(requirement))]
}

/**
 * Explains inconclusive requirements by the root cause of their first inconclusive check.
 * @param all the requirements of the run
 */
export function whyInconclusive(
  all: readonly RequirementResult[],
): (requirement: RequirementResult) => FindingText {
  const roots = rootCauses(all)
  const violationsBehind = violatedRoots(all)
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
    // With the cause `target`, a violation makes the check inconclusive.
    const { reason } = check
    const follows = violationsBehind(check)
    return { text: inconclusiveText(follows, reason), follows, reason }
  }
}

/** Notes on violations outside the scope of the policy. */
export function outOfScopeFindings(
  { requirements }: RunResults,
  inScope: readonly RequirementResult[],
): PolicyFinding[] {
  return requirements
    .filter((requirement) => requirement.verdict === 'fail' && !inScope.includes(requirement))
    .map(({ id, level, area }) =>
      findingOn(id, 'noted', {
        text: `violated, but the policy does not cover level ${level} in the area ${area}`,
      }),
    )
}

/**
 * Notes on requirements that this run did not decide, but that were violated in an earlier run. Without these notes, a
 * run would look better the less it decided.
 */
export function earlierViolationFindings(violations: readonly EarlierViolation[]): PolicyFinding[] {
  return violations.map(({ id, run, startedAt }) =>
    findingOn(id, 'noted', {
      text: `not decided in this run, but violated in an earlier run (${minuteOf(startedAt)}, ${run})`,
    }),
  )
}
