import {
  type Act,
  type Landing as AnyLanding,
  type AuthorizeOptions,
  type Redirect,
  suggestionOf,
  type UserAgent,
} from '../../browser/index.ts'
import type { Exchange } from '../../evidence/exchange.ts'
import { backoffMs } from '../../http/retry-after.ts'
import type { AuthorizationRequest } from '../../oauth/authorization-request.ts'
import { tokenNames } from '../../oauth/disclosed-tokens.ts'
import type { RunContext } from '../run-context.ts'
import { Unfinished } from '../transient.ts'
import { Inconclusive } from '../verdict.ts'
import { type Landing, transientErrorOf } from './landing-content.ts'

interface Sending {
  /**
   * Whether the journey must return to the application: a page with buttons that Plumbline does not recognise then needs a
   * login recipe. Otherwise that page may be a refusal. No by default.
   */
  readonly mustReturn?: boolean
}

/**
 * Sends one authorization request in a window, and returns where it ends.
 * @throws {Inconclusive} if a page needs a recipe, or the endpoint asks to retry twice
 * @throws {Unfinished} if the journey failed
 */
export async function sendAuthorization(
  run: RunContext,
  agent: UserAgent,
  request: AuthorizationRequest,
  act: Act,
  { mustReturn = false }: Sending = {},
): Promise<Landing> {
  const { user } = run.target
  run.vault.add(request.state, request.nonce, request.verifier)
  if (act === 'sign-in') run.authorizationLog.mayHaveConsentedTo.add(request.application.id)
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
  const landing = await run.recorder.during(
    () => repeatedAfterTransientError(run, agent, request.url, options),
    exchanges,
  )
  if (landing.kind === 'failed') throw new Unfinished(landing)
  if (mustReturn && landing.kind === 'page' && landing.hasUnknownButtons && landing.status < 400)
    throw unrecognised(landing)
  if (landing.kind === 'redirect') {
    rememberSecrets(run, landing)
    run.authorizationLog.redirects.push({ request, landing, exchanges })
  }
  return landing
}

/**
 * An authorization request, retried once after an error that asks the client to retry.
 * @throws {Inconclusive} if the retry has such an error, too
 */
async function repeatedAfterTransientError(
  run: RunContext,
  agent: UserAgent,
  url: URL,
  options: AuthorizeOptions,
): Promise<AnyLanding> {
  const first = await agent.authorize(url, options)
  const transient = transientErrorOf(first)
  if (transient === undefined) return first
  run.validRequests.transientErrors.add(transient)
  run.budget.pauseFor(backoffMs(0))
  const second = await agent.authorize(url, options)
  const error = transientErrorOf(second)
  if (error === undefined) return second
  throw new Inconclusive(`the authorization endpoint returned error=${error}, which is transient, twice`)
}

/** Remembers codes, tokens and state of a redirect as secrets, in every part of the redirect. */
function rememberSecrets(run: RunContext, { query, fragment, form }: Redirect): void {
  for (const name of ['code', ...tokenNames, 'state']) {
    for (const part of [query, fragment, form]) run.vault.add(...(part?.getAll(name) ?? []))
  }
}

/** Why a request that must return to the application did not: it ended at a page whose buttons no keyword names. */
function unrecognised({ description }: Extract<Landing, { kind: 'page' }>): Inconclusive {
  const { shown = '', steps = [] } = description ?? {}
  const reason = `Plumbline does not recognise a page with buttons${shown && `; it shows ${shown}`}`
  return new Inconclusive(reason, {
    variables: ['LOGIN_RECIPE'],
    advice: `describe it in a login recipe (LOGIN_RECIPE, see docs/login-recipes.md)${suggestionOf(steps)}`,
  })
}
