import { applies, reasonNotApplicable } from '../check/applicability.ts'
import { reasonText } from '../check/result.ts'
import type { SuiteCheck } from '../check/suites.ts'
import { effects } from '../target/effects.ts'
import type { Target } from '../target/target.ts'
import { counted, duration, wrap } from '../text/format.ts'
import { terminalOf } from '../text/terminal.ts'
import { checkKey } from './costs.ts'
import { type Estimate, estimateOf, type Measurements, runWith, shortages } from './estimate.ts'

/** The expected course of a run, computed without sending a request. */
interface Plan {
  readonly runs: readonly SuiteCheck[]
  /** Checks of `runs` that did not apply in an earlier run, or on the embedded provider, by reason. */
  readonly uncertain: ReadonlyMap<string, readonly SuiteCheck[]>
  /** Where they did not apply, as the heading of the reasons. */
  readonly uncertainAs: string
  /** Checks that would not run, by reason; the reason states what enables them. */
  readonly notApplicable: ReadonlyMap<string, readonly SuiteCheck[]>
  /** Number of selected requirements without a check. */
  readonly withoutCheck: number
  readonly estimate: Estimate
  /** The effects of the checks on the target, as text. */
  readonly effects: readonly string[]
}

/**
 * Plans a run of some checks against a target.
 * @param withoutCheck number of selected requirements without a check
 */
export function planOf(
  checks: readonly SuiteCheck[],
  target: Target,
  measurements: Measurements,
  withoutCheck = 0,
): Plan {
  const runs = checks.filter(({ definition }) => applies(definition, target))
  const keys = runs.map(({ definition }) => checkKey(definition))
  const earlier = runWith(keys, measurements)
  const reasons = new Map(
    Object.entries((earlier?.costs ?? measurements.embedded).notApplicable).flatMap(([reason, ofReason]) =>
      ofReason.map((key) => [key, reason]),
    ),
  )
  return {
    runs,
    uncertain: byReason(runs, ({ definition }) => reasons.get(checkKey(definition))),
    uncertainAs: earlier
      ? `Reasons observed in the run of ${earlier.date}:`
      : `Reasons observed on the embedded provider${target.name === 'embedded' ? '' : `, not on ${target.name}`}:`,
    notApplicable: byReason(checks, ({ definition }) => {
      const why = reasonNotApplicable(definition, target)
      return why && reasonText({ ...why, dependsOn: [] })
    }),
    withoutCheck,
    estimate: estimateOf(keys, measurements),
    effects: [...new Set(runs.flatMap(({ definition }) => definition.effects ?? []))].map(
      (effect) => effects[effect],
    ),
  }
}

/** Groups the checks that have a reason by it. */
function byReason(
  checks: readonly SuiteCheck[],
  reasonOf: (check: SuiteCheck) => string | undefined,
): Map<string, SuiteCheck[]> {
  const found = new Map<string, SuiteCheck[]>()
  for (const check of checks) {
    const reason = reasonOf(check)
    if (reason !== undefined) found.set(reason, [...(found.get(reason) ?? []), check])
  }
  return found
}

/** The plan as text. */
export function planText(plan: Plan, target: Target, stream: NodeJS.WriteStream): string {
  const { runs, uncertain, notApplicable, withoutCheck, estimate } = plan
  const { requests, logins, basis } = estimate
  const { width, paint } = terminalOf(stream)
  const bold = (text: string) => paint('bold', text)
  const perArea = Map.groupBy(runs, ({ definition }) => definition.area)
  const areaWidth = Math.max(...[...perArea.keys()].map((area) => area.length))
  const checksIn = (groups: Plan['notApplicable']) => [...groups.values()].flat().length
  const all = runs.length + checksIn(notApplicable)
  const mayNot = checksIn(uncertain)
  const isSlow = runs.some(({ definition }) => definition.effects?.includes('slow'))
  const pacing =
    requests > 0 && Number.isFinite(target.requestsPerSecond)
      ? `; at least ${duration((requests / target.requestsPerSecond) * 1000)} at ${target.requestsPerSecond} requests/s${isSlow ? ', plus the minutes that checks wait' : ''}`
      : ''
  const lines = (text: string) => wrap(text, width, 0)
  const reasons = (groups: ReadonlyMap<string, readonly SuiteCheck[]>) =>
    [...groups].flatMap(([reason, checks]) => {
      const label = `  ${counted(checks.length, 'check').padStart(10)}  `
      return wrap(`${label}${reason}: ${named(checks)}`, width, label.length)
    })
  return [
    bold(`Plan for ${target.name}: ${target.hosts.join(', ')}`),
    'No request was sent.',
    '',
    ...lines(
      `${runs.length} of ${counted(all, 'check')} would run${mayNot > 0 ? `; ${mayNot} of them may turn out not applicable` : ''}`,
    ),
    ...[...perArea].map(
      ([area, checks]) => `  ${area.padEnd(areaWidth)} ${counted(checks.length, 'check').padStart(10)}`,
    ),
    '',
    ...lines(
      `about ${counted(requests, 'request')} (REQUEST_BUDGET: ${target.requestBudget}) and ${counted(logins, 'login')} (LOGIN_BUDGET: ${target.loginBudget})${pacing}`,
    ),
    ...lines(`(${basis})`),
    ...shortages(estimate, target).flatMap((sentence) =>
      lines(`${sentence}, or select fewer checks with --only.`),
    ),
    ...(plan.effects.length > 0
      ? [
          '',
          bold('Effects on the target'),
          ...plan.effects.flatMap((effect) => wrap(`  ${effect}`, width, 4)),
        ]
      : []),
    ...(uncertain.size > 0
      ? ['', ...lines(`Would run, but may turn out not applicable. ${plan.uncertainAs}`).map(bold)]
      : []),
    ...reasons(uncertain),
    ...(notApplicable.size > 0 ? ['', bold('Would not run')] : []),
    ...reasons(notApplicable),
    ...(withoutCheck > 0
      ? [
          '',
          ...lines(`${counted(withoutCheck, 'requirement')} without a check: npx plumbline list --unchecked`),
        ]
      : []),
    '',
  ].join('\n')
}

function idsOf(checks: readonly SuiteCheck[]): string[] {
  return [...new Set(checks.map(({ definition }) => definition.requirement))]
}

/** The requirements of up to six checks by id; more as a count of checks per area. */
function named(checks: readonly SuiteCheck[]): string {
  if (checks.length <= 6) return idsOf(checks).join(', ')
  const areas = Map.groupBy(checks, ({ definition }) => definition.area)
  return [...areas].map(([area, group]) => `${group.length} of ${area}`).join(', ')
}
