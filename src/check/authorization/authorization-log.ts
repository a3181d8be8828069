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
  /** How it differs from the valid request; follows the word "request". */
  readonly difference: string
  /** Whether the specification requires it to be refused. */
  readonly isRequired: boolean
}

/** A redirect back to the application, with its request. */
export type ReceivedRedirect = Received<Redirect>

/** An error page in place of a redirect, with its request. */
export type ReceivedErrorPage = Received<EndPage>

/** How the target answered the authorization requests of a run. */
export class AuthorizationLog {
  /** Every redirect back to the application, in order. */
  readonly redirects: ReceivedRedirect[] = []
  /** Every page with an error status that is the direct response to a request, in order. */
  readonly errorPages: ReceivedErrorPage[] = []
  /** Refused requests of the application (`isRefusedLanding`). */
  readonly refusals: RefusedAuthorization[] = []
  /**
   * Client ids of applications that the user may have consented to: a request for each was sent for a user who signs
   * in.
   */
  readonly mayHaveConsentedTo = new Set<string>()
  /** Whether the target shows a login page to users without a session before it refuses their requests. */
  refusesAfterLogin = false
}
