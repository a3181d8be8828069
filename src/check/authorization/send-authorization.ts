import { loadClaimRecipe } from '../../browser/claim-recipe.ts'
import type { Act, Agent, AuthorizeOptions, Landing, Redirect } from '../../browser/index.ts'
import type { EndPage } from '../../browser/landing.ts'
import { suggestionOf } from '../../browser/recipe-advice.ts'
import type { Exchange } from '../../evidence/exchange.ts'
import { backoffMs } from '../../http/retry-after.ts'
import type { AuthorizationRequest } from '../../oauth/authorization-request.ts'
import { tokenNames } from '../../oauth/disclosed-tokens.ts'
import { applicationOf } from '../../target/parts.ts'
import type { Target } from '../../target/target.ts'
import type { CheckExecution } from '../execution.ts'
import { retryWhileRefused, Unfinished } from '../retry-after-failure.ts'
import type { RunContext } from '../run-context.ts'
import { Inconclusive } from '../verdict.ts'
import { type CompletedLanding, codeOf, errorOf, transientErrorOf, valuesOf } from './landing-content.ts'

/**
 * Sends one authorization request with a user agent.
 * @param options `mustReturn`: whether the journey must return to the application. If it must, a page with unknown
 * buttons needs a login recipe. If not, such a page may be a refusal.
 * @throws {Inconclusive} if a page needs a recipe, or the endpoint returns a transient error twice
 * @throws {Unfinished} if the journey failed
 */
export async function sendAuthorization(
  run: RunContext,
  agent: Agent,
  request: AuthorizationRequest,
  act: Act,
  { mustReturn = false }: Pick<AuthorizeOptions, 'mustReturn'> = {},
): Promise<CompletedLanding> {
  const { user } = run.target
  run.vault.add(request.state, request.nonce, request.verifier)
  if (act === 'sign-in') {
    requireLoginsReturn(run)
    run.authorizationLog.mayHaveConsentedTo.add(request.application.id)
  }
  const options: AuthorizeOptions = {
    redirectUri: request.redirectUri,
    act,
    mustReturn,
    onStep: (step) => run.browser.steps.push(step),
    onCancel: (page) => run.browser.cancelledAt.set(request, page),
    ...(user && { user }),
    ...(run.browser.onStuck && { onStuck: run.browser.onStuck }),
  }
  const exchanges: Exchange[] = []
  const { logins } = run.budget
  const landing = await run.recorder.collectInto(exchanges, () =>
    repeatedAfterTransientError(run, agent, request.url, options),
  )
  if (run.budget.logins > logins) run.failedLogins = landing.kind === 'redirect' ? 0 : run.failedLogins + 1
  if (landing.kind === 'failed') throw new Unfinished(landing)
  if (mustReturn && landing.kind === 'page' && landing.hasUnknownButtons && landing.status < 400)
    throw unrecognised(landing)
  if (landing.kind === 'redirect') {
    rememberSecrets(run, landing)
    run.authorizationLog.redirects.push({ request, landing, exchanges })
  }
  if (landing.kind === 'page' && landing.status >= 400 && landing.redirects.length === 0)
    run.authorizationLog.errorPages.push({ request, landing, exchanges })
  return landing
}

/** After this number of failed logins in a row, a run types no further password: the target may lock the account. */
const maxFailedLogins = 5

/** @throws {Inconclusive} if the last logins did not return to the application */
function requireLoginsReturn({ failedLogins }: RunContext): void {
  if (failedLogins < maxFailedLogins) return
  throw new Inconclusive(
    `the last ${failedLogins} logins did not return to the application, so this run does not sign in again`,
    {
      cause: 'environment',
      advice: 'sign in once with `npx plumbline login --headed` to see why',
    },
  )
}

/**
 * Sends an authorization request, and retries once after a transient error.
 * @throws {Inconclusive} if the retry has a transient error, too
 */
async function repeatedAfterTransientError(
  run: RunContext,
  agent: Agent,
  url: URL,
  options: AuthorizeOptions,
): Promise<Landing> {
  const first = await repeatedWhileBlocked(run, agent, url, options)
  const transient = transientErrorOf(first)
  if (transient === undefined) return first
  run.validRequests.transientErrors.add(transient)
  run.budget.pauseFor(backoffMs(0))
  const second = await repeatedWhileBlocked(run, agent, url, options)
  const error = transientErrorOf(second)
  if (error === undefined) return second
  throw new Inconclusive(
    `the authorization endpoint returned a transient error twice, the second time error=${error}`,
  )
}

