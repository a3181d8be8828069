import type { CheckContext } from '../../src/check/fixtures.ts'
import { codeOf, describeLanding, errorOf } from '../../src/check/landing.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check(
  'AUTHZ-ERROR-REDIRECT',
  'an error comes back to the application',
  login,
  async ({ authorization, expect, inconclusive }) => {
    expect.sending('a good request with response_type=token')
    const { landing } = await authorization.refused()
    if (landing.kind === 'redirect' && codeOf(landing) !== undefined)
      return inconclusive('it was not refused', { dependsOn: ['AUTHZ-RESPONSE-TYPE'] })
    expect.that(
      errorOf(landing) !== undefined,
      'a redirect to the redirect URI with an error',
      describeLanding(landing),
    )
  },
)

check(
  'AUTHZ-REDIRECT-302',
  'an error comes with status 302',
  login,
  async ({ expect, authorization, inconclusive }) => {
    const { landing } = await refusal({ authorization, expect, inconclusive })
    expect.that(landing.status === 302, 'status 302', `the redirect had status ${landing.status}`)
  },
)

check(
  'AUTHZ-ERROR-QUERY',
  'an error is in the query',
  login,
  async ({ expect, authorization, inconclusive }) => {
    const { landing } = await refusal({ authorization, expect, inconclusive })
    expect.that(landing.query.has('error'), 'error in the query', 'it was elsewhere')
  },
)

check(
  'AUTHZ-ERROR-STATE',
  'state comes back with an error',
  login,
  async ({ expect, authorization, inconclusive }) => {
    const { request, landing } = await refusal({ authorization, expect, inconclusive })
    const echoed = landing.query.get('state') ?? landing.fragment.get('state')
    expect.that(
      echoed === request.state,
      'the state of the request beside the error',
      echoed === null ? 'it was absent' : 'it was another one',
    )
  },
)

check(
  'AUTHZ-ERROR-WITHOUT-CODE',
  'an error comes without a code',
  login,
  async ({ expect, authorization, inconclusive }) => {
    const { landing } = await refusal({ authorization, expect, inconclusive })
    expect.that(codeOf(landing) === undefined, 'an error without a code', 'it came with a code')
  },
)

check(
  'AUTHZ-ERROR-WITHOUT-CODE',
  'the error of a user who cancelled comes without a code',
  login,
  async ({ authorization, expect, inconclusive }) => {
    const { landing } = await authorization.cancelled()
    if (errorOf(landing) === undefined)
      return inconclusive(`${describeLanding(landing)}`, { dependsOn: ['AUTHZ-USER-CANCEL'] })
    expect.that(codeOf(landing) === undefined, 'an error without a code', 'it came with a code')
  },
)

check(
  'AUTHZ-ERROR-PARAMETERS',
  'parameters beside an error are recorded',
  login,
  async ({ observe, authorization, expect, inconclusive }) => {
    const { landing } = await refusal({ authorization, expect, inconclusive })
    observe('authorization.error-parameters', [...new Set<string>(landing.query.keys())].sort())
  },
)

/** The shared refusal, where it came back to the application with an error. */
async function refusal({
  authorization,
  expect,
  inconclusive,
}: Pick<CheckContext, 'authorization' | 'expect' | 'inconclusive'>) {
  expect.sending('a good request with response_type=token')
  const { request, landing } = await authorization.refused()
  if (landing.kind === 'redirect' && errorOf(landing) !== undefined) return { request, landing }
  return inconclusive(`${describeLanding(landing)}`, { dependsOn: ['AUTHZ-ERROR-REDIRECT'] })
}
