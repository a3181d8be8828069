import { kindOf, quoted } from '../../src/check/expect.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check('IDTOKEN-ISSUER', 'iss of the ID token is the issuer', login, async ({ identity, expect, target }) => {
  const { claims } = await identity.jwt('idToken')
  expect.that(
    claims.iss === target.issuer,
    `iss ${JSON.stringify(target.issuer)}`,
    `it was ${quoted(claims.iss)}`,
  )
})

check(
  'ACCESSTOKEN-ISSUER',
  'iss of the access token is the issuer',
  login,
  async ({ identity, expect, target }) => {
    const { claims } = await identity.jwt('accessToken')
    expect.that(
      claims.iss === target.issuer,
      `iss ${JSON.stringify(target.issuer)}`,
      `it was ${quoted(claims.iss)}`,
    )
  },
)

check(
  'IDTOKEN-AUDIENCE',
  'the application is in aud of the ID token',
  login,
  async ({ identity, expect, target }) => {
    const { claims } = await identity.jwt('idToken')
    const audiences = Array.isArray(claims.aud) ? claims.aud : [claims.aud]
    expect.that(
      audiences.includes(target.application.id),
      'aud with CLIENT_ID as a whole element',
      `it was ${kindOf(claims.aud)} without it`,
    )
  },
)

check(
  'IDTOKEN-AZP',
  'azp, where present, is the application',
  login,
  async ({ identity, expect, target, note, notApplicable }) => {
    const { claims } = await identity.jwt('idToken')
    if (claims.azp === undefined) {
      if (Array.isArray(claims.aud) && claims.aud.length > 1)
        note('the ID token has several audiences and no azp')
      return notApplicable('the ID token carries no azp', 'target')
    }
    expect.that(
      claims.azp === target.application.id,
      'azp equal to CLIENT_ID',
      `it was ${kindOf(claims.azp)}, another value`,
    )
  },
)

check(
  'IDTOKEN-NONCE',
  'nonce is the one that was sent, in two authorizations',
  login,
  async ({ identity, expect, basis }) => {
    const first = await identity.jwt('idToken')
    const { request } = await identity.tokens()
    expect.that(
      first.claims.nonce === request.nonce,
      'the nonce of the request',
      `it was ${kindOf(first.claims.nonce)}, another value`,
    )
    const second = await identity.secondIdToken()
    expect.that(
      second.token.claims.nonce === second.request.nonce,
      'the nonce of the second request',
      second.token.claims.nonce === request.nonce
        ? 'it was the nonce of the first one'
        : `it was ${kindOf(second.token.claims.nonce)}, another value`,
    )
    basis({ authorizations: 2 })
  },
)

check(
  'IDTOKEN-ACR',
  'acr is not below the requested level',
  { effects: ['login'], needs: ['user', 'requiredAcr'] },
  async ({ identity, expect, target: { requiredAcr, acrOrder }, observe, inconclusive }) => {
    const { claims } = await identity.jwt('idToken')
    observe(
      'id-token.acr',
      typeof claims.acr === 'string' && acrOrder?.includes(claims.acr) ? claims.acr : kindOf(claims.acr),
    )
    const reached = acrOrder?.indexOf(String(claims.acr)) ?? -1
    if (claims.acr !== requiredAcr && claims.acr !== undefined && reached < 0) {
      return inconclusive(
        'acr is another level than requested, and ACR_ORDER does not say which is higher',
        'configuration',
      )
    }
    expect.that(
      claims.acr === requiredAcr ||
        (acrOrder !== undefined && reached >= acrOrder.indexOf(requiredAcr ?? '')),
      'acr at or above REQUIRED_ACR',
      claims.acr === undefined ? 'it was absent' : 'it was a weaker level',
    )
  },
)

check(
  'IDTOKEN-SUBJECT',
  'sub is the same in ID token and access token',
  login,
  async ({ identity, expect }) => {
    const { claims } = await identity.jwt('idToken')
    const { claims: access } = await identity.jwt('accessToken')
    expect.text(claims.sub, 'sub of the ID token')
    expect.that(
      access.sub === claims.sub,
      'the same sub in the access token',
      `it was ${kindOf(access.sub)}, another value`,
    )
  },
)

check(
  'SUBJECT-STABLE',
  'sub is the same after another login',
  login,
  async ({ identity, expect, inconclusive, basis }) => {
    const { claims: first } = await identity.jwt('idToken')
    const { claims: second } = await identity.ownIdToken()
    if (typeof first.sub !== 'string') return inconclusive('the ID token has no sub; see IDTOKEN-SUBJECT')
    expect.that(
      second.sub === first.sub,
      'the sub of the first login',
      `it was ${kindOf(second.sub)}, another value`,
    )
    basis({ logins: 2 })
  },
)
