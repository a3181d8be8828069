import { describeLanding, errorOf } from '../check/landing.ts'
import type { BudgetState } from '../http/budget.ts'
import { withSession } from '../run/session.ts'
import { exitCodeOf, troubleOf, withSignIn } from '../run/sign-in.ts'
import type { Target } from '../target/target.ts'
import { type Trouble, withBrowser } from './watch.ts'

/** The outcome of a recipe that was tried in a new browser without a window. */
export interface Proof {
  /** Null where the recipe worked. */
  readonly trouble: Trouble | null
  readonly requests: number
}

/** Signs in with the recipe of a target. @param resumes where the recording left pacing and budget */
export function proveSignIn(target: Target, signal: AbortSignal, resumes: BudgetState): Promise<Proof> {
  return withSignIn(target, { signal, resumes }, async (signIn, _session, authorization) => {
    const exitCode = exitCodeOf(signIn, authorization)
    const reason = signIn.trouble?.reason ?? signIn.landed
    return { trouble: exitCode === 0 ? null : { reason, exitCode }, requests: signIn.requests }
  })
}

/** Cancels a login with the recipe of a target, in the same way. */
export function proveCancel(target: Target, signal: AbortSignal, resumes: BudgetState): Promise<Proof> {
  return withBrowser(target, signal, false, (browser) =>
    withSession(target, browser, { resumes }, async ({ run, context }) => {
      const outcome = await context.authorization.authorize('cancelling').catch(troubleOf)
      const { requests } = run.budget
      if ('reason' in outcome) {
        const reason = run.vault.scrub(outcome.reason)
        return { trouble: { reason, exitCode: outcome.cause === 'configuration' ? 3 : 2 }, requests }
      }
      const { landing } = outcome
      if (errorOf(landing) !== undefined) return { trouble: null, requests }
      return { trouble: { reason: describeLanding(landing), exitCode: 2 }, requests }
    }),
  )
}
