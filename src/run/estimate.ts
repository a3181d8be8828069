import { runsIn } from '../results/past-runs.ts'
import type { Target } from '../target/target.ts'
import { counted } from '../text/format.ts'
import { type CheckCosts, checkCostsOf, checkKey, type TotalCost, totalCostOf } from './costs.ts'
import { type LoginPageCost, loginPageText, readLoginPageCost } from './login-page-cost.ts'

/** What is known about the number of requests that checks need on a target. */
export interface Measurements {
  /** Costs of each check on the embedded provider. */
  readonly embedded: CheckCosts
  /** Earlier runs on the same target, the latest first. */
  readonly runs: readonly MeasuredRun[]
  readonly page?: LoginPageCost | undefined
}

/** A complete run that did not use up its budget. */
interface MeasuredRun {
  readonly costs: CheckCosts
  readonly logins: number
  /** ISO 8601. */
  readonly date: string
}

export interface Estimate {
  readonly requests: number
  readonly logins: number
  /** The basis of the numbers, as a clause. */
  readonly basis: string
}

/** Requests of one login page of the embedded provider. */
const embeddedPageRequests = 2
/** Plumbline looks for comparable runs among this many of the target's newest runs, to limit the files it reads. */
const maxHeads = 20
/** Plumbline computes the costs of at most this many comparable runs. */
const maxRuns = 5
/** The advised request budget is this many times the estimated requests, so that a retry does not exhaust it. */
const spareFactor = 1.1

/** Reads the measurements of earlier runs and of the login page on a target. */
export function measurementsOf(target: Target, embedded: CheckCosts): Measurements {
  // `embedded` already contains the measurements of this target.
  if (target.name === 'embedded') return { embedded, runs: [] }
  return { embedded, runs: measuredRuns(target), page: readLoginPageCost(target) }
}

function measuredRuns({ reportDir, name, hosts }: Target): MeasuredRun[] {
  const comparable = runsIn(reportDir)
    .filter((run) => run.mayHaveTarget(name))
    .slice(0, maxHeads)
    .filter(
      ({ head: { run } }) =>
        run?.kind === 'check' &&
        run.completed === true &&
        run.target === name &&
        `${run.hosts}` === `${hosts}`,
    )
  return comparable.slice(0, maxRuns).flatMap((past) => {
    const results = past.readAll()
    if (!results) return []
    const { budget, run } = results
    // A run that used up its budget does not show how many requests it needed.
    if (budget.requests >= budget.requestCap || budget.logins >= budget.loginCap) return []
    const keys = results.requirements.flatMap(({ id, checks }) =>
      checks.map(({ name }) => checkKey({ requirement: id, name })),
    )
    return {
      costs: checkCostsOf(results, new Set(keys)),
      logins: budget.logins,
      date: run.startedAt.slice(0, 10),
    }
  })
}

/**
 * Estimates the cost of checks together, from an earlier run on the target that executed all of them. Without such a
 * run, the estimate uses the costs on the embedded provider and of the target's login page.
 * @param keys keys of the checks, by `checkKey`
 */
export function estimateOf(keys: readonly string[], measurements: Measurements): Estimate {
  const { embedded, page } = measurements
  const onEmbedded = totalCostOf(embedded, keys)
  const run = runWith(keys, measurements)
  if (run) {
    const chosen = new Set(keys)
    const others = Object.entries(run.costs.checks).filter(([key]) => !chosen.has(key))
    const ranOnlyThese = others.every(([, numbers]) => numbers.length === 0)
    // `run.costs` may lack logins, because it recognises only the password field of the embedded provider.
    const logins = ranOnlyThese ? run.logins : onEmbedded.logins
    return {
      ...totalCostOf(run.costs, keys),
      logins,
      basis: `measured on this target in the run of ${run.date}`,
    }
  }
  const { requests, logins, pages } = onEmbedded
  if (!page || pages === 0) {
    const basis = 'measured on the embedded provider; longer logins and more events need more requests'
    return { requests, logins, basis }
  }
  // A run requests the assets of the login page once, and everything else on the page each time it shows the page.
  const additional = page.assets + pages * (page.requests - page.assets - embeddedPageRequests)
  const basis = `measured on the embedded provider, and for one login page on this target on ${page.measuredAt.slice(0, 10)}: ${loginPageText(page)}; longer logins and more events need more requests`
  return { requests: Math.max(0, requests + additional), logins, basis }
}

/** The latest run on the target that executed all of these checks; undefined if there is none. */
export function runWith(keys: readonly string[], { embedded, runs }: Measurements): MeasuredRun | undefined {
  // A check was executed if it sent a request, or if it needs no request on the embedded provider.
  return runs.find(({ costs }) =>
    keys.every((key) => (costs.checks[key]?.length ?? 0) > 0 || embedded.checks[key]?.length === 0),
  )
}

/**
 * If the requests measured on the embedded provider are at most this share of the target's budget, Plumbline does not
 * measure the login page: the budget suffices even if the page needs many requests.
 */
const ampleShare = 1 / 4

/** Whether a login page of the target must be measured to estimate the cost of a run. */
export function needsPage(
  { requests, pages }: TotalCost,
  { runs, page }: Measurements,
  target: Target,
): boolean {
  const mayNotSuffice = requests > target.requestBudget * ampleShare
  return target.name !== 'embedded' && runs.length === 0 && !page && pages > 0 && mayNotSuffice
}

/** For each budget that is too small, a sentence without its full stop: the need, and the value to set. */
export function shortages({ requests, logins }: Estimate, target: Target): string[] {
  const { requestBudget, loginBudget } = target
  const enough = Math.ceil((requests * spareFactor) / 10) * 10
  const reserve = `which includes a reserve of at least ${Math.round((spareFactor - 1) * 100)} %`
  const tooSmall = (budget: string, need: string) => `${budget} is too small: this run needs about ${need}`
  return [
    ...(requests > requestBudget
      ? [
          `${tooSmall(`REQUEST_BUDGET=${requestBudget}`, counted(requests, 'request'))}. Set REQUEST_BUDGET=${enough}, ${reserve}`,
        ]
      : []),
    ...(logins > loginBudget
      ? [`${tooSmall(`LOGIN_BUDGET=${loginBudget}`, counted(logins, 'login'))}. Set LOGIN_BUDGET=${logins}`]
      : []),
  ]
}
