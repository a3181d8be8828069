import { whyNot } from '../check/run-check.ts'
import { effects } from '../target/effects.ts'
import type { Target } from '../target/target.ts'
import { type Costs, checkKey, costOf } from './costs.ts'
import type { SuiteCheck } from './suites.ts'
import { terminalOf } from './terminal.ts'
import { counted, duration, wrap } from './text.ts'

/** What a run would do, found out without sending anything. */
export interface Plan {
  readonly runs: readonly SuiteCheck[]
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
  const reasons = checks.map((check) => ({ check, reason: whyNot(check.definition, target) }))
  const runs = reasons.filter(({ reason }) => reason === undefined).map(({ check }) => check)
  const left = Map.groupBy(
    reasons.filter(({ reason }) => reason !== undefined),
    ({ reason }) => reason ?? '',
  )
  const keys = runs.map(({ definition }) => checkKey(definition.requirement, definition.name))
  return {
    runs,
    left: new Map([...left].map(([reason, entries]) => [reason, entries.map(({ check }) => check)])),
    ...costOf(costs, keys),
    effects: [...new Set(runs.flatMap(({ definition }) => definition.effects ?? []))].map(
      (effect) => effects[effect],
    ),
  }
}

/** A plan as it is printed. */
export function planText(plan: Plan, target: Target, stream: NodeJS.WriteStream): string {
  const { runs, left, requests, logins } = plan
  const { width, paint } = terminalOf(stream)
  const bold = (text: string) => paint('bold', text)
  const idsOf = (checks: readonly SuiteCheck[]) => [
    ...new Set(checks.map(({ definition }) => definition.requirement)),
  ]
  const perArea = Map.groupBy(runs, ({ definition }) => definition.area)
  const areaWidth = Math.max(...[...perArea.keys()].map((area) => area.length))
  const pacing = Number.isFinite(target.requestsPerSecond)
    ? `; at ${target.requestsPerSecond} a second that takes ${duration((requests / target.requestsPerSecond) * 1000)} or more`
    : ''
  const over = [
    ...(requests > target.requestBudget ? ['REQUEST_BUDGET'] : []),
    ...(logins > target.loginBudget ? ['LOGIN_BUDGET'] : []),
  ]
  return [
    bold(`Plan for ${target.name}: ${target.hosts.join(', ')}`),
    'Nothing was sent.',
    '',
    `${counted(runs.length, 'check')} of ${counted(idsOf(runs).length, 'requirement')} would run`,
    ...[...perArea].map(([area, checks]) => `  ${area.padEnd(areaWidth)} ${counted(checks.length, 'check')}`),
    '',
    `about ${requests} of ${counted(target.requestBudget, 'request')} and ${logins} of ${counted(target.loginBudget, 'typed login')}${pacing}`,
    ...wrap(
      'as measured on the embedded provider: pages with more steps, or more events, take more',
      width,
      0,
    ),
    ...over.map((name) => `That is more than the run may use: raise ${name}, or select less with --only.`),
    ...(plan.effects.length > 0
      ? ['', bold('What it does to the target'), ...plan.effects.map((effect) => `  ${effect}`)]
      : []),
    ...(left.size > 0 ? ['', bold('Would not run')] : []),
    ...[...left].flatMap(([reason, checks]) => wrap(`  ${reason}: ${idsOf(checks).join(', ')}`, width, 6)),
    '',
  ].join('\n')
}
