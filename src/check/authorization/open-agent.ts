import { loadClaimRecipe, UserAgent } from '../../browser/index.ts'
import { applicationOf } from '../../target/parts.ts'
import type { Target } from '../../target/target.ts'
import type { CheckExecution } from '../execution.ts'
import type { RunContext } from '../run-context.ts'
import { codeOf, errorOf, type Landing } from './landing-content.ts'

/** Browser steps for which `--slow-mo` extends the time limit of a response. */
const slowSteps = 60

/** A window without a session, in the browser of the run. */
export async function openAgent(
  run: RunContext,
  onClose: (close: () => Promise<void>) => void,
): Promise<UserAgent> {
  const { target, browser } = run
  const redirectUris = [applicationOf(target).redirectUri, target.secondApplication?.redirectUri]
  const agent = await UserAgent.open(browser.windows, {
    budget: run.budget,
    recorder: run.recorder,
    assets: browser.assets,
    directRequests: browser.directRequests,
    hosts: [...target.hosts, ...claimHosts(target)],
    redirectUris: redirectUris.filter((uri) => uri !== undefined),
    ...(target.loginRecipe !== undefined && { recipe: target.loginRecipe }),
    timeoutMs: target.loginTimeoutSeconds * 1000 + slowSteps * browser.slowMo,
  })
  onClose(() => agent.close())
  return agent
}

/**
 * A journey in a window without a session: a new window, or that of an earlier journey that was refused before any page
 * was shown, since a user would continue there.
 */
export async function inUnusedWindow(
  run: RunContext,
  execution: CheckExecution,
  journey: (agent: UserAgent) => Promise<Landing>,
): Promise<Landing> {
  const agent = run.browser.reusableAgent ?? (await openAgent(run, (close) => run.onClose(close)))
  run.browser.reusableAgent = undefined
  let isUnused = false
  try {
    const landing = await journey(agent)
    const hasShownNoPage = landing.kind === 'redirect' && landing.status >= 300 && !landing.interactive
    isUnused = hasShownNoPage && errorOf(landing) !== undefined && codeOf(landing) === undefined
    return landing
  } finally {
    if (isUnused) run.browser.reusableAgent = agent
    else execution.onClose(() => agent.close())
  }
}

/** Additional hosts that the page for changing a claim needs, if that page is used. */
function claimHosts(target: Target): readonly string[] {
  const used = target.claimRecipe !== undefined && target.allowedEffects.includes('claim-change')
  return (used && loadClaimRecipe(target.claimRecipe, target).hosts) || []
}
