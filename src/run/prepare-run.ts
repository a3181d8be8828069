import type { LaunchedBrowser } from '../browser/index.ts'
import { reasonNotApplicable } from '../check/applicability.ts'
import { hostOf } from '../check/catalogue.ts'
import type { RunMessage, RunOptions } from '../check/run-context.ts'
import type { SuiteCheck } from '../check/suites.ts'
import { Budget } from '../http/budget.ts'
import type { Target } from '../target/target.ts'
import { preflight, refuseUnreached } from './preflight.ts'
import { launchFor, recipeHosts } from './session.ts'

interface Preparation {
  readonly target: Target
  readonly checks: readonly SuiteCheck[]
  readonly headed: boolean
  /** Milliseconds that the browser waits before each step; 0 by default. */
  readonly slowMo?: number
  /** Whether a worker executes the checks, which connects to the browser; no by default. */
  readonly shared?: boolean
  /** A browser that is running already; else one is launched when a check needs it. */
  readonly browser?: LaunchedBrowser
  /** Hears until when nothing is sent, in milliseconds since the epoch. */
  readonly onPause?: (until: number) => void
  readonly signal?: AbortSignal
}

/** The same run for a worker, which finds the browser by its endpoint and takes over the budget. */
export function forWorker(
  { run, browser }: Pick<PreparedRun, 'run' | 'browser'>,
  waits?: string,
): RunMessage {
  const { browser: _, budget, ...options } = run
  return {
    ...options,
    budget: budget.state,
    ...(waits !== undefined && { waits }),
    ...(browser?.endpoint !== undefined && { browserEndpoint: browser.endpoint }),
  }
}

/** A run that can begin. */
export interface PreparedRun {
  readonly run: RunOptions & { readonly budget: Budget }
  /** The browser of the run; undefined where no check needs one. */
  readonly browser: LaunchedBrowser | undefined
  /** Ends the browser, where one was launched. */
  close(): Promise<void>
}

/**
 * Launches the browser, if a check needs one, while the preflight asks whether the target is there.
 * @throws {SetupError} where no browser starts, a recipe has a mistake, or nothing selected can be reached
 */
export async function prepareRun(preparation: Preparation): Promise<PreparedRun> {
  const { target, checks, slowMo = 0, onPause, signal } = preparation
  // A recipe with a mistake is an error before anything is sent.
  recipeHosts(target)
  const applicable = checks.filter(({ definition }) => reasonNotApplicable(definition, target) === undefined)
  const needsBrowser = applicable.some(({ definition }) => definition.effects?.includes('login'))
  const launching =
    needsBrowser && preparation.browser === undefined ? launchFor(target, preparation) : undefined
  const close = async () => (await launching?.catch(() => undefined))?.close()
  const hosts = new Set(applicable.map(({ definition }) => hostOf(definition.area)))
  try {
    const budget = new Budget({ ...target, ...(onPause && { onPause }), ...(signal && { signal }) })
    const [outOfReach, launched] = await Promise.all([preflight(target, hosts, budget), launching])
    refuseUnreached(outOfReach, hosts)
    const browser = preparation.browser ?? launched
    const run = { target, budget, slowMo, outOfReach, ...(browser && { browser: browser.browser }) }
    return { run, browser, close }
  } catch (error) {
    await close()
    throw error
  }
}
