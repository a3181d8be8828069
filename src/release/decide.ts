import { isRecorded } from '../check/requirement.ts'
import { reasonText } from '../check/result.ts'
import type { Verdict } from '../check/verdict.ts'
import { exitCodes } from '../exit-codes.ts'
import { rootCauses, transitiveFollowers, violatedRoots } from '../results/dependencies.ts'
import { followsText } from '../results/inconclusive.ts'
import { countNotChecked, notCheckedByReason } from '../results/not-checked.ts'
import {
  type CheckRecord,
  type RequirementResult,
  type RunResults,
  requirementOutcome,
} from '../results/results.ts'
import { isInScope } from '../results/scope.ts'
import { sectionText } from '../results/text.ts'
import type { UncheckedViolation } from '../results/unchecked-violations.ts'
import { counted } from '../text/format.ts'
import {
  type FindingWeight,
  type Follower,
  findingWeights,
  type PolicyFinding,
  type ReleaseDecision,
} from './decision.ts'
import {
  absentFindings,
  type CatalogueEntry,
  coverageFindings,
  coverageOf,
  isForeign,
  runFindings,
  uncheckedFindings,
  waiverFindings,
} from './findings.ts'
import type { Policy } from './policy.ts'
import { whyMisconfigured, whyNo, whyYes } from './reasons.ts'
import { hasExpired, type Waiver } from './waivers.ts'

interface Question {
  readonly results: RunResults
  readonly policy: Policy
  readonly waivers: readonly Waiver[]
  /** The requirements of this version, and those of the run. */
  readonly catalogue: readonly CatalogueEntry[]
  /** Violations that the run did not decide, and the last run that did found. */
  readonly unchecked: readonly UncheckedViolation[]
  readonly now: Date
  /** Version of Plumbline that decides. */
  readonly version: string
}

/** Decides whether a run permits the release. */
export function decide(question: Question): ReleaseDecision {
  const { results, policy, waivers, catalogue, now, version } = question
  const known = catalogue.map(({ id }) => id)
  const inScope = results.requirements.filter((one) => isInScope(one, policy))
  const valid = new Map(
    waivers
      .filter((waiver) => waiver.target === results.run.target && !hasExpired(waiver, now))
      .map((waiver) => [waiver.requirement, waiver]),
  )
  const waivable = results.requirements.filter((one) => valid.has(one.id) && isWaivable(one))
  const waivedIds = new Set<string>(waivable.map(({ id }) => id))
  const followers = followersOf(results.requirements, waivedIds)
  const followerIds = new Set(followers.map(({ requirement }) => requirement))
  const settledIds = new Set([...waivedIds, ...followerIds])
  const coverage = coverageOf(inScope, waivedIds, followerIds)
  const whyOf = whyInconclusive(results.requirements)
  const unsuitable = runFindings(results, { policy, known, now })
  const unchecked = question.unchecked.filter(
    ({ id }) => inScope.some((one) => one.id === id) && !valid.has(id) && !settledIds.has(id),
  )
  const findings = [
    ...unsuitable,
    ...inScope.flatMap((one) =>
      settledIds.has(one.id) ? defectFinding(one) : requirementFinding(one, policy, whyOf),
    ),
    ...coverageFindings(coverage, policy),
    ...absentFindings(results, policy, catalogue),
    ...waiverFindings(waivers, { results, policy, known, now }),
    ...uncheckedFindings(unchecked),
    ...outOfScope(results, inScope),
  ].sort((a, b) => findingWeights.indexOf(a.effect) - findingWeights.indexOf(b.effect))
  const waived = inScope.flatMap((one) => {
    const waiver = valid.get(one.id)
    return waiver && isWaivable(one) ? [{ ...waiver, verdict: one.verdict }] : []
  })
  const judged = inScope.filter(({ level }) => !isRecorded(level))
  const following = followers.filter((one) => judged.some(({ id }) => id === one.requirement))
  const notCheckedInScope = notCheckedByReason(inScope)
  const has = (weight: FindingWeight) => findings.some(({ effect }) => effect === weight)
  const isOfOther = isForeign(results.run, policy)
  const isViolated = has('violated') && !isOfOther
  const isInconclusive = !isViolated && has('undecided')
  const isYes = !isViolated && !isInconclusive
  const blocking = findings.filter(({ effect }) => effect !== 'noted')
  const misconfigured = isInconclusive
    ? whyMisconfigured(blocking, results.requirements, rootCauses(results.requirements))
    : undefined
  const isUnsuitable = unsuitable.length > 0 || misconfigured !== undefined
  return {
    formatVersion: 1,
    release: isYes,
    answer: isYes ? 'yes' : isInconclusive && isUnsuitable ? 'no decision' : 'no',
    exitCode: isYes ? exitCodes.ok : isInconclusive ? exitCodes.inconclusive : exitCodes.violated,
    because: isYes
      ? whyYes(
          {
            decided: coverage.decided,
            applicable: coverage.applicable,
            settledInconclusive: coverage.waived,
            waived: waived.length,
            following: following.length,
            notChecked: notCheckedInScope.flatMap(({ ids }) => ids).length,
            unchecked: unchecked.map(({ id }) => id),
          },
          policy,
        )
      : // The run is of another target or kind: its violations decide nothing.
        isOfOther && has('violated')
        ? unsuitable.map(({ text }) => text).join('; ')
        : (misconfigured ?? whyNo(findings, waived.filter(({ verdict }) => verdict === 'fail').length)),
    decidedAt: now.toISOString(),
    version,
    run: results.run,
    policy,
    coverage,
    inScope: {
      inRun: inScope.length,
      all: new Set(catalogue.filter((one) => isInScope(one, policy)).map(({ id }) => id)).size,
    },
    notChecked: countNotChecked(results),
    notCheckedInScope,
    findings,
    waived,
    following,
  }
}

