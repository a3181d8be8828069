import type { Page } from 'playwright'
import { UserAgent, type WatchedLogin } from '../browser/index.ts'
import { codeOf, describeLanding } from '../check/landing.ts'
import type { BudgetState } from '../http/budget.ts'
import { causeOf } from '../http/failures.ts'
import { authorizationRequest } from '../oauth/authorization-request.ts'
import { launchFor, withSession } from '../run/session.ts'
import type { Target } from '../target/target.ts'
import type { Trouble } from './proof.ts'

export interface WatchOptions {
  /** Hosts that the browser may load besides the target's. */
  readonly hosts: readonly string[]
  readonly signal: AbortSignal
  readonly onOpen: () => void
  /** Is handed the window, which stays out of sight then: for whoever acts in place of a person. */
  readonly actor?: (page: Page) => void
}

/** What somebody did, what it cost, and what cleans texts of the secrets that were met. */
export interface Watched extends WatchedLogin {
  readonly budget: BudgetState & { readonly logins: number }
  readonly scrub: <T>(data: T) => T
}

/**
 * Shows the login page in a window, and looks on until it is left or closed. The signal closes it.
 * @throws {SetupError} where no browser starts
 */
export async function watchLogin(
  { loginRecipe: _, claimRecipe: _c, ...target }: Target,
  { hosts: besides, signal, onOpen, actor }: WatchOptions,
): Promise<Watched> {
  const hosts = [...target.hosts, ...besides]
  const launched = await launchFor({ ...target, hosts }, { headed: actor === undefined })
  const stop = () => void launched.close()
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    return await withSession(target, launched, {}, async ({ run }) => {
      const { budget, recorder, vault } = run
      const { redirectUri } = target.application
      const agent = await UserAgent.open(launched.browser, {
        budget,
        recorder,
        hosts,
        redirectUris: [redirectUri],
      })
      const request = authorizationRequest(target)
      vault.add(request.state, request.nonce, request.verifier)
      onOpen()
      const watched = await agent.record(request.url, {
        redirectUri,
        ...(target.user && { user: target.user }),
        ...(actor && { onWindow: actor }),
      })
      return {
        ...watched,
        budget: { ...budget.state, logins: budget.logins },
        scrub: (data) => vault.scrubAll(data),
      }
    })
  } finally {
    signal.removeEventListener('abort', stop)
    await launched.close()
  }
}

/** Why a recording is no use; undefined where it ended as it should. */
export function troubleWith({ end, refusedHosts }: Watched, cancel: boolean): Trouble | undefined {
  const needs = refusedHosts.slice(0, 5)
  if (end === undefined) {
    const hint =
      needs.length === 0
        ? ''
        : `; the pages also asked for ${needs.join(', ')}, which --host would let them load`
    return { reason: `the window was closed before the login came to its end${hint}`, exitCode: 3 }
  }
  if ('failure' in end) {
    const { failure } = end
    const hint = failure.kind === 'host-refused' ? '; --host names it for this recording' : ''
    return { reason: failure.message + hint, exitCode: causeOf(failure) === 'configuration' ? 3 : 2 }
  }
  const landing = { kind: 'redirect', interactive: true, ...end.redirect } as const
  const hasCode = codeOf(landing) !== undefined
  if (hasCode !== cancel) return undefined
  return cancel
    ? { reason: 'the login was not given up: it was redirected with a code', exitCode: 3 }
    : { reason: `${describeLanding(landing)} (--cancel records how a login is given up)`, exitCode: 2 }
}
