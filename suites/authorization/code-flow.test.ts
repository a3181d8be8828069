import { kindOf, quoted } from '../../src/check/expect.ts'
import {
  codeOf,
  expectRedirect,
  landingLabel,
  landingPhrase,
  stateProblem,
  tokensOf,
  valuesOf,
} from '../../src/check/landing.ts'
import { login } from '../../src/check/options.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { randomValue } from '../../src/oauth/pkce.ts'
import { sameAddress } from '../../src/oauth/redirect-uri.ts'
import { check } from './requirements.ts'

const noRedirect = [
  'the valid request did not reach the redirect URI',
  { dependsOn: ['AUTHZ-CODE-FLOW'] },
] as const

check(
  'AUTHZ-CODE-FLOW',
  'a valid request returns a code after the user signs in',
  login,
  async ({ authorization, expect }) => {
    expect.sending('the valid request, with a user who signs in')
    const { landing, evidence } = await authorization.first()
    expect.that(
      Boolean(codeOf(landing)),
      'a redirect to the redirect URI with a code',
      evidence === undefined ? landingPhrase(landing) : `${landingPhrase(landing)}, although ${evidence}`,
    )
  },
)

check(
  'AUTHZ-CODE-ADDRESS',
  'the code is sent to the redirect URI of the request',
  login,
  async ({ authorization, expect, inconclusive }) => {
    const { request, landing } = await authorization.first()
    if (landing.kind !== 'redirect' || codeOf(landing) === undefined) return inconclusive(...noRedirect)
    expect.that(
      sameAddress(landing.location, request.redirectUri),
      'the redirect URI of the request, with parameters added to its query',
      'an address with another scheme, host, port or path',
    )
    const lost = [...new URL(request.redirectUri).searchParams].filter(
      ([name, value]) => landing.query.get(name) !== value,
    )
    expect.that(
      lost.length === 0,
      'every parameter of the redirect URI of the request',
      `${lost.length} of its parameters missing`,
    )
  },
)

check(
  'AUTHZ-STATE-ECHO',
  'the state beside a code is that of the request, byte for byte',
  login,
  async ({ authorization, expect, note }) => {
    // A state consists of visible ASCII characters and spaces (RFC 6749, appendix A.5).
    const state = `A+b c%20d/E?f=G&h#i;j,k'L~==${randomValue()}${'x'.repeat(100)}`
    expect.sending('the valid request with reserved characters in its state')
    const { landing } = await authorization.authorize('signed-in', { state })
    expectRedirect(expect, landing)
    expect.that(codeOf(landing) !== undefined, 'a redirect with a code', landingPhrase(landing))
    const problem = stateProblem(landing, state)
    const lengths = valuesOf(landing, 'state').map(({ length }) => length)
    expect.that(
      problem === undefined,
      `the state of the request (${state.length} characters)`,
      lengths.length === 0 ? 'no state' : `${problem} (${lengths.join(' and ')} characters)`,
    )
    if (lengths.length > 1) note('the redirect has more than one state')
  },
)

check(
  'AUTHZ-STATE-CHARACTERS',
  'the response to a state with non-ASCII characters is recorded',
  login,
  async ({ authorization, observe }) => {
    const state = `Ä€😀${Math.random()}`
    const { landing } = await authorization.authorize('passive', { state })
    const echoed = landing.kind === 'redirect' && landing.query.get('state') === state
    observe('authorization.state-not-ascii', echoed ? 'comes back' : `changed, or ${landingLabel(landing)}`)
  },
)

check(
  'AUTHZ-RESPONSE-QUERY',
  'the code is in the query',
  login,
  async ({ authorization, expect, inconclusive }) => {
    const { landing } = await authorization.first()
    if (landing.kind !== 'redirect' || codeOf(landing) === undefined) return inconclusive(...noRedirect)
    expect.that(!landing.fragment.has('code'), 'a fragment without code', 'a fragment with the code')
    expect.that(landing.query.has('code'), 'code in the query', 'code in a form post')
  },
)

check(
  'AUTHZ-NO-TOKEN',
  'no token is beside the code',
  login,
  async ({ authorization, expect, note, inconclusive }) => {
    const { landing } = await authorization.first()
    if (landing.kind !== 'redirect') return inconclusive(...noRedirect)
    const tokens = tokensOf(landing)
    expect.that(tokens.length === 0, 'a redirect without tokens', `a redirect with ${tokens.join(', ')}`)
    const others = [...landing.query, ...landing.fragment].filter(
      ([name, value]) => name !== 'code' && name !== 'state' && decodeJwt(value),
    )
    if (others.length > 0) note('a parameter beside code and state is a JWT')
  },
)

check(
  'AUTHZ-CODE-FRESH',
  'two authorizations return different codes',
  login,
  async ({ authorization, expect }) => {
    const first = await authorization.firstCode()
    const second = codeOf((await authorization.repeated()).landing) ?? (await authorization.code()).code
    expect.that(first.code !== second, 'two different codes', 'the same code twice')
  },
)

check(
  'AUTHZ-ISS',
  '`iss` beside the code is the issuer',
  login,
  async ({ authorization, discovery, expect, target, inconclusive, notApplicable }) => {
    const { landing } = await authorization.first()
    if (landing.kind !== 'redirect') return inconclusive(...noRedirect)
    const iss = landing.query.get('iss') ?? landing.fragment.get('iss')
    if (iss === null) return notApplicable('no iss is beside the code', 'target')
    const problem = await discovery.issuerProblem(iss)
    expect.that(problem === undefined, `iss=${quoted(target.issuer)}`, problem ?? '')
  },
)

check(
  'AUTHZ-EXTERNAL-USER-ID',
  '`am-ext-user-id` beside the code is recorded',
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
    if (repeated.length > 0) note('the redirect has a parameter more than once')
  },
)

check(
  'AUTHZ-SUCCESS-STATUS',
  'the status of the redirect with the code is recorded',
  login,
  async ({ authorization, observe, inconclusive }) => {
    const { landing } = await authorization.first()
    if (landing.kind !== 'redirect')
      return inconclusive(landingLabel(landing), { dependsOn: ['AUTHZ-CODE-FLOW'] })
    observe('authorization.success-status', landing.status)
  },
)