/**
 * Sends an authorization request. If a host that has accepted other requests responds 403, a gateway may have blocked
 * this one: retries at most twice.
 */
async function repeatedWhileBlocked(
  run: RunContext,
  agent: Agent,
  url: URL,
  options: AuthorizeOptions,
): Promise<Landing> {
  const { blockedRequests, budget, recorder, validRequests } = run
  let attempts = 0
  const send = async () => {
    attempts += 1
    const exchanges: Exchange[] = []
    const landing = await recorder.collectInto(exchanges, () => agent.authorize(url, options))
    const [first] = exchanges
    return {
      landing,
      isRefused: first?.response?.status === 403 && recorder.hasAccepted(first.request.url),
    }
  }
  const { landing, isRefused } = blockedRequests.mayRepeat
    ? await retryWhileRefused(budget, send, (sent) => sent.isRefused)
    : await send()
  if (attempts > 1) {
    blockedRequests.record(isRefused)
    if (!isRefused) validRequests.transientErrors.add('403')
  }
  return landing
}

/** @throws {Unfinished} if the journey ended at a page with status 403, since a gateway may have blocked its request */
export function requireNotBlocked(landing: CompletedLanding): void {
  if (landing.kind !== 'page' || landing.status !== 403) return
  const reason = 'the authorization request ended at a page with status 403'
  throw new Unfinished({ kind: 'failed', cause: 'throttled', reason })
}

/** Remembers the codes, tokens and states in all parts of a redirect as secrets. */
function rememberSecrets({ vault }: RunContext, landing: Redirect): void {
  for (const name of ['code', ...tokenNames, 'state']) vault.add(...valuesOf(landing, name))
}

/** The error for a journey that ended at a page without a button or link that Plumbline recognises. */
export function unrecognised({ description, hasUnknownButtons }: EndPage): Inconclusive {
  const { shown = '', steps = [] } = description ?? {}
  const elements = hasUnknownButtons ? 'buttons' : 'links'
  const reason = `Plumbline does not recognise a page with ${elements}${shown && `; it shows ${shown}`}`
  return new Inconclusive(reason, {
    variables: ['LOGIN_RECIPE'],
    advice: `describe the page in a login recipe (LOGIN_RECIPE, see docs/login-recipes.md)${suggestionOf(steps)}`,
  })
}

/** The time limit for progress of a journey grows by this number of `--slow-mo` delays. */
const slowSteps = 60

/**
 * A user agent without a session: a new window in the browser of the run.
 * @param owner the run, or a check, at whose end the window closes
 */
export async function openAgent(run: RunContext, owner: Pick<RunContext, 'onClose'> = run): Promise<Agent> {
  const { target, browser } = run
  const redirectUris = [applicationOf(target).redirectUri, target.secondApplication?.redirectUri]
  const agent = await browser.openAgent({
    budget: run.budget,
    recorder: run.recorder,
    assets: browser.assets,
    directRequests: browser.directRequests,
    hosts: [...target.hosts, ...claimHosts(target)],
    redirectUris: redirectUris.filter((uri) => uri !== undefined),
    ...(target.loginRecipe !== undefined && { recipe: target.loginRecipe }),
    timeoutMs: target.loginTimeoutSeconds * 1000 + slowSteps * browser.slowMo,
  })
  owner.onClose(() => agent.close())
  return agent
}

/**
 * Runs a journey in a window without a session: in a new window, or in the window of an earlier journey that was
 * refused before it showed any page.
 */
export async function inUnusedWindow(
  run: RunContext,
  execution: CheckExecution,
  journey: (agent: Agent) => Promise<CompletedLanding>,
): Promise<CompletedLanding> {
  const agent = run.browser.reusableAgent ?? (await openAgent(run))
  run.browser.reusableAgent = undefined
  let isReusable = false
  try {
    const landing = await journey(agent)
    const hasShownNoPage = landing.kind === 'redirect' && landing.status >= 300 && !landing.interactive
    isReusable = hasShownNoPage && errorOf(landing) !== undefined && codeOf(landing) === undefined
    return landing
  } finally {
    if (isReusable) run.browser.reusableAgent = agent
    else execution.onClose(() => agent.close())
  }
}

/** Additional hosts that the page for changing a claim needs, if that page is used. */
function claimHosts(target: Target): readonly string[] {
  const isUsed = target.claimRecipe !== undefined && target.allowedEffects.includes('claim-change')
  return (isUsed && loadClaimRecipe(target.claimRecipe, target).hosts) || []
}
