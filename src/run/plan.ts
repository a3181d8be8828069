import { applies, reasonNotApplicable } from '../check/applicability.ts'
import { reasonText } from '../check/result.ts'
import type { SuiteCheck } from '../check/suites.ts'
import { effects } from '../target/profiles.ts'
import type { Target } from '../target/target.ts'
import { checkKey } from './costs.ts'
import { type Estimate, estimateOf, type Measurements, runWith } from './estimate.ts'

/** The expected course of a run, computed without sending a request. */
export interface Plan {
  /** Checks that would run. */
  readonly checks: readonly SuiteCheck[]
  /** Those of `checks` that turned out not applicable in an earlier run or on the embedded provider, by reason. */
  readonly uncertain: ReadonlyMap<string, readonly SuiteCheck[]>
  /** The heading above `uncertain`. It names the run or the provider in which these reasons occurred. */
  readonly uncertainAs: string
  /** Checks that would not run, by reason. The reason states what enables them. */
  readonly notApplicable: ReadonlyMap<string, readonly SuiteCheck[]>
  /** Number of selected requirements without a check. */
  readonly withoutCheck: number
  readonly estimate: Estimate
  /** The effects of the checks on the target, as text. */
  readonly effects: readonly string[]
}

/**
 * Plans a run of some checks against a target.
 * @param selected the selected checks, whether they apply to the target or not
 * @param withoutCheck number of selected requirements without a check
 */
export function planOf(
  selected: readonly SuiteCheck[],
  target: Target,
  measurements: Measurements,
  withoutCheck = 0,
): Plan {
  const checks = selected.filter((check) => applies(check, target))
  const keys = checks.map(checkKey)
  const earlier = runWith(keys, measurements)
  const reasons = new Map(
    Object.entries((earlier?.costs ?? measurements.embedded).notApplicable).flatMap(([reason, ofReason]) =>
      ofReason.map((key) => [key, reason]),
    ),
  )
  return {
    checks,
    uncertain: byReason(checks, (check) => reasons.get(checkKey(check))),
    uncertainAs: earlier
      ? `Reasons observed in the run of ${earlier.date}:`
      : `Reasons observed on the embedded provider${target.name === 'embedded' ? '' : `, not on ${target.name}`}:`,
    notApplicable: byReason(selected, (check) => {
      const why = reasonNotApplicable(check, target)
      return why && reasonText({ ...why, dependsOn: [] })
    }),
    withoutCheck,
    estimate: estimateOf(keys, measurements),
    effects: [...new Set(checks.flatMap((check) => check.effects ?? []))].map(
      (effect) => `${effects[effect]} (${effect})`,
    ),
  }
}

/** Groups checks by reason, and omits checks without a reason. */
function byReason(
  checks: readonly SuiteCheck[],
  reasonOf: (check: SuiteCheck) => string | undefined,
): Map<string, SuiteCheck[]> {
  const groups = Map.groupBy(checks, (check) => reasonOf(check) ?? '')
  groups.delete('')
  return groups
}
