import type { CompletedLanding } from '../../src/check/authorization/landing-content.ts'
import { expectRefused } from '../../src/check/authorization/landing-expectations.ts'
import { beforeSecondConsent, login } from '../../src/check/check-options.ts'
import { refusedConsent } from './consent.ts'
import { cancellation } from './flaws.ts'
import { requireInteraction } from './interaction.ts'
import { type AuthorizationContext, check } from './requirements.ts'

const consentRefused = 'the valid request of the second application, cancelled on the consent page'

check('AUTHZ-USER-CANCEL', 'a user who cancels the login receives no code', login, async (context) => {
  expectRefused(context.expect, await cancelledLanding(context))
})

check('AUTHZ-USER-CANCEL-ERROR', 'a cancelled login returns `access_denied`', login, async (context) => {
  const landing = await cancelledLanding(context)
  await context.authorizationErrors.expectRefusedAs('AUTHZ-USER-CANCEL', landing, ['access_denied'])
})

check(
  'AUTHZ-CONSENT-REFUSED',
  'a user who cancels on the consent page receives no code',
  beforeSecondConsent,
  async (context) => {
    context.expect.describeRequest(consentRefused)
    expectRefused(context.expect, await refusedConsent(context))
  },
)

check(
  'AUTHZ-CONSENT-REFUSED-ERROR',
  'refused consent returns `access_denied`',
  beforeSecondConsent,
  async (context) => {
    context.expect.describeRequest(consentRefused)
    const landing = await refusedConsent(context)
    await context.authorizationErrors.expectRefusedAs('AUTHZ-CONSENT-REFUSED', landing, ['access_denied'])
  },
)

/** The landing of a request that the user cancels on the login page. */
async function cancelledLanding(context: AuthorizationContext): Promise<CompletedLanding> {
  context.expect.describeRequest('the valid request, cancelled by the user on the login page')
  const landing = await context.refusals.landingOf(cancellation)
  await requireInteraction(context, landing)
  return landing
}
