import { describeLanding, expectRedirect, expectRefused } from '../../src/check/landing.ts'
import { check } from './requirements.ts'

check(
  'AUTHZ-USER-CANCEL',
  'a user who cancels comes back with access_denied',
  { effects: ['login'], needs: ['user'] },
  async ({ identity, expect }) => {
    expect.sending('a good request, cancelled by the user')
    const { landing } = await identity.cancelledAuthorization()
    expectRefused(expect, expectRedirect(expect, landing), 'access_denied')
  },
)

check(
  'AUTHZ-CONSENT-REFUSED',
  'a user who refuses consent comes back with access_denied',
  { effects: ['login'], needs: ['user', 'secondApplication'] },
  async ({ identity, target, expect, notApplicable }) => {
    const second = target.secondApplication
    const { landing: control } = await identity.once('second application', () =>
      identity.authorize('onlooker', {}, second),
    )
    if (control.kind !== 'consent-page')
      return notApplicable(
        `needs a consent page of the second application, but ${describeLanding(control)}`,
        'target',
      )
    expect.sending('a good request of the second application, cancelled at the consent page')
    const { landing } = await identity.authorize('refuser', {}, second)
    expectRefused(expect, expectRedirect(expect, landing), 'access_denied')
  },
)
