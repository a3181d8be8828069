import { type LaunchedBrowser, launchBrowser } from '../browser/index.ts'
import { type CheckContext, createContext } from '../check/fixtures.ts'
import { RunContext } from '../check/run-context.ts'
import { Budget } from '../http/budget.ts'
import type { Target } from '../target/target.ts'
import { browserHosts } from './browser-hosts.ts'
import { WaitNotice } from './wait-notice.ts'

/** How a user sees the browser; by default, not at all. */
export interface BrowserDisplay {
  readonly headed?: boolean | undefined
  /** Milliseconds to wait before each browser step. */
  readonly slowMo?: number
}

/** Launches a browser that can load only the hosts of a target and its recipes. @throws {SetupError} */
export async function launchFor(
  target: Target,
  { headed = false, slowMo = 0 }: BrowserDisplay = {},
): Promise<LaunchedBrowser> {
  const { chromiumPath, proxy } = target
  return launchBrowser({
    hosts: browserHosts(target),
    headed,
    slowMo,
    ...(chromiumPath !== undefined && { chromiumPath }),
    ...(proxy && { proxy }),
  })
}

/** Launches the browser of a target, and closes it after `use` or on the signal. @throws {SetupError} */
export async function withBrowser<T>(
  target: Target,
  { signal, ...display }: BrowserDisplay & { readonly signal: AbortSignal },
  use: (browser: LaunchedBrowser) => Promise<T>,
): Promise<T> {
  const browser = await launchFor(target, display)
  const stop = () => void browser.close()
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    return await use(browser)
  } finally {
    signal.removeEventListener('abort', stop)
    await browser.close()
  }
}

/**
 * Lets `use` call the fixtures of checks outside a check, for example to sign in, and closes them afterwards. Shows waits
 * on standard error.
 * @param options `signal` ends a wait. If `budget` is given, the signal of this budget ends waits instead
 */
export async function withContext<T>(
  target: Target,
  browser: Pick<LaunchedBrowser, 'openAgent'> | undefined,
  {
    slowMo = 0,
    signal,
    budget = new Budget({ ...target, signal }),
  }: BrowserDisplay & { readonly signal?: AbortSignal | undefined; readonly budget?: Budget },
  use: (context: CheckContext) => Promise<T>,
): Promise<T> {
  const waits = new WaitNotice()
  const { onPause } = budget
  budget.onPause = waits.onPause
  const run = new RunContext({ target, slowMo, budget, ...(browser && { openAgent: browser.openAgent }) })
  const context = createContext(run)
  try {
    return await use(context)
  } finally {
    waits.stop()
    budget.onPause = onPause
    await context.execution.close()
    await run.close()
  }
}