/** Whether a verdict blocks a release unless it is waived. */
function needsWaiver(verdict: Verdict): boolean {
  return verdict === 'fail' || verdict === 'inconclusive'
}

/** Whether a waiver covers a requirement. A defect of Plumbline is not a property of the target, so no waiver covers it. */
function isWaivable(requirement: RequirementResult): boolean {
  const { verdict, level } = requirement
  if (isRecorded(level)) return false
  return verdict === 'fail' || (verdict === 'inconclusive' && !isDefective(requirement))
}

/** Whether a defect of Plumbline affects a check. It may affect more than this check. */
function isDefective({ checks }: RequirementResult): boolean {
  return checks.some(({ cause }) => cause === 'harness')
}

/** The finding on a waived violation with another check that has a defect of Plumbline. */
function defectFinding({ id, checks }: RequirementResult): PolicyFinding[] {
  const defect = checks.find(({ cause }) => cause === 'harness')
  if (defect === undefined) return []
  return [{ effect: 'undecided', subject: 'requirement', requirement: id, text: `harness: ${defect.reason}` }]
}

/** The finding on a violated or inconclusive requirement in the scope of the policy. */
function requirementFinding(
  requirement: RequirementResult,
  policy: Policy,
  whyOf: ReturnType<typeof whyInconclusive>,
): PolicyFinding[] {
  const { id, verdict, section, statement, checks, level } = requirement
  if (!needsWaiver(verdict) || isRecorded(level)) return []
  if (verdict === 'fail') {
    const { reason } = requirementOutcome(requirement)
    const others = checks.filter((check) => check.verdict === verdict).length - 1
    const more = others > 0 ? ` (and ${counted(others, 'more failed check')})` : ''
    return [
      {
        effect: 'violated',
        subject: 'requirement',
        requirement: id,
        text: `${statement} (${sectionText(section)}) ${reason}${more}`,
      },
    ]
  }
  return [
    {
      effect: policy.inconclusive === 'allow' && !isDefective(requirement) ? 'noted' : 'undecided',
      subject: 'requirement',
      requirement: id,
      ...whyOf(requirement),
    },
  ]
}

/** Why a requirement is inconclusive: the root cause of its first inconclusive check, with its reason. */
function whyInconclusive(
  all: readonly RequirementResult[],
): (requirement: RequirementResult) => Pick<PolicyFinding, 'text' | 'follows' | 'reason'> {
  const roots = rootCauses(all)
  const violated = violatedRoots(all)
  return (requirement) => {
    const decisive = requirement.checks.find((check) => roots.has(check))
    const root = decisive && roots.get(decisive)
    // Its checks did not begin.
    if (root === undefined) {
      const { cause, reason } = requirementOutcome(requirement)
      return { text: `${cause}: ${reason}` }
    }
    const { cause, check } = root
    if (cause !== 'target') return { text: `${cause}: ${reasonText(check)}` }
    const { reason } = check
    const follows = violated(check)
    return { text: followsText(follows, reason), follows, reason }
  }
}

/** Violations outside the scope of the policy are noted. */
function outOfScope({ requirements }: RunResults, inScope: readonly RequirementResult[]): PolicyFinding[] {
  return requirements
    .filter((requirement) => requirement.verdict === 'fail' && !inScope.includes(requirement))
    .map(({ id, level, area }) => ({
      effect: 'noted',
      subject: 'requirement',
      requirement: id,
      text: `violated, but the policy does not cover level ${level} in the area ${area}`,
    }))
}

/**
 * Inconclusive requirements that follow from waived ones. None of their inconclusive checks has a cause of its own: each
 * depends on a settled requirement (waived, or a follower itself), and on no other that is violated or inconclusive.
 * @param all the requirements of the run
 * @param waived ids of the violated or inconclusive requirements with a waiver
 */
function followersOf(all: readonly RequirementResult[], waived: ReadonlySet<string>): Follower[] {
  const open = new Set(
    all.filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive').map(({ id }) => id),
  )
  const candidates = all
    .filter(({ verdict }) => verdict === 'inconclusive')
    .map(({ id, checks }) => ({ id, checks: checks.filter(({ verdict }) => verdict === 'inconclusive') }))
  const found = transitiveFollowers(
    waived,
    candidates,
    ({ checks }, from) =>
      checks.length > 0 &&
      checks.every(
        ({ cause, dependsOn }) =>
          isDependency(cause) &&
          dependsOn.some((id) => from.has(id)) &&
          dependsOn.every((id) => from.has(id) || !open.has(id)),
      ),
  )
  const settled = new Set([...waived, ...found.map(({ id }) => id)])
  return found.map(({ id, checks }) => ({
    requirement: id,
    follows: [...new Set(checks.flatMap(({ dependsOn }) => dependsOn))].filter((one) => settled.has(one)),
    reason: checks[0]?.reason ?? '',
  }))
}

/**
 * Whether a check that depends on other requirements is inconclusive only because of these. Its cause is `target` if one of
 * them is violated in the same run, `configuration` if one has this cause, and otherwise `environment`.
 */
function isDependency(cause: CheckRecord['cause']): boolean {
  return cause === 'target' || cause === 'configuration' || cause === 'environment'
}
