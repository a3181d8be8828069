import type { ReceivedRedirect, RefusedAuthorization } from './landing-content.ts'

/** How the target answered the authorization requests of a run. */
export class AuthorizationLog {
  /** Every redirect back to the application, in order. */
  readonly redirects: ReceivedRedirect[] = []
  /** Refused requests of the application (`isRefusedLanding`). */
  readonly refusals: RefusedAuthorization[] = []
  /** Client ids of applications for which a user has completed every page, if any. */
  readonly mayHaveConsentedTo = new Set<string>()
  /** Whether the target shows a login page to users without a session before it refuses their requests. */
  refusesAfterLogin = false
}
