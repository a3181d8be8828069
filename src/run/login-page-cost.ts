import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Authorization } from '../check/authorization/authorization-steps.ts'
import type { CheckContext } from '../check/fixtures.ts'
import { readStoredJson, writeAtomically } from '../results/stored-file.ts'
import { issuerOf } from '../target/parts.ts'
import type { Target } from '../target/target.ts'
import { counted } from '../text/format.ts'
import { isObject } from '../text/json.ts'

/** The requests of one login page of a target, from the authorization request to the form. */
export interface LoginPageCost {
  readonly requests: number
  /** Number of these requests that a run sends only once, such as those for scripts and style sheets. */
  readonly assets: number
  /** ISO 8601, UTC. */
  readonly measuredAt: string
}

/** File in REPORT_DIR with the costs, by issuer. */
const fileName = 'login-pages.json'

/** Measures the cost of the login page that `show` opens, and stores it in REPORT_DIR. */
export async function measureLoginPage(
  { run }: Pick<CheckContext, 'run'>,
  show: () => Promise<Authorization>,
): Promise<{ readonly shown: Authorization; readonly cost: LoginPageCost }> {
  const { budget, target } = run
  const { assets } = run.browser
  // Throttled requests are sent again, and do not belong to the cost of the page.
  const notThrottled = () => budget.requests - budget.throttled
  const before = { requests: notThrottled(), assets: assets.size }
  const shown = await show()
  const cost = {
    requests: notThrottled() - before.requests,
    assets: assets.size - before.assets,
    measuredAt: new Date().toISOString(),
  }
  // Another page, such as an error page, may have another cost.
  if (shown.landing.kind === 'login-page') store(target, cost)
  return { shown, cost }
}

/** The last measurement of a target; undefined if its login page was never measured. */
export function readLoginPageCost({ reportDir, issuer }: Target): LoginPageCost | undefined {
  const cost = issuer === undefined ? undefined : readLoginPageCosts(reportDir)[issuer]
  if (!isObject(cost)) return undefined
  const { requests, assets, measuredAt } = cost
  const isCost = typeof requests === 'number' && typeof assets === 'number' && typeof measuredAt === 'string'
  return isCost ? { requests, assets, measuredAt } : undefined
}

/** Stores a cost. If that fails, the next run measures the cost again. */
function store(target: Target, cost: LoginPageCost): void {
  const { name, reportDir } = target
  // The costs of the embedded provider are in costs.json.
  if (name === 'embedded') return
  try {
    mkdirSync(reportDir, { recursive: true })
    const all = { ...readLoginPageCosts(reportDir), [issuerOf(target)]: cost }
    writeAtomically(join(reportDir, fileName), `${JSON.stringify(all, null, 2)}\n`)
  } catch {
    // If REPORT_DIR is not writable, a run reports this before it sends a request.
  }
}

function readLoginPageCosts(reportDir: string): Readonly<Record<string, unknown>> {
  try {
    const value = readStoredJson(join(reportDir, fileName))
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** The cost as text, such as `27 requests, 25 of them only once per run`. */
export function loginPageText({ requests, assets }: LoginPageCost): string {
  return counted(requests, 'request') + (assets === 0 ? '' : `, ${assets} of them only once per run`)
}
