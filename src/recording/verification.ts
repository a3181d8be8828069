import { errorOf } from '../check/authorization/landing-content.ts'
import { landingSentence } from '../check/authorization/landing-text.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Budget } from '../http/budget.ts'
import { withBrowser, withSession } from '../run/session.ts'
import { exitCodeOfFailure, exitCodeOfSignIn, loginFailureOf, withSignIn } from '../run/sign-in.ts'
import type { Target } from '../target/target.ts'
import type { LoginFailure } from './manual-login.ts'

/**
 * Signs in with the recipe of a target, in a new headless browser.
 * @returns null if the recipe works
 */
export function verifySignIn(
  target: Target,
  signal: AbortSignal,
  budget: Budget,
): Promise<LoginFailure | null> {
  return withSignIn(target, { signal, budget }, async ({ signIn, authorization }) => {
    const exitCode = exitCodeOfSignIn(signIn, authorization)
    return exitCode === exitCodes.ok ? null : { reason: signIn.trouble?.reason ?? signIn.landed, exitCode }
  })
}

/** Cancels a login with the recipe of a target, in a new headless browser. @returns null if the recipe works */
export function verifyCancel(
  target: Target,
  signal: AbortSignal,
  budget: Budget,
): Promise<LoginFailure | null> {
  return withBrowser(target, { signal }, (browser) =>
    withSession(target, browser, { budget }, async ({ run, context }) => {
      const outcome = await context.authorization.authorize('cancelling').catch(loginFailureOf)
      if ('reason' in outcome) {
        const { reason, cause } = outcome
        return { reason: run.vault.scrub(reason), exitCode: exitCodeOfFailure(cause) }
      }
      const { landing } = outcome
      return errorOf(landing) === undefined
        ? { reason: landingSentence(landing), exitCode: exitCodes.inconclusive }
        : null
    }),
  )
}
