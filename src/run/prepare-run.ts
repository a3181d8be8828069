import type { LaunchedBrowser } from '../browser/index.ts'
import { applies } from '../check/applicability.ts'
import { hostsOf } from '../check/catalogue.ts'
import { unlessUndecided } from '../check/obstacle.ts'
import type { RunOptions } from '../check/run-context.ts'
import type { SuiteCheck } from '../check/suites.ts'
import { Budget } from '../http/budget.ts'
import type { Target } from '../target/target.ts'
import { browserHosts } from './browser-hosts.ts'
import { type BrowserDisplay, launchFor, withContext } from './context.ts'
import { checkKey, embeddedCosts, totalCostOf } from './costs.ts'
import { type Estimate, estimateOf, measurementsOf, needsPage } from './estimate.ts'
import { measureLoginPage } from './login-page-cost.ts'
import { nothingChecked, preflight, requireReachable } from './preflight.ts'

interface Preparation extends BrowserDisplay {
  readonly target: Target
  readonly checks: readonly SuiteCheck[]
  /** A running browser; otherwise one is launched if a check needs it. */
  readonly browser?: LaunchedBrowser
  /** Receives the end of each pause in sending, in milliseconds since the epoch. */
  readonly onPause?: (until: number) => void
  readonly signal?: AbortSignal | undefined
}

export interface PreparedRun {
  readonly options: RunOptions & { readonly budget: Budget }
  /** The browser of the run; undefined if no check needs one. */
  readonly browser: LaunchedBrowser | undefined
  readonly estimate: Estimate
  /** Closes the browser, if one was launched. */
  close(): Promise<void>
}

/**
 * Prepares a run: launches the browser, if a check needs one, while the preflight checks that the target is reachable.
 * Then estimates the cost of the run.
 * @throws {SetupError} if the browser does not start, if a recipe is not valid, or if `requireReachable` throws
 */
export async function prepareRun(preparation: Preparation): Promise<PreparedRun> {
  const { target, checks, slowMo = 0, onPause, signal } = preparation
  // An invalid recipe is reported before any request is sent.
  browserHosts(target)
  const applicable = checks.filter((check) => applies(check, target))
  const needsBrowser = applicable.some((check) => check.effects?.includes('login'))
  const launching =
    needsBrowser && preparation.browser === undefined ? launchFor(target, preparation) : undefined
  const close = async () => (await launching?.catch(() => undefined))?.close()
  const hosts = new Set(applicable.flatMap(hostsOf))
  try {
    const budget = new Budget({ ...target, onPause, signal })
    const [unusableHosts, launched] = await Promise.all([preflight(target, hosts, budget), launching])
    requireReachable(unusableHosts, hosts, nothingChecked(target))
    const browser = preparation.browser ?? launched
    const isReachable = unusableHosts['identity-provider'] === undefined
    const keys = applicable.map(checkKey)
    const estimate = await estimateFor(target, keys, isReachable ? browser : undefined, budget)
    const options = {
      target,
      budget,
      slowMo,
      unusableHosts,
      ...(browser && { openAgent: browser.openAgent }),
    }
    return { options, browser, estimate, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Estimates the cost of a run. Measures the login page first, if the estimate needs it. */
async function estimateFor(
  target: Target,
  keys: readonly string[],
  browser: LaunchedBrowser | undefined,
  budget: Budget,
): Promise<Estimate> {
  const embedded = embeddedCosts()
  const measurements = measurementsOf(target, embedded)
  if (!browser || !needsPage(totalCostOf(embedded, keys), measurements, target))
    return estimateOf(keys, measurements)
  const measured = await withContext(target, browser, { budget }, (context) =>
    unlessUndecided(measureLoginPage(context, () => context.authorization.authorize('anonymous'))),
  )
  const isLoginPage = measured?.shown.landing.kind === 'login-page'
  return estimateOf(keys, isLoginPage ? { ...measurements, page: measured.cost } : measurements)
}
