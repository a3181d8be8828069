import { requiredPartsOf } from '../check/applicability.ts'
import { checksOf, requireChecks, type Selection, select } from '../check/selection.ts'
import { loadSuites, type SuiteCheck } from '../check/suites.ts'
import { embeddedClaimRecipe } from '../embedded/embedded-provider.ts'
import { uncheckedCommand } from '../report/remedy.ts'
import { browserHosts } from '../run/browser-hosts.ts'
import { type TargetOptions, targetToPlan } from '../run/chosen-target.ts'
import { embeddedCosts } from '../run/costs.ts'
import { measurementsOf, shortages } from '../run/estimate.ts'
import { longWaitsText } from '../run/long-waits.ts'
import { type Plan, planOf } from '../run/plan.ts'
import type { Target } from '../target/target.ts'
import { counted, duration, wrap } from '../text/format.ts'
import { terminalOf } from '../text/terminal.ts'

interface PlanOptions extends TargetOptions {
  readonly only?: readonly string[]
  readonly area?: readonly string[]
}

/** `plumbline plan`: shows what `check` with the same options would do; sends nothing. */
export async function plan({ only = [], area = [], ...options }: PlanOptions): Promise<void> {
  const suites = await loadSuites()
  const selected = select(suites.requirements, { only, areas: area })
  requireChecks(selected, suites.checks)
  const checks = checksOf(selected, suites.checks)
  const required = requiredPartsOf(selected.map((one) => one.area))
  const target = targetToPlan({ ...options, required })
  // Throws for an invalid recipe, as `check` does. Validating the recipe of the embedded provider would be slow.
  if (target.loginRecipe !== undefined || target.claimRecipe !== embeddedClaimRecipe) browserHosts(target)
  const checked = new Set(checks.map(({ requirement }) => requirement))
  const withoutCheck = selected.filter(({ id }) => !checked.has(id)).length
  const planned = planOf(checks, target, measurementsOf(target, embeddedCosts()), withoutCheck)
  process.stdout.write(planText(planned, target, process.stdout, { only, areas: area }))
}

export function planText(
  plan: Plan,
  target: Target,
  stream: NodeJS.WriteStream,
  selection: Selection = { only: [], areas: [] },
): string {
  const { checks, uncertain, notApplicable, withoutCheck } = plan
  const { width, paint, part } = terminalOf(stream)
  const bold = (text: string) => paint('bold', text)
  const perArea = Map.groupBy(checks, ({ area }) => area)
  const areaWidth = Math.max(...[...perArea.keys()].map((area) => area.length))
  const checksIn = (groups: Plan['notApplicable']) => [...groups.values()].flat().length
  const all = checks.length + checksIn(notApplicable)
  const uncertainCount = checksIn(uncertain)
  const lines = (text: string) => wrap(text, width, 0)
  const reasons = (groups: ReadonlyMap<string, readonly SuiteCheck[]>) =>
    [...groups].flatMap(([reason, ofReason]) => {
      const label = `  ${counted(ofReason.length, 'check').padStart(10)}  `
      return wrap(`${label}${reason}: ${named(ofReason)}`, width, label.length)
    })
  return [
    bold(`Plan for ${target.name}: ${target.hosts.join(', ')}`),
    'No request was sent.',
    '',
    ...lines(
      `${checks.length} of ${counted(all, 'check')} would run${uncertainCount > 0 ? `; ${uncertainCount} of them may turn out not applicable` : ''}`,
    ),
    ...[...perArea].map(
      ([area, ofArea]) => `  ${area.padEnd(areaWidth)} ${counted(ofArea.length, 'check').padStart(10)}`,
    ),
    '',
    ...costTexts(plan, target).flatMap(lines),
    ...part(
      'Effects on the target',
      plan.effects.flatMap((effect) => wrap(`  ${effect}`, width, 4)),
    ),
    ...(uncertain.size > 0
      ? [
          '',
          ...lines(
            `These checks may turn out not applicable: they need a feature or situation that may be absent. ${plan.uncertainAs}`,
          ).map(bold),
        ]
      : []),
    ...reasons(uncertain),
    ...part('Would not run', reasons(notApplicable)),
    ...(withoutCheck > 0
      ? [
          '',
          ...lines(`${counted(withoutCheck, 'requirement')} without a check: ${uncheckedCommand(selection)}`),
        ]
      : []),
    '',
  ].join('\n')
}

function costTexts(plan: Plan, target: Target): string[] {
  const { requests, logins, basis } = plan.estimate
  const waits = longWaitsText(plan.checks, target)
  return [
    `about ${counted(requests, 'request')} (REQUEST_BUDGET: ${target.requestBudget}) and ${counted(logins, 'login')} (LOGIN_BUDGET: ${target.loginBudget})${pacingText(plan, target)}${waits === '' ? '' : `, plus ${waits}`}`,
    `(${basis})`,
    ...shortages(plan.estimate, target).map((sentence) => `${sentence}, or select fewer checks with --only.`),
  ]
}

/** The minimum duration of the run at its pace; empty without a pace. */
function pacingText({ estimate: { requests } }: Plan, { requestsPerSecond }: Target): string {
  if (requests === 0 || !Number.isFinite(requestsPerSecond)) return ''
  return `; at least ${duration((requests / requestsPerSecond) * 1000)} at ${requestsPerSecond} requests/s`
}

function idsOf(checks: readonly SuiteCheck[]): string[] {
  return [...new Set(checks.map(({ requirement }) => requirement))]
}

/** Up to six checks by the ids of their requirements; more checks as `7 of token, 3 of userinfo`. */
function named(checks: readonly SuiteCheck[]): string {
  if (checks.length <= 6) return idsOf(checks).join(', ')
  const areas = Map.groupBy(checks, ({ area }) => area)
  return [...areas].map(([area, group]) => `${group.length} of ${area}`).join(', ')
}
