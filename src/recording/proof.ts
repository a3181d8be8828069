import { describeLanding, errorOf } from '../check/landing.ts'
import type { BudgetState } from '../http/budget.ts'
import { launchFor, withSession } from '../run/session.ts'
import { exitCodeOf, troubleOf, withSignIn } from '../run/sign-in.ts'
import type { Target } from '../target/target.ts'

/** Why a recipe, a login or a recording did not come to its end; with the exit code that says so. */
export interface Trouble {
  readonly reason: string
  readonly exitCode: 2 | 3
}

export interface Proof {
  /** Null where the recipe did what it is for. */
  readonly trouble: Trouble | null
  readonly requests: number
}

/**
 * Signs in with the recipe of a target, in a new browser without a window.
 * @param resumes where the recording left pacing and budget
 */
export function proveSignIn(target: Target, signal: AbortSignal, resumes: BudgetState): Promise<Proof> {
  return withSignIn(target, { signal, resumes }, async (signIn, _session, authorization) => {
    const exitCode = exitCodeOf(signIn, authorization)
    const reason = signIn.trouble?.reason ?? signIn.landed
    return { trouble: exitCode === 0 ? null : { reason, exitCode }, requests: signIn.requests }
  })
}

/** Gives a login up with the recipe of a target, in the same way. */
export async function proveCancel(target: Target, signal: AbortSignal, resumes: BudgetState): Promise<Proof> {
  const browser = await launchFor(target)
  const stop = () => void browser.close()
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    return await withSession(target, browser, { resumes }, async ({ run, context }) => {
      const outcome = await context.authorization.authorize('cancelling').catch(troubleOf)
      const { requests } = run.budget
      if ('reason' in outcome) {
        const reason = run.vault.scrub(outcome.reason)
        return { trouble: { reason, exitCode: outcome.cause === 'configuration' ? 3 : 2 }, requests }
      }
      const { landing } = outcome
      if (errorOf(landing) !== undefined) return { trouble: null, requests }
      return { trouble: { reason: describeLanding(landing), exitCode: 2 }, requests }
    })
  } finally {
    signal.removeEventListener('abort', stop)
    await browser.close()
  }
}
