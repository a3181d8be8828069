import { describe } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { expectInvalidTokenStatus } from './bearer.ts'
import { check } from './requirements.ts'

// Runs after all other checks, when the token is older and the wait is shorter.
const slow = { effects: ['login', 'slow'], needs: ['user'], looksBack: true } as const
const sending = 'the same GET with the same access token after it has expired'

check(
  'USERINFO-EXPIRED-TOKEN',
  'an expired token is refused',
  slow,
  async ({ expiry, once, provider, expect }) => {
    expect.sending(sending)
    const response = await responseAfterExpiry({ expiry, once, provider })
    expect.that(response.status >= 300, 'a refusal', describe(response))
  },
)

check(
  'USERINFO-EXPIRED-TOKEN-ERROR',
  'an expired token is refused with status 401',
  slow,
  async ({ expiry, once, provider, expect, inconclusive }) => {
    expect.sending(sending)
    const response = await responseAfterExpiry({ expiry, once, provider })
    await expectInvalidTokenStatus({ expect, inconclusive, once }, response, 'USERINFO-EXPIRED-TOKEN')
  },
)

function responseAfterExpiry({ expiry, once, provider }: Pick<CheckContext, 'expiry' | 'once' | 'provider'>) {
  return once('UserInfo with an expired token', () =>
    expiry.responseAfter({
      send: (accessToken) => provider.userinfo(accessToken),
      accepts: ({ status }) => status === 200,
      control: 'USERINFO-BEARER',
    }),
  )
}
