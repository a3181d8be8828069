import { reasonNotApplicable } from '../check/applicability.ts'
import type { SuiteCheck } from '../check/suites.ts'
import { effects } from '../target/effects.ts'
import type { Target } from '../target/target.ts'
import { counted, duration, wrap } from '../text/format.ts'
import { terminalOf } from '../text/terminal.ts'
import { type Estimate, estimateOf, keyOf, type Measurements, shortages } from './estimate.ts'

/** The expected course of a run, computed without sending a request. */
export interface Plan {
  readonly runs: readonly SuiteCheck[]
  /** Checks of `runs` that may turn out not applicable, by their reason on the embedded provider. */
  readonly uncertain: ReadonlyMap<string, readonly SuiteCheck[]>
  /** Checks that would not run, by reason; the reason tells what enables them. */
  readonly left: ReadonlyMap<string, readonly SuiteCheck[]>
  readonly estimate: Estimate
  /** The effects of the checks on the target, as text. */
  readonly effects: readonly string[]
}

/** Plans a run of some checks against a target. */
export function planOf(checks: readonly SuiteCheck[], target: Target, measurements: Measurements): Plan {
  const runs = checks.filter(({ definition }) => reasonNotApplicable(definition, target) === undefined)
  const reasons = new Map(
    Object.entries(measurements.embedded.notApplicable).flatMap(([reason, keys]) =>
      keys.map((key) => [key, reason]),
    ),
  )
  return {
    runs,
    uncertain: byReason(runs, ({ definition }) => reasons.get(keyOf(definition))),
    left: byReason(checks, ({ definition }) => reasonNotApplicable(definition, target)),
    estimate: estimateOf(
      runs.map(({ definition }) => keyOf(definition)),
      measurements,
    ),
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
  const { runs, uncertain, left, estimate } = plan
  const { requests, logins, basis } = estimate
  const { width, paint } = terminalOf(stream)
  const bold = (text: string) => paint('bold', text)
  const perArea = Map.groupBy(runs, ({ definition }) => definition.area)
  const areaWidth = Math.max(...[...perArea.keys()].map((area) => area.length))
  const mayNot = [...uncertain.values()].flat()
  const pacing = Number.isFinite(target.requestsPerSecond)
    ? `; at least ${duration((requests / target.requestsPerSecond) * 1000)} at ${target.requestsPerSecond} requests/s`
    : ''
  const lines = (text: string) => wrap(text, width, 0)
  const reasons = (groups: ReadonlyMap<string, readonly SuiteCheck[]>) =>
    [...groups].flatMap(([reason, checks]) => {
      const label = `  ${String(idsOf(checks).length).padStart(3)}  `
      return wrap(`${label}${reason}: ${named(checks)}`, width, label.length)
    })
  return [
    bold(`Plan for ${target.name}: ${target.hosts.join(', ')}`),
    'No request was sent.',
    '',
    ...lines(
      `${counted(runs.length, 'check')} of ${counted(idsOf(runs).length, 'requirement')} would run${mayNot.length > 0 ? `; ${mayNot.length} of them may turn out not applicable` : ''}`,
    ),
    ...[...perArea].map(([area, checks]) => `  ${area.padEnd(areaWidth)} ${counted(checks.length, 'check')}`),
    '',
    ...lines(
      `about ${requests} of ${counted(target.requestBudget, 'request')} and ${logins} of ${counted(target.loginBudget, 'login')}${pacing}`,
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
      ? ['', ...lines('Would run, but may turn out not applicable, as on the embedded provider').map(bold)]
      : []),
    ...reasons(uncertain),
    ...(left.size > 0 ? ['', bold('Would not run')] : []),
    ...reasons(left),
    '',
  ].join('\n')
}

function idsOf(checks: readonly SuiteCheck[]): string[] {
  return [...new Set(checks.map(({ definition }) => definition.requirement))]
}

/** Up to six requirements by id; more as a count per area. */
function named(checks: readonly SuiteCheck[]): string {
  const ids = idsOf(checks)
  if (ids.length <= 6) return ids.join(', ')
  const areas = Map.groupBy(checks, ({ definition }) => definition.area)
  return [...areas].map(([area, group]) => `${idsOf(group).length} of ${area}`).join(', ')
}
