import { reasonNotApplicable } from '../check/applicability.ts'
import type { CatalogueRequirement } from '../check/catalogue.ts'
import type { RunOptions } from '../check/run-context.ts'
import type { SuiteCheck } from '../check/suites.ts'
import type { Target } from '../target/target.ts'
import { preflight } from './preflight.ts'
import { launchFor, recipeHosts } from './session.ts'

export interface Preparation {
  readonly target: Target
  readonly requirements: readonly CatalogueRequirement[]
  readonly checks: readonly SuiteCheck[]
  readonly headed: boolean
  /** Milliseconds that the browser waits before each step; 0 by default. */
  readonly slowMo?: number
  /** A browser that is running already; else one is launched when a check needs it. */
  readonly browserEndpoint?: string
  /** Hears until when nothing is sent, in milliseconds since the epoch. */
  readonly onPause?: (until: number) => void
  readonly signal?: AbortSignal
}

/** A run that can begin. */
export interface PreparedRun {
  readonly run: RunOptions
  /** Version of the browser that was launched; null where none was. */
  readonly browserVersion: string | null
  /** Ends the browser, where one was launched. */
  close(): Promise<void>
}

/**
 * Launches the browser, if a check needs one, while the preflight asks whether the target is there.
 * @throws {SetupError} where no browser starts, a recipe has a mistake, or nothing selected can be reached
 */
export async function prepareRun(preparation: Preparation): Promise<PreparedRun> {
  const { target, requirements, checks, slowMo = 0, onPause, signal } = preparation
  // A recipe with a mistake is an error before anything is sent.
  recipeHosts(target)
  const needsBrowser = checks.some(
    ({ definition }) =>
      definition.effects?.includes('login') && reasonNotApplicable(definition, target) === undefined,
  )
  const launching =
    needsBrowser && preparation.browserEndpoint === undefined ? launchFor(target, preparation) : undefined
  const close = async () => (await launching?.catch(() => undefined))?.close()
  const outOfReach: Record<string, string> = {}
  const areas = new Set(requirements.map(({ area }) => area))
  try {
    const [resumes, browser] = await Promise.all([
      preflight(target, areas, { outOfReach, ...(onPause && { onPause }), ...(signal && { signal }) }),
      launching,
    ])
    const browserEndpoint = preparation.browserEndpoint ?? browser?.wsEndpoint
    const run = {
      target,
      resumes,
      slowMo,
      outOfReach,
      ...(browserEndpoint !== undefined && { browserEndpoint }),
    }
    return { run, browserVersion: browser?.version ?? null, close }
  } catch (error) {
    await close()
    throw error
  }
}
