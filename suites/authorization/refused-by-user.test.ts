import { describeLanding, expectRedirect, expectRefused } from '../../src/check/landing.ts'
import { check } from './requirements.ts'

check(
  'AUTHZ-USER-CANCEL',
  'a user who cancels comes back with access_denied',
  { effects: ['login'], needs: ['user'] },
  async ({ authorization, expect }) => {
    expect.sending('a good request, cancelled by the user')
    const { landing } = await authorization.cancelled()
    expectRefused(expect, expectRedirect(expect, landing), 'access_denied')
  },
)

check(
  'AUTHZ-CONSENT-REFUSED',
  'a user who refuses consent comes back with access_denied',
  { effects: ['login'], needs: ['user', 'secondApplication'] },
  async ({ authorization, once, target, expect, notApplicable }) => {
    const second = target.secondApplication
    const { landing: control } = await once('second application', () =>
      authorization.authorize('passive', {}, second),
    )
    if (control.kind !== 'consent-page')
      return notApplicable(
        `needs a consent page of the second application, but ${describeLanding(control)}`,
        'target',
      )
    expect.sending('a good request of the second application, cancelled at the consent page')
    const { landing } = await authorization.authorize('denying', {}, second)
    expectRefused(expect, expectRedirect(expect, landing), 'access_denied')
  },
)
