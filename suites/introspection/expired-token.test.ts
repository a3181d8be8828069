import { loginUntilExpiry } from '../../src/check/check-options.ts'
import { check } from './requirements.ts'

check(
  'INTROSPECTION-EXPIRED',
  'an expired token is not active',
  loginUntilExpiry,
  async ({ resources, expiry, expect }) => {
    await resources.availableIntrospection()
    expect.describeRequest('the same request with the same access token after it has expired')
    const response = await expiry.responseAfter({
      send: (token) => resources.introspect({ token }),
      accepts: ({ object }) => object?.active === true,
      control: 'INTROSPECTION-ACTIVE',
    })
    expect.that(response.object?.active !== true, 'an inactive token', 'active true')
  },
)
