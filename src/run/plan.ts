import { reasonNotApplicable } from '../check/applicability.ts'
import type { SuiteCheck } from '../check/suites.ts'
import { effects } from '../target/effects.ts'
import type { Target } from '../target/target.ts'
import { counted, duration, wrap } from '../text/format.ts'
import { terminalOf } from '../text/terminal.ts'
import { type Costs, checkKey, costOf } from './costs.ts'

/** What a run would do, found out without sending anything. */
export interface Plan {
  readonly runs: readonly SuiteCheck[]
  /** Those of them that may find out that they do not apply, by the reason the embedded provider gave them. */
  readonly uncertain: ReadonlyMap<string, readonly SuiteCheck[]>
  /** Checks that would not run, by the reason, which says what would enable them. */
  readonly left: ReadonlyMap<string, readonly SuiteCheck[]>
  /** About so many; a login page with more steps, or more events, cost more. */
  readonly requests: number
  readonly logins: number
  /** What the checks do to the target beyond reading, in words. */
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

/** Checks for which there is a reason. */
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

/** A plan as it is printed. */
export function planText(plan: Plan, target: Target, stream: NodeJS.WriteStream): string {
  const { runs, uncertain, left, requests, logins } = plan
  const { width, paint } = terminalOf(stream)
  const bold = (text: string) => paint('bold', text)
  const perArea = Map.groupBy(runs, ({ definition }) => definition.area)
  const areaWidth = Math.max(...[...perArea.keys()].map((area) => area.length))
  const mayNot = [...uncertain.values()].flat()
  const pacing = Number.isFinite(target.requestsPerSecond)
    ? `; at ${target.requestsPerSecond} a second that takes ${duration((requests / target.requestsPerSecond) * 1000)} or more`
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
    'Nothing was sent.',
    '',
    ...lines(
      `${counted(runs.length, 'check')} of ${counted(idsOf(runs).length, 'requirement')} would run${mayNot.length > 0 ? `; ${mayNot.length} of them may find that they do not apply` : ''}`,
    ),
    ...[...perArea].map(([area, checks]) => `  ${area.padEnd(areaWidth)} ${counted(checks.length, 'check')}`),
    '',
    ...lines(
      `about ${requests} of ${counted(target.requestBudget, 'request')} and ${logins} of ${counted(target.loginBudget, 'typed login')}${pacing}`,
    ),
    ...lines('as measured on the embedded provider: pages with more steps, or more events, take more'),
    ...over.flatMap((name) =>
      lines(`That is more than the run may use: raise ${name}, or select less with --only.`),
    ),
    ...(plan.effects.length > 0
      ? [
          '',
          bold('What it does to the target'),
          ...plan.effects.flatMap((effect) => wrap(`  ${effect}`, width, 4)),
        ]
      : []),
    ...(uncertain.size > 0
      ? [
          '',
          ...lines('Would run and may find that they do not apply, as on the embedded provider, where').map(
            bold,
          ),
        ]
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

/** A few requirements by their ids; of many, how many there are of each area. */
function named(checks: readonly SuiteCheck[]): string {
  const ids = idsOf(checks)
  if (ids.length <= 6) return ids.join(', ')
  const areas = Map.groupBy(checks, ({ definition }) => definition.area)
  return [...areas].map(([area, group]) => `${idsOf(group).length} of ${area}`).join(', ')
}
