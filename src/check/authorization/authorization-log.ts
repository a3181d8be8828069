import type { Exchange } from '../../evidence/exchange.ts'
import type { AuthorizationRequest } from '../../oauth/authorization-request.ts'
import type { CompletedLanding } from './landing-content.ts'

/** A refused authorization request (`isRefusedLanding`). */
export interface RefusedAuthorization {
  /** How it differs from the valid request; follows the word "request". */
  readonly difference: string
  /** Whether the specification requires it to be refused. */
  readonly isRequired: boolean
  readonly request: AuthorizationRequest
  readonly landing: CompletedLanding
  readonly exchanges: readonly Exchange[]
}

/** A redirect back to the application, with its request. */
export interface ReceivedRedirect {
  readonly request: AuthorizationRequest
  readonly landing: Extract<CompletedLanding, { kind: 'redirect' }>
  readonly exchanges: readonly Exchange[]
}

/** An error page in place of a redirect, with its request. */
export interface ReceivedErrorPage {
  readonly request: AuthorizationRequest
  readonly landing: Extract<CompletedLanding, { kind: 'page' }>
  readonly exchanges: readonly Exchange[]
}

/** How the target answered the authorization requests of a run. */
export class AuthorizationLog {
  /** Every redirect back to the application, in order. */
  readonly redirects: ReceivedRedirect[] = []
  /** Every page with an error status that is the direct response to a request, in order. */
  readonly errorPages: ReceivedErrorPage[] = []
  /** Refused requests of the application (`isRefusedLanding`). */
  readonly refusals: RefusedAuthorization[] = []
  /** Client ids of applications for which a user has completed every page, if any. */
  readonly mayHaveConsentedTo = new Set<string>()
  /** Whether the target shows a login page to users without a session before it refuses their requests. */
  refusesAfterLogin = false
}
