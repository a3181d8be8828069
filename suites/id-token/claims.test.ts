import { kindOf } from '../../src/check/expect.ts'
import {
  isAuthorizedParty,
  isMeantFor,
  namesAuthorizedParty,
  reachesLevel,
} from '../../src/oauth/id-token.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

for (const [kind, id] of [
  ['idToken', 'IDTOKEN-ISSUER'],
  ['accessToken', 'ACCESSTOKEN-ISSUER'],
] as const) {
  check(id, 'iss is the issuer', login, async ({ tokens, discovery, expect, target }) => {
    const { claims } = await tokens.jwt(kind)
    const problem = await discovery.issuerProblem(claims.iss)
    expect.that(problem === undefined, `iss ${JSON.stringify(target.issuer)}`, problem ?? '')
  })
}

check(
  'IDTOKEN-AUDIENCE',
  'the application is in aud of the ID token',
  login,
  async ({ tokens, expect, target }) => {
    const { claims } = await tokens.jwt('idToken')
    expect.that(
      isMeantFor(claims, target.application.id),
      'aud with CLIENT_ID as a whole element',
      `it was ${kindOf(claims.aud)} without it`,
    )
  },
)

check(
  'ACCESSTOKEN-AUDIENCE',
  'the access token has an audience',
  login,
  async ({ tokens, expect, observe, target }) => {
    const { claims } = await tokens.jwt('accessToken')
    const audiences = Array.isArray(claims.aud) ? claims.aud : [claims.aud]
    expect.that(
      audiences.length > 0 && audiences.every((one) => typeof one === 'string' && one !== ''),
      'aud as a non-empty string, or an array of them',
      `it was ${kindOf(claims.aud)}`,
    )
    observe('access-token.aud-is-client', audiences.includes(target.application.id))
  },
)

check(
  'IDTOKEN-AZP',
  'azp, where present, is the application',
  login,
  async ({ tokens, expect, target, notApplicable }) => {
    const { claims } = await tokens.jwt('idToken')
    if (claims.azp === undefined) return notApplicable('the ID token carries no azp', 'target')
    expect.that(
      isAuthorizedParty(claims, target.application.id),
      'azp equal to CLIENT_ID',
      `it was ${kindOf(claims.azp)}, another value`,
    )
  },
)

check('IDTOKEN-AZP-SEVERAL', 'several audiences come with azp', login, async ({ tokens, expect, basis }) => {
  const { claims } = await tokens.jwt('idToken')
  const audiences = Array.isArray(claims.aud) ? claims.aud.length : 1
  expect.that(
    namesAuthorizedParty(claims),
    'azp beside several audiences',
    `there were ${audiences} audiences and no azp`,
  )
  basis({ audiences })
})

check('IDTOKEN-NONCE', 'nonce is the one that was sent', login, async ({ tokens, expect }) => {
  const { claims } = await tokens.jwt('idToken')
  const { request } = await tokens.first()
  expect.that(
    claims.nonce === request.nonce,
    'the nonce of the request',
    `it was ${kindOf(claims.nonce)}, another value`,
  )
})

check(
  'IDTOKEN-NONCE-OWN',
  'a second authorization has a nonce of its own',
  login,
  async ({ tokens, expect, basis, inconclusive }) => {
    const { claims } = await tokens.jwt('idToken')
    const { request: first } = await tokens.first()
    if (claims.nonce !== first.nonce)
      return inconclusive('the first ID token has the wrong nonce already', { dependsOn: ['IDTOKEN-NONCE'] })
    const { token, request } = await tokens.secondIdToken()
    expect.that(
      token.claims.nonce === request.nonce,
      'the nonce of the second request',
      token.claims.nonce === first.nonce
        ? 'it was the nonce of the first one'
        : `it was ${kindOf(token.claims.nonce)}, another value`,
    )
    basis({ authorizations: 2 })
  },
)

check(
  'IDTOKEN-ACR',
  'acr is not below the requested level',
  { effects: ['login'], needs: ['user', 'requiredAcr'] },
  async ({ tokens, expect, target: { requiredAcr, acrOrder }, observe, inconclusive }) => {
    const { claims } = await tokens.jwt('idToken')
    observe(
      'id-token.acr',
      typeof claims.acr === 'string' && acrOrder?.includes(claims.acr) ? claims.acr : kindOf(claims.acr),
    )
    const reached = reachesLevel(claims, requiredAcr, acrOrder)
    if (reached === 'unknown') {
      return inconclusive('acr is another level than requested, and ACR_ORDER does not say which is higher', {
        variables: ['ACR_ORDER'],
        advice: 'set ACR_ORDER to all levels, weakest first',
      })
    }
    expect.that(
      reached === 'reached',
      'acr at or above REQUIRED_ACR',
      typeof claims.acr === 'string' ? 'it was a weaker level' : `it was ${kindOf(claims.acr)}`,
    )
  },
)

for (const [kind, id] of [
  ['idToken', 'IDTOKEN-CLAIMS'],
  ['accessToken', 'ACCESSTOKEN-CLAIMS'],
] as const) {
  check(id, 'names of the claims are recorded', login, async ({ tokens, observe }) => {
    const { claims } = await tokens.jwt(kind)
    observe(`${kind === 'idToken' ? 'id-token' : 'access-token'}.claims`, Object.keys(claims).sort())
  })
}
