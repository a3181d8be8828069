import { codeOf, describeLanding, errorOf, expectRedirect } from '../../src/check/landing.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check(
  'AUTHZ-CODE-FLOW',
  'the user signs in and comes back with a code',
  login,
  async ({ identity, expect }) => {
    expect.sending('a complete authorization request, answered by signing in')
    const { landing } = await identity.firstAuthorization()
    expect.that(
      codeOf(landing) !== undefined,
      'a redirect to the redirect URI with a code',
      describeLanding(landing),
    )
  },
)

check('AUTHZ-STATE-ECHO', 'state comes back byte for byte', login, async ({ identity, expect }) => {
  const state = `A+b c%20d/E?f=G&h#i;j,k'L~Ä€😀==${Math.random()}`
  expect.sending('a state with reserved and non-ASCII characters')
  const { landing } = await identity.authorize('signed-in', { state })
  const { query, fragment } = expectRedirect(expect, landing)
  const echoed = query.get('state') ?? fragment.get('state')
  expect.that(
    echoed === state,
    'state with the same bytes',
    echoed === null ? 'it was absent' : `it differed (${echoed.length} characters for ${state.length})`,
  )
})

check(
  'AUTHZ-STATE-ECHO',
  'state comes back with an error',
  login,
  async ({ identity, expect, inconclusive }) => {
    expect.sending('a good request with response_type=token')
    const { request, landing } = await identity.refusedAuthorization()
    if (landing.kind !== 'redirect' || errorOf(landing) === undefined)
      return inconclusive(`${describeLanding(landing)}; see AUTHZ-REDIRECT-302`)
    const echoed = landing.query.get('state') ?? landing.fragment.get('state')
    expect.that(
      echoed === request.state,
      'the state of the request beside the error',
      echoed === null ? 'it was absent' : 'it was another one',
    )
  },
)

check(
  'AUTHZ-RESPONSE-QUERY',
  'an error is in the query',
  login,
  async ({ identity, expect, inconclusive }) => {
    expect.sending('a good request with response_type=token')
    const { landing } = await identity.refusedAuthorization()
    if (landing.kind !== 'redirect' || errorOf(landing) === undefined)
      return inconclusive(`${describeLanding(landing)}; see AUTHZ-REDIRECT-302`)
    expect.that(landing.query.has('error'), 'error in the query', 'it was elsewhere')
  },
)

check(
  'AUTHZ-RESPONSE-QUERY',
  'code and tokens are not in the fragment',
  login,
  async ({ identity, expect, inconclusive }) => {
    const { landing } = await identity.firstAuthorization()
    if (landing.kind !== 'redirect')
      return inconclusive('the flow did not reach the redirect URI; see AUTHZ-CODE-FLOW')
    const { query, fragment } = landing
    const inFragment = ['code', 'access_token', 'id_token'].filter((name) => fragment.has(name))
    expect.that(
      inFragment.length === 0,
      'a fragment without code or token',
      `it carried ${inFragment.join(', ')}`,
    )
    expect.that(query.has('code') || codeOf(landing) === undefined, 'code in the query', 'it was elsewhere')
    const tokens = ['access_token', 'id_token', 'refresh_token'].filter((name) => query.has(name))
    expect.that(tokens.length === 0, 'a query without tokens', `it carried ${tokens.join(', ')}`)
  },
)

check('AUTHZ-CODE-FRESH', 'two authorizations bring two codes', login, async ({ identity, expect }) => {
  const first = await identity.code()
  const second = await identity.code()
  expect.that(first.code !== second.code, 'two different codes', 'the same code came twice')
})

check(
  'AUTHZ-RESPONSE-PARAMETERS',
  'parameters beside the code are recorded',
  login,
  async ({ identity, observe, target, note, inconclusive }) => {
    const { landing } = await identity.firstAuthorization()
    if (landing.kind !== 'redirect')
      return inconclusive('the flow did not reach the redirect URI; see AUTHZ-CODE-FLOW')
    observe('authorization.response-parameters', [...new Set<string>(landing.query.keys())].sort())
    if (landing.query.has('iss') && landing.query.get('iss') !== target.issuer) {
      note('iss of the authorization response is not IDP_BASE_URL')
    }
  },
)
