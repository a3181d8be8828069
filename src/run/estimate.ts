import { runsIn } from '../results/past-runs.ts'
import type { RunResults } from '../results/results.ts'
import { findRun } from '../results/run-directory.ts'
import { readRun } from '../results/saved-run.ts'
import type { Target } from '../target/target.ts'
import { type Cost, type Costs, checkKey, costOf, costsOf } from './costs.ts'
import { type LoginPageCost, loginPageText, readLoginPageCost } from './login-page-cost.ts'

/** What is known of the requests that a target takes. */
export interface Measurements {
  /** Of each check on the embedded provider. */
  readonly embedded: Costs
  /** Of each check in an earlier run on the same target. */
  readonly run?: { readonly costs: Costs; readonly logins: number; readonly date: string }
  readonly page?: LoginPageCost
}

/** What a run will cost. */
export interface Estimate {
  readonly requests: number
  readonly logins: number
  /** What the numbers rest on, as a clause. */
  readonly basis: string
}

/** Requests of one login page of the embedded provider. */
const embeddedPage = 2
/** Earlier runs that are read at most. */
const mostRuns = 5
/** What a budget has to spare, so that a retry does not exhaust it. */
const spare = 1.1

/** Reads what earlier runs and the doctor have measured on a target. */
export function measurementsOf(target: Target, embedded: Costs): Measurements {
  // Its requests are those that are measured already.
  if (target.name === 'embedded') return { embedded }
  const run = measuredRun(target)
  const page = readLoginPageCost(target)
  return { embedded, ...(run && { run }), ...(page && { page }) }
}

function measuredRun({ reportDir, name, hosts }: Target): Measurements['run'] {
  const isOfTarget = ({ run }: { readonly run?: Partial<RunResults['run']> }) =>
    run?.kind === 'check' && run.completed === true && run.target === name && `${run.hosts}` === `${hosts}`
  for (const { id, head } of runsIn(reportDir).slice(0, mostRuns)) {
    const directory = isOfTarget(head) ? findRun(reportDir, id) : undefined
    const results = directory === undefined ? undefined : readRun(directory)
    // A run without budget left says nothing about what it would have needed.
    if (!results || results.budget.requests >= results.budget.requestCap) continue
    const { budget, run } = results
    return { costs: costsOf(results, new Set()), logins: budget.logins, date: run.startedAt.slice(0, 10) }
  }
  return undefined
}

/**
 * Estimates what checks cost together: from a run on the same target that has executed all of them, else from the
 * embedded provider and the login page of the target.
 * @param keys of the checks
 */
export function estimateOf(keys: readonly string[], { embedded, run, page }: Measurements): Estimate {
  const expected = costOf(embedded, keys)
  // A check that did not apply then sent nothing.
  const wasMeasured = (key: string) =>
    (run?.costs.checks[key]?.length ?? 0) > 0 || embedded.checks[key]?.length === 0
  if (run && keys.every(wasMeasured)) {
    const chosen = new Set(keys)
    const others = Object.entries(run.costs.checks).filter(([key]) => !chosen.has(key))
    const isWhole = others.every(([, numbers]) => numbers.length === 0)
    const logins = isWhole ? run.logins : expected.logins
    return { ...costOf(run.costs, keys), logins, basis: `measured on this target in the run of ${run.date}` }
  }
  const { requests, logins, pages } = expected
  if (!page || pages === 0) {
    const basis = 'measured on the embedded provider; longer logins and more events need more requests'
    return { requests, logins, basis }
  }
  const more = page.assets + pages * (page.requests - page.assets - embeddedPage)
  const basis = `measured on the embedded provider, and one login page of this target on ${page.measuredAt.slice(0, 10)}: ${loginPageText(page)}; longer logins and more events need more requests`
  return { requests: Math.max(0, requests + more), logins, basis }
}

/** The key of a check in costs. */
export function keyOf({
  requirement,
  name,
}: {
  readonly requirement: string
  readonly name: string
}): string {
  return checkKey(requirement, name)
}

/** Whether a login page of the target has to be measured before the cost of a run is known. */
export function needsPage({ requests, pages }: Cost, { run, page }: Measurements, target: Target): boolean {
  const mayNotSuffice = requests > target.requestBudget / 4
  return target.name !== 'embedded' && !run && !page && pages > 0 && mayNotSuffice
}

/** Which budgets of a target do not suffice, a sentence each, with the number that would. */
export function shortages({ requests, logins }: Estimate, target: Target): string[] {
  const { requestBudget, loginBudget } = target
  const enough = Math.ceil((requests * spare) / 10) * 10
  return [
    ...(requests > requestBudget
      ? [`REQUEST_BUDGET=${requestBudget} will not suffice: set REQUEST_BUDGET=${enough}`]
      : []),
    ...(logins > loginBudget
      ? [`LOGIN_BUDGET=${loginBudget} will not suffice: set LOGIN_BUDGET=${logins}`]
      : []),
  ]
}
