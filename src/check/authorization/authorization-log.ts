import type { EndPage, Redirect } from '../../browser/landing.ts'
import type { Exchange } from '../../evidence/exchange.ts'
import type { AuthorizationRequest } from '../../oauth/authorization-request.ts'
import type { CompletedLanding } from './landing-content.ts'

interface Received<Landing extends CompletedLanding> {
  readonly request: AuthorizationRequest
  readonly landing: Landing
  readonly exchanges: readonly Exchange[]
}

/** A refused authorization request (`isRefusedLanding`). */
export interface RefusedAuthorization extends Received<CompletedLanding> {
  /** The difference from the valid request, such as `without nonce`; follows the word "request". */
  readonly difference: string
  /** Whether the specification requires the refusal. */
  readonly isRequired: boolean
}

/** A redirect back to the application, with its request. */
export type ReceivedRedirect = Received<Redirect>

/** An error page in place of a redirect, with its request. */
export type ReceivedErrorPage = Received<EndPage>

/** The authorization requests of a run, with the redirects and pages at which they ended. */
export class AuthorizationLog {
  readonly redirects: ReceivedRedirect[] = []
  /** Every page with an error status that is the direct response to a request, in order. */
  readonly errorPages: ReceivedErrorPage[] = []
  /** Refused requests of the application (`isRefusedLanding`). */
  readonly refusals: RefusedAuthorization[] = []
  /** Client ids of applications to which the user may have consented, since the user signed in for their requests. */
  readonly mayHaveConsentedTo = new Set<string>()
  /** Whether the target shows a login page to users without a session before it refuses their requests. */
  refusesAfterLogin = false
}
