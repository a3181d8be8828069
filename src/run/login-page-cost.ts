import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Authorization } from '../check/authorization/authorization-steps.ts'
import type { CheckContext } from '../check/fixtures.ts'
import { readStoredJson, writeAtomically } from '../results/stored-file.ts'
import { issuerOf } from '../target/parts.ts'
import type { Target } from '../target/target.ts'
import { counted } from '../text/format.ts'
import { isObject } from '../text/json.ts'

/** The cost of one login page of a target, from the authorization request to the form. */
export interface LoginPageCost {
  readonly requests: number
  /** Requests among them that a run sends only once, for scripts and style sheets. */
  readonly assets: number
  /** ISO 8601, UTC. */
  readonly measuredAt: string
}

/** Costs by issuer, in REPORT_DIR. */
const fileName = 'login-pages.json'

/** Shows the login page in a separate window, and stores the cost in REPORT_DIR. */
export async function measureLoginPage(
  { run }: Pick<CheckContext, 'run'>,
  show: () => Promise<Authorization>,
): Promise<{ readonly shown: Authorization; readonly cost: LoginPageCost }> {
  const { budget, target } = run
  const { assets } = run.browser
  // A throttled request is repeated, which says nothing about the page.
  const answered = () => budget.requests - budget.throttled
  const before = { requests: answered(), assets: assets.size }
  const shown = await show()
  const cost = {
    requests: answered() - before.requests,
    assets: assets.size - before.assets,
    measuredAt: new Date().toISOString(),
  }
  // Another page, such as an error, has another cost.
  if (shown.landing.kind === 'login-page') store(target, cost)
  return { shown, cost }
}

/** The last measurement of a target; undefined without any. */
export function readLoginPageCost({ reportDir, issuer }: Target): LoginPageCost | undefined {
  const cost = issuer === undefined ? undefined : readLoginPageCosts(reportDir)[issuer]
  if (!isObject(cost)) return undefined
  const { requests, assets, measuredAt } = cost
  const isCost = typeof requests === 'number' && typeof assets === 'number' && typeof measuredAt === 'string'
  return isCost ? { requests, assets, measuredAt } : undefined
}

/** Stores a cost; if that fails, the next run measures it again. */
function store(target: Target, cost: LoginPageCost): void {
  const { name, reportDir } = target
  // The costs of the embedded provider are known.
  if (name === 'embedded') return
  try {
    mkdirSync(reportDir, { recursive: true })
    const all = { ...readLoginPageCosts(reportDir), [issuerOf(target)]: cost }
    writeAtomically(join(reportDir, fileName), `${JSON.stringify(all, null, 2)}\n`)
  } catch {
    // The folder is not writable; a run reports that itself.
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

/** `27 requests, 25 of them only once per run`. */
export function loginPageText({ requests, assets }: LoginPageCost): string {
  return counted(requests, 'request') + (assets === 0 ? '' : `, ${assets} of them only once per run`)
}
