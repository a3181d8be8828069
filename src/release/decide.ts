import { isRecorded } from '../check/requirement.ts'
import { exitCodes } from '../exit-codes.ts'
import { rootCauses } from '../results/dependencies.ts'
import type { EarlierViolation } from '../results/earlier-violations.ts'
import { countNotChecked, notCheckedByReason } from '../results/not-checked.ts'
import type { RunResults } from '../results/results.ts'
import { isInScope } from '../results/scope.ts'
import {
  type DecisionFacts,
  type FindingWeight,
  findingWeights,
  type ReleaseAnswer,
  type ReleaseDecision,
} from './decision.ts'
import {
  absentFindings,
  type CatalogueEntry,
  coverageFindings,
  coverageOf,
  isForeign,
  runFindings,
  waiverFindings,
} from './findings.ts'
import type { Policy } from './policy.ts'
import { whyMisconfigured, whyNo, whyYes } from './reasons.ts'
import {
  defectFinding,
  earlierViolationFindings,
  outOfScopeFindings,
  requirementFinding,
  whyInconclusive,
} from './requirement-findings.ts'
import { settledBy } from './settled.ts'
import type { Waiver } from './waivers.ts'

interface Question {
  readonly results: RunResults
  readonly policy: Policy
  readonly waivers: readonly Waiver[]
  /** The requirements of this version of Plumbline and of the run. A requirement may occur twice. */
  readonly catalogue: readonly CatalogueEntry[]
  /** Requirements that the run did not decide, that an earlier run found violated, and that held in no complete run since. */
  readonly earlierViolations: readonly EarlierViolation[]
  readonly now: Date
  /** Version of Plumbline that decides. */
  readonly version: string
}

export function decide(question: Question): ReleaseDecision {
  const { results, policy, waivers, catalogue, now, version } = question
  const known = catalogue.map(({ id }) => id)
  const inScope = results.requirements.filter((one) => isInScope(one, policy))
  // A waiver settles its requirement, which then does not block the release. Inconclusive requirements that follow from
  // waived ones (`followingWaived`) are settled, too.
  const { validWaivers, waivedIds, followingWaived, followingWaivedIds } = settledBy(waivers, results, now)
  const isSettled = (id: string) => waivedIds.has(id) || followingWaivedIds.has(id)
  const coverage = coverageOf(inScope, waivedIds, followingWaivedIds)
  const whyOf = whyInconclusive(results.requirements)
  // Earlier violations never block: the decision only names those without a valid waiver. `waivedIds` lacks requirements
  // that this run did not check, so this uses `validWaivers`.
  const earlierViolations = question.earlierViolations.filter(
    ({ id }) => inScope.some((one) => one.id === id) && !validWaivers.has(id) && !followingWaivedIds.has(id),
  )
  const unsorted = [
    ...runFindings(results, { policy, known, now }),
    ...inScope.flatMap((one) =>
      // A waiver does not cover a defect of Plumbline.
      isSettled(one.id) ? defectFinding(one) : requirementFinding(one, policy, whyOf),
    ),
    ...coverageFindings(coverage, policy),
    ...absentFindings(results, policy, catalogue),
    ...waiverFindings(waivers, { results, policy, known, now }),
    ...earlierViolationFindings(earlierViolations),
    ...outOfScopeFindings(results, inScope),
  ]
  // `effect` is the weight of a finding: the heaviest findings come first.
  const findings = unsorted.toSorted(
    (a, b) => findingWeights.indexOf(a.effect) - findingWeights.indexOf(b.effect),
  )
  const waived = inScope.flatMap((one) => {
    const waiver = validWaivers.get(one.id)
    return waiver && waivedIds.has(one.id) ? [{ ...waiver, verdict: one.verdict }] : []
  })
  const judgeable = inScope.filter(({ level }) => !isRecorded(level))
  const following = followingWaived.filter((one) => judgeable.some(({ id }) => id === one.requirement))
  const facts: DecisionFacts = {
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
    notCheckedInScope: notCheckedByReason(inScope),
    findings,
    waived,
    following,
  }
  return { formatVersion: 1, ...answerOf(results, facts, earlierViolations), ...facts }
}

function answerOf(
  results: RunResults,
  facts: DecisionFacts,
  earlierViolations: readonly EarlierViolation[],
): ReleaseAnswer {
  const { policy, findings, waived } = facts
  const has = (weight: FindingWeight) => findings.some(({ effect }) => effect === weight)
  // If the run has another target or kind than the policy requires, its violations decide nothing.
  const isForeignRun = isForeign(results.run, policy)
  const whyNotReleased = () => whyNo(findings, waived.filter(({ verdict }) => verdict === 'fail').length)
  if (has('violated') && !isForeignRun)
    return { release: false, answer: 'no', exitCode: exitCodes.violated, because: whyNotReleased() }
  // Findings of weight `undecided` block the release, but are no violations. They lead to `no`, or to `no decision` if the
  // run decides nothing. A foreign run always has one, so its answer is never `yes`.
  if (!has('undecided')) {
    const violatedBefore = earlierViolations.map(({ id }) => id)
    return { release: true, answer: 'yes', exitCode: exitCodes.ok, because: whyYes(facts, violatedBefore) }
  }
  const whyUnsuitable = findings.filter(({ subject }) => subject === 'run')
  const blocking = findings.filter(({ effect }) => effect !== 'noted')
  const configurationReason = whyMisconfigured(
    blocking,
    results.requirements,
    rootCauses(results.requirements),
  )
  const decidesNothing = whyUnsuitable.length > 0 || configurationReason !== undefined
  // The violations of a foreign run decide nothing, so they must not be the reason. `whyNotReleased` would name them.
  const because =
    isForeignRun && has('violated')
      ? whyUnsuitable.map(({ text }) => text).join('; ')
      : (configurationReason ?? whyNotReleased())
  return {
    release: false,
    answer: decidesNothing ? 'no decision' : 'no',
    exitCode: exitCodes.inconclusive,
    because,
  }
}
