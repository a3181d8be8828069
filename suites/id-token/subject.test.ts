import { kindOf } from '../../src/check/expect.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

for (const [kind, id] of [
  ['idToken', 'IDTOKEN-SUBJECT'],
  ['accessToken', 'ACCESSTOKEN-SUBJECT'],
] as const) {
  check(id, 'sub is a string', login, async ({ tokens, expect }) => {
    const { claims } = await tokens.jwt(kind)
    expect.text(claims.sub, 'sub')
  })
}

check(
  'SUBJECT-SAME',
  'sub is the same in ID token and access token',
  login,
  async ({ tokens, expect, inconclusive }) => {
    const { claims } = await tokens.jwt('idToken')
    const { claims: access } = await tokens.jwt('accessToken')
    if (typeof claims.sub !== 'string')
      return inconclusive('sub is no string', { dependsOn: ['IDTOKEN-SUBJECT'] })
    if (typeof access.sub !== 'string')
      return inconclusive('sub is no string', { dependsOn: ['ACCESSTOKEN-SUBJECT'] })
    expect.that(access.sub === claims.sub, 'the same sub in both', 'the access token had another one')
  },
)

check(
  'SUBJECT-STABLE',
  'sub is the same after another login',
  login,
  async ({ tokens, expect, inconclusive, basis }) => {
    const { claims: first } = await tokens.jwt('idToken')
    const { claims: second } = await tokens.ownIdToken()
    if (typeof first.sub !== 'string')
      return inconclusive('sub is no string', { dependsOn: ['IDTOKEN-SUBJECT'] })
    expect.that(
      second.sub === first.sub,
      'the sub of the first login',
      `it was ${kindOf(second.sub)}, another value`,
    )
    basis({ logins: 2 })
  },
)

check(
  'SUBJECT-AFTER-REFRESH',
  'the access token of a refresh is about the same user',
  login,
  async ({ tokens, expect, inconclusive }) => {
    const { claims: before } = await tokens.jwt('accessToken')
    if (typeof before.sub !== 'string')
      return inconclusive('sub is no string', { dependsOn: ['ACCESSTOKEN-SUBJECT'] })
    const { response } = await tokens.firstRefresh()
    const after = decodeJwt(tokens.ofRefresh(response).accessToken)
    expect.that(after !== undefined, 'a JWT like the access token before', 'it was none')
    expect.that(
      after?.claims.sub === before.sub,
      'the sub of the access token before',
      `it was ${kindOf(after?.claims.sub)}, another value`,
    )
  },
)

check(
  'SUBJECT-REFRESHED-ID-TOKEN',
  'the ID token of a refresh is about the same user',
  login,
  async ({ tokens, expect, inconclusive, notApplicable }) => {
    const { claims: before } = await tokens.jwt('idToken')
    if (typeof before.sub !== 'string')
      return inconclusive('sub is no string', { dependsOn: ['IDTOKEN-SUBJECT'] })
    const { response } = await tokens.firstRefresh()
    tokens.ofRefresh(response)
    const { id_token: idToken } = response.object ?? {}
    if (idToken === undefined) return notApplicable('this provider gives no ID token on a refresh', 'target')
    const after = typeof idToken === 'string' ? decodeJwt(idToken) : undefined
    expect.that(after !== undefined, 'a JWT like the ID token before', 'it was none')
    expect.that(
      after?.claims.sub === before.sub,
      'the sub of the ID token before',
      `it was ${kindOf(after?.claims.sub)}, another value`,
    )
  },
)
