import { kindOf, quoted } from '../../src/check/expect.ts'
import { codeOf, describeLanding, expectRedirect, outcomeOf, tokensOf } from '../../src/check/landing.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { sameAddress } from '../../src/oauth/redirect-uri.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const
const noRedirect = ['the flow did not reach the redirect URI', { dependsOn: ['AUTHZ-CODE-FLOW'] }] as const

check(
  'AUTHZ-CODE-FLOW',
  'the user signs in and comes back with a code',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a complete authorization request, answered by signing in')
    const { landing } = await authorization.first()
    expect.that(
      Boolean(codeOf(landing)),
      'a redirect to the redirect URI with a code',
      describeLanding(landing),
    )
  },
)

check(
  'AUTHZ-CODE-ADDRESS',
  'the code arrives at the redirect URI that was named',
  login,
  async ({ authorization, expect, inconclusive }) => {
    const { request, landing } = await authorization.first()
    if (landing.kind !== 'redirect' || codeOf(landing) === undefined) return inconclusive(...noRedirect)
    expect.that(
      sameAddress(landing.location, request.redirectUri),
      'the redirect URI of the request, with nothing changed but its query',
      'scheme, host, port or path was another one',
    )
    const lost = [...new URL(request.redirectUri).searchParams].filter(
      ([name, value]) => landing.query.get(name) !== value,
    )
    expect.that(
      lost.length === 0,
      'the query of the redirect URI kept',
      `${lost.length} of its members were lost`,
    )
  },
)

check(
  'AUTHZ-STATE-ECHO',
  'state comes back byte for byte',
  login,
  async ({ authorization, expect, note }) => {
    // Visible ASCII characters and the space: a state has no others (RFC 6749, appendix A.5).
    const state = `A+b c%20d/E?f=G&h#i;j,k'L~==${Math.random()}`
    expect.sending('a state with reserved characters')
    const { landing } = await authorization.authorize('signed-in', { state })
    const { query, fragment } = expectRedirect(expect, landing)
    const echoed = query.get('state') ?? fragment.get('state')
    expect.that(
      echoed === state,
      'state with the same bytes',
      echoed === null ? 'it was absent' : `it differed (${echoed.length} characters for ${state.length})`,
    )
    if (query.getAll('state').length > 1) note('state came more than once')
  },
)

check(
  'AUTHZ-STATE-CHARACTERS',
  'what becomes of a state outside ASCII is recorded',
  login,
  async ({ authorization, observe }) => {
    const state = `Ä€😀${Math.random()}`
    const { landing } = await authorization.authorize('onlooker', { state })
    const echoed = landing.kind === 'redirect' && landing.query.get('state') === state
    observe('authorization.state-not-ascii', echoed ? 'comes back' : `changed, or ${outcomeOf(landing)}`)
  },
)

check(
  'AUTHZ-RESPONSE-QUERY',
  'the code is in the query',
  login,
  async ({ authorization, expect, inconclusive }) => {
    const { landing } = await authorization.first()
    if (landing.kind !== 'redirect' || codeOf(landing) === undefined) return inconclusive(...noRedirect)
    expect.that(!landing.fragment.has('code'), 'a fragment without code', 'it carried the code')
    expect.that(landing.query.has('code'), 'code in the query', 'it was elsewhere')
  },
)

check(
  'AUTHZ-NO-TOKEN',
  'no token accompanies the code',
  login,
  async ({ authorization, expect, note, inconclusive }) => {
    const { landing } = await authorization.first()
    if (landing.kind !== 'redirect') return inconclusive(...noRedirect)
    const tokens = tokensOf(landing)
    expect.that(tokens.length === 0, 'a redirect without tokens', `it carried ${tokens.join(', ')}`)
    const others = [...landing.query, ...landing.fragment].filter(
      ([name, value]) => name !== 'code' && name !== 'state' && decodeJwt(value),
    )
    if (others.length > 0) note('a parameter beside code and state is a JWT')
  },
)

check('AUTHZ-CODE-FRESH', 'two authorizations bring two codes', login, async ({ authorization, expect }) => {
  const first = await authorization.firstCode()
  const second = codeOf((await authorization.repeated()).landing) ?? (await authorization.code()).code
  expect.that(first.code !== second, 'two different codes', 'the same code came twice')
})

check(
  'AUTHZ-ISS',
  'iss beside the code is the issuer',
  login,
  async ({ authorization, discovery, expect, target, inconclusive, notApplicable }) => {
    const { landing } = await authorization.first()
    if (landing.kind !== 'redirect') return inconclusive(...noRedirect)
    const iss = landing.query.get('iss') ?? landing.fragment.get('iss')
    if (iss === null) return notApplicable('no iss accompanies the code', 'target')
    const problem = await discovery.issuerProblem(iss)
    expect.that(problem === undefined, `iss=${quoted(target.issuer)}`, problem ?? '')
  },
)

check(
  'AUTHZ-EXTERNAL-USER-ID',
  'am-ext-user-id beside the code is recorded',
  login,
  async ({ authorization, observe, inconclusive }) => {
    const { landing } = await authorization.first()
    if (landing.kind !== 'redirect') return inconclusive(...noRedirect)
    observe('authorization.am-ext-user-id', kindOf(landing.query.get('am-ext-user-id') ?? undefined))
  },
)

check(
  'AUTHZ-RESPONSE-PARAMETERS',
  'parameters beside the code are recorded',
  login,
  async ({ authorization, observe, note, inconclusive }) => {
    const { landing } = await authorization.first()
    if (landing.kind !== 'redirect') return inconclusive(...noRedirect)
    const names = [...landing.query.keys()].sort()
    observe('authorization.response-parameters', [...new Set<string>(names)])
    const repeated = names.filter((name, index) => names.indexOf(name) < index)
    if (repeated.length > 0) note('a parameter of the response came more than once')
  },
)

check(
  'AUTHZ-SUCCESS-STATUS',
  'the status of the redirect with the code is recorded',
  login,
  async ({ authorization, observe, inconclusive }) => {
    const { landing } = await authorization.first()
    if (landing.kind !== 'redirect')
      return inconclusive(outcomeOf(landing), { dependsOn: ['AUTHZ-CODE-FLOW'] })
    observe('authorization.success-status', landing.status)
  },
)
