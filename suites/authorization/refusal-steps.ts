import type { RefusedAuthorization } from '../../src/check/authorization/authorization-log.ts'
import type { AuthorizationSteps } from '../../src/check/authorization/authorization-steps.ts'
import type { CompletedLanding } from '../../src/check/authorization/landing-content.ts'
import { unlessUndecided } from '../../src/check/obstacle.ts'
import { RunSteps } from '../../src/check/run-steps.ts'
import { applicationOf } from '../../src/target/parts.ts'
import {
  cancellation,
  malformedRequests,
  type RequestFlaw,
  silentLogin,
  unsupportedResponseTypes,
} from './flaws.ts'

const invalidRequests = [...malformedRequests, ...unsupportedResponseTypes, silentLogin, cancellation]

/** Authorization requests that must be refused. Each is sent once per run, and its checks share it. */
export class RefusalSteps extends RunSteps<{ readonly authorization: AuthorizationSteps }> {
  /** The landing of a request with a flaw, once per run. Requires that the valid request has returned a code. */
  landingOf({ difference, user, changes }: RequestFlaw): Promise<CompletedLanding> {
    const { target } = this.run
    return this.run.once([this.landingOf, difference], async () => {
      await this.steps.authorization.firstCode()
      const { landing } =
        user === 'new-login'
          ? await this.steps.authorization.authorizeWithoutSession(changes(target), difference)
          : await this.steps.authorization.authorize(user, changes(target), applicationOf(target), difference)
      return landing
    })
  }

  /** All refused requests of the run. First sends the requests of `invalidRequests` that the run has not sent yet. */
  async all(): Promise<readonly RefusedAuthorization[]> {
    for (const request of invalidRequests) {
      const isKnown = this.run.authorizationLog.refusals.some(
        ({ difference }) => difference === request.difference,
      )
      // The checks of this request report why its landing is inconclusive.
      if (!isKnown) await unlessUndecided(this.landingOf(request))
    }
    return this.run.authorizationLog.refusals
  }

  /** Makes refusals evidence of the check. */
  show(refusals: readonly RefusedAuthorization[]): void {
    for (const { exchanges } of refusals) this.run.recorder.useAsEvidence(exchanges)
  }
}
