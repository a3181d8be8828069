import type { RootCause } from '../results/dependencies.ts'
import { idsIn } from '../results/not-checked.ts'
import type { CheckRecord, RequirementResult } from '../results/results.ts'
import { scopeText } from '../results/scope.ts'
import { counted, someOf } from '../text/format.ts'
import type { DecisionFacts, PolicyFinding } from './decision.ts'

// The reason for a decision, in one sentence.

/**
 * `all 247 checked requirements (level must) hold; 57 more (level must) were not checked`
 * @param violatedBefore ids of the earlier violations (`EarlierViolation`)
 */
export function whyYes(facts: DecisionFacts, violatedBefore: readonly string[]): string {
  const scope = ` (${scopeText(facts.policy)})`
  const notChecked = idsIn(facts.notCheckedInScope).length
  return [
    holdText(facts, scope),
    ...(notChecked === 0
      ? []
      : [`${notChecked} more${scope} ${notChecked === 1 ? 'was' : 'were'} not checked`]),
    ...(violatedBefore.length === 0 ? [] : [violatedBeforeText(violatedBefore)]),
  ].join('; ')
}

/** `TOKEN-CODE-SINGLE-USE was violated in an earlier run` */
function violatedBeforeText(ids: readonly string[]): string {
  return ids.length === 1
    ? `${ids[0]} was violated in an earlier run`
    : `${ids.length} requirements were violated in earlier runs: ${someOf(ids)}`
}

function holdText({ coverage, waived, following }: DecisionFacts, scope: string): string {
  const { decided, applicable } = coverage
  // Example: 7 hold, 1 is violated and waived, 1 is inconclusive and waived, 1 follows from a waived one. `decided` is
  // 8 (7 + 1), `coverage.waived` 2 (1 + 1), `waived` contains 2, `following` 1. So 8 + 2 - 2 - 1 = 7 hold.
  const judgedOrWaived = decided + coverage.waived
  const holding = judgedOrWaived - waived.length - following.length
  const only = `the only checked requirement${scope}`
  if (holding === applicable)
    return applicable === 1 ? `${only} holds` : `all ${applicable} checked requirements${scope} hold`
  // It is a waived violation. If it were inconclusive, nothing would be judged, and the answer would not be yes.
  if (applicable === 1) return `${only} is waived`
  const hold =
    holding === 0
      ? `none of ${applicable} checked requirements${scope} holds`
      : `${holding} of ${applicable} checked requirements${scope} hold`
  const text = [hold, othersText(waived.length, following.length)].filter((part) => part !== '').join('; ')
  const allowed = applicable - judgedOrWaived
  const are = allowed === 1 ? 'is' : 'are'
  return allowed > 0 ? `${text}; ${allowed} ${are} inconclusive, which the policy allows` : text
}

/** `1 is waived and 2 follow from waived ones`; empty if there are none. */
function othersText(waived: number, following: number): string {
  return [
    ...(waived > 0 ? [`${waived} ${waived === 1 ? 'is' : 'are'} waived`] : []),
    ...(following > 0 ? [`${following} ${following === 1 ? 'follows' : 'follow'} from waived ones`] : []),
  ].join(' and ')
}

/**
 * `1 requirement is violated: A`, `the run is incomplete, and for 2 other reasons; no checked requirement is violated`
 * @param waivedFailures the number of violated requirements with a waiver
 */
export function whyNo(findings: readonly PolicyFinding[], waivedFailures: number): string {
  const violated = findings.filter(({ effect }) => effect === 'violated')
  if (violated.length > 0) {
    const verb = violated.length === 1 ? 'is' : 'are'
    return `${counted(violated.length, 'requirement')} ${verb} violated: ${listed(violated)}`
  }
  const blocking = findings.filter(({ effect }) => effect === 'undecided')
  const inconclusive = blocking.filter(({ subject }) => subject === 'requirement')
  const texts = (...subjects: PolicyFinding['subject'][]) =>
    blocking.filter(({ subject }) => subjects.includes(subject)).map(({ text }) => text)
  const reasons = [
    ...texts('run'),
    ...(inconclusive.length > 0
      ? [`${counted(inconclusive.length, 'requirement')} could not be decided: ${listed(inconclusive)}`]
      : []),
    ...texts('coverage'),
    ...texts('waiver'),
  ]
  const more = reasons.length > 1 ? `, and for ${counted(reasons.length - 1, 'other reason')}` : ''
  const isUnsuitable = blocking.some(({ subject }) => subject === 'run')
  // An unsuitable run may not have checked everything.
  const noRequirement = isUnsuitable ? 'no checked requirement' : 'no requirement'
  const violations = waivedFailures === 0 ? `${noRequirement} is violated` : waivedText(waivedFailures)
  return `${reasons[0]}${more}; ${violations}`
}

function waivedText(count: number): string {
  return count === 1
    ? 'the only violated requirement is waived'
    : `the ${count} violated requirements are waived`
}

function listed(findings: readonly PolicyFinding[]): string {
  return someOf(findings.flatMap(({ requirement }) => requirement ?? []))
}

/** A sentence lists up to this many mistakes in a configuration. */
const maxMistakes = 2

/**
 * Why a run decides nothing: the release is blocked only by requirements that are inconclusive because of the
 * configuration.
 * @param blocking the findings that block the release
 * @param roots the root cause of each inconclusive check
 * @returns undefined if any of these findings has another reason
 */
export function whyMisconfigured(
  blocking: readonly PolicyFinding[],
  requirements: readonly RequirementResult[],
  roots: ReadonlyMap<CheckRecord, RootCause>,
): string | undefined {
  const checksOf = new Map<string | null, readonly CheckRecord[]>(
    requirements.map(({ id, checks }) => [id, checks]),
  )
  const reasons = blocking.flatMap(({ subject, requirement }) => {
    const checks = subject === 'requirement' ? (checksOf.get(requirement) ?? []) : []
    const causes = checks.flatMap((check) => roots.get(check) ?? [])
    return causes.every(({ cause }) => cause === 'configuration') ? (causes[0]?.check.reason ?? []) : []
  })
  if (reasons.length < blocking.length) return undefined
  const groups = [...Map.groupBy(reasons, (reason) => reason)]
    .map(([reason, same]) => ({ reason, count: same.length }))
    .sort((one, other) => other.count - one.count)
  const all = counted(reasons.length, 'requirement')
  const are = reasons.length === 1 ? 'is' : 'are'
  if (groups.length === 1) return `${reasons[0]}, so ${all} ${are} inconclusive`
  const shown = groups.slice(0, maxMistakes).map(({ reason, count }) => `${reason} (${count})`)
  const otherCount = reasons.length - groups.slice(0, maxMistakes).reduce((sum, { count }) => sum + count, 0)
  const more = otherCount === 0 ? '' : `, and others (${otherCount})`
  return `the configuration makes ${all} inconclusive: ${shown.join('; ')}${more}`
}
