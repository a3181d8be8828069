import { reasonNotApplicable } from '../check/applicability.ts'
import type { SuiteCheck } from '../check/suites.ts'
import { effects } from '../target/effects.ts'
import type { Target } from '../target/target.ts'
import { counted, duration, wrap } from '../text/format.ts'
import { terminalOf } from '../text/terminal.ts'
import { type Costs, checkKey, costOf } from './costs.ts'

/** The expected course of a run, computed without sending a request. */
export interface Plan {
  readonly runs: readonly SuiteCheck[]
  /** Checks of `runs` that may turn out not applicable, by their reason on the embedded provider. */
  readonly uncertain: ReadonlyMap<string, readonly SuiteCheck[]>
  /** Checks that would not run, by reason; the reason tells what enables them. */
  readonly left: ReadonlyMap<string, readonly SuiteCheck[]>
  /** An estimate; login pages with more steps, or more events, need more requests. */
  readonly requests: number
  readonly logins: number
  /** The effects of the checks on the target, as text. */
  readonly effects: readonly string[]
}

/** Plans a run of some checks against a target. */
export function planOf(checks: readonly SuiteCheck[], target: Target, costs: Costs): Plan {
  const runs = checks.filter(({ definition }) => reasonNotApplicable(definition, target) === undefined)
  const reasons = new Map(
    Object.entries(costs.notApplicable).flatMap(([reason, keys]) => keys.map((key) => [key, reason])),
  )
  return {
    runs,
    uncertain: byReason(runs, (check) => reasons.get(keyOf(check))),
    left: byReason(checks, ({ definition }) => reasonNotApplicable(definition, target)),
    ...costOf(costs, runs.map(keyOf)),
    effects: [...new Set(runs.flatMap(({ definition }) => definition.effects ?? []))].map(
      (effect) => effects[effect],
    ),
  }
}

function keyOf({ definition }: SuiteCheck): string {
  return checkKey(definition.requirement, definition.name)
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
  const { runs, uncertain, left, requests, logins } = plan
  const { width, paint } = terminalOf(stream)
  const bold = (text: string) => paint('bold', text)
  const perArea = Map.groupBy(runs, ({ definition }) => definition.area)
  const areaWidth = Math.max(...[...perArea.keys()].map((area) => area.length))
  const mayNot = [...uncertain.values()].flat()
  const pacing = Number.isFinite(target.requestsPerSecond)
    ? `; at least ${duration((requests / target.requestsPerSecond) * 1000)} at ${target.requestsPerSecond} requests/s`
    : ''
  const over = [
    ...(requests > target.requestBudget ? ['REQUEST_BUDGET'] : []),
    ...(logins > target.loginBudget ? ['LOGIN_BUDGET'] : []),
  ]
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
      `about ${requests} of ${counted(target.requestBudget, 'request')} and ${logins} of ${counted(target.loginBudget, 'typed login')}${pacing}`,
    ),
    ...lines('(measured on the embedded provider; longer logins and more events need more requests)'),
    ...over.flatMap((name) =>
      lines(`This exceeds the budget: raise ${name}, or select fewer checks with --only.`),
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
