import type { Page } from 'playwright'
import { newWindows, UserAgent } from '../browser/index.ts'
import { codeOf } from '../check/authorization/landing-content.ts'
import { landingSentence } from '../check/authorization/landing-text.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Budget } from '../http/budget.ts'
import { causeOf, HttpFailure } from '../http/failures.ts'
import { authorizationRequest } from '../oauth/authorization-request.ts'
import { withBrowser, withContext } from '../run/context.ts'
import { exitCodeOfFailure } from '../run/sign-in.ts'
import { applicationOf } from '../target/parts.ts'
import type { Target } from '../target/target.ts'
import { type RecordedActions, recordActions } from './action-recorder.ts'

export interface RecordingOptions {
  /** Hosts that pages may load from, besides those of the target. */
  readonly hosts: readonly string[]
  readonly signal: AbortSignal
  readonly budget: Budget
  readonly onOpen: () => void
  /** Acts on the page instead of a person. The browser then has no window. */
  readonly actor?: (page: Page) => void
}

/** The actions of a person, the end of the login, and a function that removes the secrets of the login. */
export interface ManualLogin extends RecordedActions {
  readonly scrub: <T>(data: T) => T
}

/** Why a recipe, a login or a recording failed, and the exit code for it. */
export interface LoginFailure {
  readonly reason: string
  readonly exitCode: ExitCode<'inconclusive' | 'setup'>
}

/**
 * Shows the login page in a window, and records until the login ends or the person closes the window.
 * @throws {SetupError} if the browser does not start, or the target has no application
 */
export async function recordManualLogin(
  { loginRecipe: _, claimRecipe: _c, ...target }: Target,
  { hosts: moreHosts, signal, budget, onOpen, actor }: RecordingOptions,
): Promise<ManualLogin> {
  const hosts = [...target.hosts, ...moreHosts]
  return withBrowser({ ...target, hosts }, { headed: actor === undefined, signal }, (launched) =>
    withContext(target, launched, { budget }, async ({ run }) => {
      const { recorder, vault } = run
      const { redirectUri } = applicationOf(target)
      const redirectUris = [redirectUri]
      const agent = await UserAgent.open(newWindows(launched.browser), {
        budget,
        recorder,
        hosts,
        redirectUris,
        isManual: true,
      })
      const { url, state, nonce, verifier } = authorizationRequest(target)
      vault.add(state, nonce, verifier)
      onOpen()
      const { user } = target
      const options = { redirectUri, budget, ...(user && { user }), ...(actor && { actor }) }
      const recorded = await recordActions(agent, url, options)
      return { ...recorded, scrub: (data) => vault.scrubAll(data) }
    }),
  )
}

/** Why a recording is unusable; undefined if the login ended as expected. */
export function recordingFailure(
  { end, refusedHosts }: ManualLogin,
  cancel: boolean,
): LoginFailure | undefined {
  if (end === undefined) {
    const needs = refusedHosts.slice(0, 5).join(', ')
    const hint = needs && `; the pages also need ${needs}, which --host permits`
    return { reason: `the window was closed before the login ended${hint}`, exitCode: exitCodes.setup }
  }
  if ('failure' in end) {
    const { failure } = end
    if (!(failure instanceof HttpFailure)) throw failure
    const hint = failure.kind === 'host-refused' ? '; --host permits it for this recording' : ''
    return { reason: failure.message + hint, exitCode: exitCodeOfFailure(causeOf(failure)) }
  }
  const landing = { kind: 'redirect', interactive: true, ...end.redirect } as const
  const hasCode = codeOf(landing) !== undefined
  if (hasCode !== cancel) return undefined
  return cancel
    ? { reason: 'the login was not cancelled: it was redirected with a code', exitCode: exitCodes.setup }
    : {
        reason: `${landingSentence(landing)} (--cancel records how to cancel a login)`,
        exitCode: exitCodes.inconclusive,
      }
}
