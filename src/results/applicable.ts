import { isRecorded } from '../check/requirement.ts'
import { countVerdicts } from '../check/verdict.ts'
import type { RequirementResult } from './results.ts'

/** Numbers of requirements, as the reports and the release gate show them. */
export interface ApplicableCounts {
  /** Requirements that hold, are violated or are inconclusive, without the levels `silent` and `reference`. */
  readonly applicable: number
  readonly pass: number
  readonly fail: number
  readonly inconclusive: number
  /** Inconclusive requirements whose checks had not begun when the run ended. */
  readonly unbegun: number
  /** Requirements with the verdict `observed`. */
  readonly observed: number
  /** Inconclusive requirements of the levels `silent` and `reference`. */
  readonly inconclusiveObserveOnly: number
}

/** Counts requirements by verdict. Requirements of the levels `silent` and `reference` are recorded, never judged. */
export function countApplicable(requirements: readonly RequirementResult[]): ApplicableCounts {
  const recorded = requirements.filter(({ level }) => isRecorded(level))
  const judgeable = requirements.filter(({ level }) => !isRecorded(level))
  const counts = countVerdicts(judgeable)
  const unbegun = judgeable.filter(({ verdict, checks }) => verdict === 'inconclusive' && checks.length === 0)
  const { pass, fail, inconclusive } = counts
  return {
    applicable: pass + fail + inconclusive,
    pass,
    fail,
    inconclusive,
    unbegun: unbegun.length,
    observed: counts.observed + countVerdicts(recorded).observed,
    inconclusiveObserveOnly: countVerdicts(recorded).inconclusive,
  }
}
