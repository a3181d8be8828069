import type { Verdict } from '../check/verdict.ts'
import { outcomeOf } from '../results/outcome.ts'
import { undecidedBy } from '../results/queries.ts'
import type { RequirementResult, RunResults } from '../results/results.ts'
import { counted } from '../text/format.ts'
import { coverageFindings, coverageOf } from './coverage.ts'
import { type Decision, type Effect, effects, type Finding } from './decision.ts'
import { followersOf } from './followers.ts'
import type { Policy } from './policy.ts'
import { runFindings } from './run-findings.ts'
import { waiverFindings } from './waiver-findings.ts'
import { hasExpired, type Waiver } from './waivers.ts'

export interface Question {
  readonly results: RunResults
  readonly policy: Policy
  readonly waivers: readonly Waiver[]
  /** Ids of all requirements there are, in the run or not. */
  readonly known: readonly string[]
  readonly now: Date
  /** Version of Plumbline that decides. */
  readonly version: string
}

/** May this be released? */
export function decide({ results, policy, waivers, known, now, version }: Question): Decision {
  const inScope = results.requirements.filter(
    ({ level, area }) => policy.levels.includes(level) && (policy.areas?.includes(area) ?? true),
  )
  // What is waived on another target says nothing of this one.
  const here = waivers.filter(({ target }) => target === results.run.target)
  const valid = new Map(
    here.filter((waiver) => !hasExpired(waiver, now)).map((waiver) => [waiver.requirement, waiver]),
  )
  const covered = results.requirements.filter(({ id, verdict }) => valid.has(id) && isOpen(verdict))
  const followers = followersOf(results.requirements, new Set(covered.map(({ id }) => id)))
  const isWaived = new Set([...covered.map(({ id }) => id), ...followers.map((one) => one.requirement)])
  const coverage = coverageOf(inScope, isWaived)
  const findings = [
    ...runFindings(results.run, policy, now),
    ...inScope.flatMap((requirement) =>
      requirementFinding(requirement, policy, isWaived.has(requirement.id)),
    ),
    ...coverageFindings(coverage, policy),
    ...waiverFindings({ waivers, here, results, policy, known, now }),
    ...outOfScope(results, inScope),
  ].sort((a, b) => effects.indexOf(a.effect) - effects.indexOf(b.effect))
  const waived = inScope.flatMap(({ id, verdict }) => {
    const waiver = valid.get(id)
    return waiver && isOpen(verdict) ? [{ ...waiver, verdict }] : []
  })
  const following = followers.filter((one) => inScope.some(({ id }) => id === one.requirement))
  const has = (effect: Effect) => findings.some((finding) => finding.effect === effect)
  const exitCode = has('violated') ? 1 : has('undecided') ? 2 : 0
  return {
    formatVersion: 1,
    release: exitCode === 0,
    exitCode,
    because:
      exitCode === 0
        ? whyYes(coverage, waived.length, following.length)
        : whyNo(findings, waived.filter(({ verdict }) => verdict === 'fail').length),
    decidedAt: now.toISOString(),
    version,
    run: results.run,
    policy,
    coverage,
    findings,
    waived,
    following,
  }
}

/** Neither holds nor does not apply: what a release, or a waiver, is about. */
function isOpen(verdict: Verdict): boolean {
  return verdict === 'fail' || verdict === 'inconclusive'
}

/** What a requirement that must hold does to the decision. */
function requirementFinding(requirement: RequirementResult, policy: Policy, isWaived: boolean): Finding[] {
  const { id, verdict, section, checks } = requirement
  if (isWaived || !isOpen(verdict)) return []
  const { cause, reason } = outcomeOf(requirement)
  const why = reason ?? 'its checks had not ended'
  if (verdict === 'fail')
    return [{ effect: 'violated', subject: 'requirement', requirement: id, text: `${section}: ${why}` }]
  // Where Plumbline is at fault, nobody knows what else it missed.
  const isDefect = checks.some((check) => check.cause === 'harness')
  return [
    {
      effect: policy.inconclusive === 'allow' && !isDefect ? 'noted' : 'undecided',
      subject: 'requirement',
      requirement: id,
      text: cause === null ? why : `${undecidedBy(cause)}: ${why}`,
    },
  ]
}

/** Violations that the policy does not ask about are told all the same. */
function outOfScope({ requirements }: RunResults, inScope: readonly RequirementResult[]): Finding[] {
  return requirements
    .filter((requirement) => requirement.verdict === 'fail' && !inScope.includes(requirement))
    .map(({ id, level, area }) => ({
      effect: 'noted',
      subject: 'requirement',
      requirement: id,
      text: `violated, but the policy does not ask about level ${level} in the area ${area}`,
    }))
}

function whyYes(
  { decided, applicable, waived: undecided }: Decision['coverage'],
  waived: number,
  following: number,
): string {
  const follow = following === 0 ? '' : ` and ${following} that ${following === 1 ? 'follows' : 'follow'}`
  const exceptions =
    waived + following === 0 ? '' : `, but for ${waived} that ${waived === 1 ? 'is' : 'are'} waived${follow}`
  return decided + undecided === applicable
    ? `all ${counted(applicable, 'requirement')} that apply were decided and hold${exceptions}`
    : `${decided} of ${counted(applicable, 'requirement')} that apply were decided and hold${exceptions}, and the policy allows the rest`
}

function whyNo(findings: readonly Finding[], waivedFailures: number): string {
  const violated = findings.filter(({ effect }) => effect === 'violated')
  if (violated.length > 0) {
    const verb = violated.length === 1 ? 'is' : 'are'
    return `${counted(violated.length, 'requirement')} ${verb} violated: ${listed(violated)}`
  }
  const blocking = findings.filter(({ effect }) => effect === 'undecided')
  const undecided = blocking.filter(({ subject }) => subject === 'requirement')
  const texts = (...subjects: Finding['subject'][]) =>
    blocking.filter(({ subject }) => subjects.includes(subject)).map(({ text }) => text)
  const reasons = [
    ...texts('run'),
    ...(undecided.length > 0
      ? [`${counted(undecided.length, 'requirement')} could not be decided: ${listed(undecided)}`]
      : []),
    ...texts('coverage', 'waiver'),
  ]
  const more = reasons.length > 1 ? `, and for ${counted(reasons.length - 1, 'other reason')}` : ''
  const none = waivedFailures === 0 ? 'nothing' : 'nothing but what is waived'
  return `${none} is violated, but ${reasons[0]}${more}`
}

/** The first few, and how many more. */
function listed(findings: readonly Finding[]): string {
  const ids = findings.map(({ requirement }) => requirement)
  const shown = ids.slice(0, 3).join(', ')
  return ids.length > 3 ? `${shown} and ${ids.length - 3} more` : shown
}
