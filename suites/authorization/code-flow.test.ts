import { codeOf } from '../../src/check/authorization/landing-content.ts'
import { landingLabel, landingPhrase } from '../../src/check/authorization/landing-text.ts'
import { login } from '../../src/check/check-options.ts'
import { kindOf } from '../../src/check/expect.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { check } from './requirements.ts'

const noRedirect = ['the valid request did not reach the redirect URI', ['AUTHZ-CODE-FLOW']] as const

check(
  'AUTHZ-CODE-FLOW',
  'a valid request returns a code after the user signs in',
  login,
  async ({ authorization, expect }) => {
    expect.describeRequest('the valid request, with a user who signs in')
    const { landing, evidence } = await authorization.first()
    expect.that(
      Boolean(codeOf(landing)),
      'a redirect to the redirect URI with a code',
      evidence === undefined ? landingPhrase(landing) : `${landingPhrase(landing)}, although ${evidence}`,
    )
  },
)

check(
  'AUTHZ-STATE-CHARACTERS',
  'the response to a state with non-ASCII characters is recorded',
  login,
  async ({ authorization, observe }) => {
    const { request, landing } = await authorization.unusual('non-ASCII characters in its state')
    const echoed = landing.kind === 'redirect' && landing.query.get('state') === request.state
    observe(
      'authorization.state-not-ascii',
      echoed ? 'returned unchanged' : `changed, or ${landingLabel(landing)}`,
    )
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
  'AUTHZ-EXTERNAL-USER-ID',
  '`am-ext-user-id` in the redirect with the code is recorded',
  login,
  async ({ authorization, observe }) => {
    const { landing } = await authorization.first()
    if (landing.kind !== 'redirect') return inconclusive(...noRedirect)
    observe('authorization.am-ext-user-id', kindOf(landing.query.get('am-ext-user-id') ?? undefined))
  },
)

check(
  'AUTHZ-RESPONSE-PARAMETERS',
  'other parameters of the redirect with the code are recorded',
  login,
  async ({ authorization, observe, note }) => {
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
  async ({ authorization, observe }) => {
    const { landing } = await authorization.first()
    if (landing.kind !== 'redirect') return inconclusive(landingLabel(landing), ['AUTHZ-CODE-FLOW'])
    observe('authorization.success-status', landing.status)
  },
)
