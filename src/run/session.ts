import { type LaunchedBrowser, launchBrowser, loadClaimRecipe, loadLoginRecipe } from '../browser/index.ts'
import { type CheckContext, createContext } from '../check/fixtures.ts'
import { RunContext } from '../check/run-context.ts'
import { Budget } from '../http/budget.ts'
import type { Target } from '../target/target.ts'
import { WaitNotice } from './wait-notice.ts'

/** How the browser behaves before people who watch. */
export interface Watching {
  readonly headed?: boolean
  /** Milliseconds to wait before each step. */
  readonly slowMo?: number
}

/** Hosts that the recipes of a target add to its own. @throws {SetupError} for a recipe with a mistake */
export function recipeHosts(target: Target): readonly string[] {
  const { loginRecipe, claimRecipe } = target
  const recipes = [
    ...(loginRecipe === undefined ? [] : [loadLoginRecipe(loginRecipe)]),
    ...(claimRecipe === undefined ? [] : [loadClaimRecipe(claimRecipe, target)]),
  ]
  return recipes.flatMap(({ hosts }) => hosts ?? [])
}

/** Starts the browser of a target, which reaches its hosts and those of its recipes. @throws {SetupError} */
export async function launchFor(
  target: Target,
  { headed = false, slowMo = 0, shared = false }: Watching & { readonly shared?: boolean } = {},
): Promise<LaunchedBrowser> {
  const { chromiumPath, proxy } = target
  return launchBrowser({
    hosts: [...target.hosts, ...recipeHosts(target)],
    headed,
    slowMo,
    shared,
    ...(chromiumPath !== undefined && { chromiumPath }),
    ...(proxy && { proxy }),
  })
}

/** The steps that checks are written with, for a command that checks nothing. */
export interface Session {
  readonly run: RunContext
  readonly context: CheckContext
}

/**
 * Steps with a target in a run of their own, which ends with `use`. Waits are shown on standard error, and end
 * with the signal.
 * @param watching with the budget of the run, if there is one already; its waits end with its own signal
 */
export async function withSession<T>(
  target: Target,
  browser: Pick<LaunchedBrowser, 'browser'> | undefined,
  {
    slowMo = 0,
    signal,
    budget = new Budget({ ...target, ...(signal && { signal }) }),
  }: Watching & { readonly signal?: AbortSignal | undefined; readonly budget?: Budget },
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const waits = new WaitNotice()
  budget.onPause = waits.onPause
  const run = new RunContext({ target, slowMo, budget, ...(browser && { browser: browser.browser }) })
  const context = createContext(run)
  try {
    return await use({ run, context })
  } finally {
    waits.stop()
    await context.execution.close()
    await run.close()
  }
}
