import { expectRefused } from '../../src/check/authorization/landing-expectations.ts'
import { beforeSecondConsent, login } from '../../src/check/check-options.ts'
import { refusedConsent } from './consent.ts'
import { cancellation } from './flaws.ts'
import { requireInteraction } from './interaction.ts'
import { check } from './requirements.ts'

const cancelled = 'the valid request, cancelled by the user on the login page'
const consentRefused = 'the valid request of the second application, cancelled on the consent page'

check(
  'AUTHZ-USER-CANCEL',
  'a user who cancels the login receives no code',
  login,
  async ({ authorization, refusals, expect }) => {
    expect.describeRequest(cancelled)
    const { landing } = await refusals.landingOf(cancellation)
    await requireInteraction({ authorization }, landing)
    expectRefused(expect, landing)
  },
)

check(
  'AUTHZ-USER-CANCEL-ERROR',
  'a cancelled login is refused with `access_denied`',
  login,
  async ({ authorization, authorizationErrors, refusals, expect }) => {
    expect.describeRequest(cancelled)
    const { landing } = await refusals.landingOf(cancellation)
    await requireInteraction({ authorization }, landing)
    const judged = { requirement: 'AUTHZ-USER-CANCEL', errorRequirement: 'AUTHZ-USER-CANCEL-ERROR' } as const
    await authorizationErrors.expectRefusedAs(judged, landing, ['access_denied'])
  },
)

check(
  'AUTHZ-CONSENT-REFUSED',
  'a user who cancels on the consent page receives no code',
  beforeSecondConsent,
  async ({ run, authorization, once, target, expect }) => {
    expect.describeRequest(consentRefused)
    expectRefused(expect, await refusedConsent({ run, authorization, once, target }))
  },
)

check(
  'AUTHZ-CONSENT-REFUSED-ERROR',
  'refused consent returns `access_denied`',
  beforeSecondConsent,
  async ({ run, authorization, authorizationErrors, once, target, expect }) => {
    expect.describeRequest(consentRefused)
    const landing = await refusedConsent({ run, authorization, once, target })
    const judged = {
      requirement: 'AUTHZ-CONSENT-REFUSED',
      errorRequirement: 'AUTHZ-CONSENT-REFUSED-ERROR',
    } as const
    await authorizationErrors.expectRefusedAs(judged, landing, ['access_denied'])
  },
)
