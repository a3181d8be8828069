import { loadClaimRecipe, UserAgent } from '../browser/index.ts'
import type { Target } from '../target/target.ts'
import type { RunContext } from './run-context.ts'

/** The most steps with a page until it answers. */
const slowSteps = 60

/** A window without a session, in the browser of the run. */
export async function openAgent(
  run: RunContext,
  onClose: (close: () => Promise<void>) => void,
): Promise<UserAgent> {
  const { target, slowMo } = run
  const redirectUris = [target.application.redirectUri, target.secondApplication?.redirectUri]
  const agent = await UserAgent.open(await run.windows(), {
    budget: run.budget,
    recorder: run.recorder,
    assets: run.assets,
    hosts: [...target.hosts, ...claimHosts(target)],
    redirectUris: redirectUris.filter((uri) => uri !== undefined),
    ...(target.loginRecipe !== undefined && { recipe: target.loginRecipe }),
    timeoutMs: target.loginTimeoutSeconds * 1000 + slowSteps * slowMo,
  })
  onClose(() => agent.close())
  return agent
}

/** Hosts that the page on which a claim is changed needs besides, where that page is used. */
function claimHosts(target: Target): readonly string[] {
  const used = target.claimRecipe !== undefined && target.allowedEffects.includes('claim-change')
  return (used && loadClaimRecipe(target.claimRecipe, target).hosts) || []
}
