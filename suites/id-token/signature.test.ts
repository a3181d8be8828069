import { kindOf, quoted } from '../../src/check/expect.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check(
  'IDTOKEN-JWT',
  'the ID token is a JWT signed with RS256',
  login,
  async ({ identity, expect, inconclusive }) => {
    const { idToken } = await identity.tokens()
    if (idToken === undefined) return inconclusive('there is no ID token; see TOKEN-ID-TOKEN-ISSUED')
    const decoded = decodeJwt(idToken)
    expect.that(decoded !== undefined, 'a JWT of three parts', 'it was not one')
    expect.that(decoded?.header.alg === 'RS256', 'alg RS256', `alg was ${quoted(decoded?.header.alg)}`)
  },
)

check('IDTOKEN-KID', 'the header of the ID token carries kid', login, async ({ identity, expect }) => {
  const { header } = await identity.jwt('idToken')
  expect.that(
    typeof header.kid === 'string' && header.kid !== '',
    'kid as a non-empty string',
    `it was ${kindOf(header.kid)}`,
  )
})

check(
  'IDTOKEN-SIGNATURE',
  'the key named by kid verifies the ID token',
  login,
  async ({ identity, expect, inconclusive }) => {
    const token = await identity.jwt('idToken')
    if (typeof token.header.kid !== 'string')
      return inconclusive('the ID token names no key; see IDTOKEN-KID')
    if (token.header.alg !== 'RS256')
      return inconclusive('the ID token is not signed with RS256; see IDTOKEN-JWT')
    const verdict = await identity.verify(token)
    expect.that(verdict.valid, 'a signature that verifies', verdict.valid ? '' : verdict.reason)
  },
)

check(
  'ACCESSTOKEN-JWT',
  'the access token is a JWT signed with RS256 by a named key',
  login,
  async ({ identity, expect }) => {
    const { accessToken } = await identity.tokens()
    const decoded = decodeJwt(accessToken)
    expect.that(decoded !== undefined, 'a JWT of three parts', 'it was not one')
    expect.that(decoded?.header.alg === 'RS256', 'alg RS256', `alg was ${quoted(decoded?.header.alg)}`)
    expect.text(decoded?.header.kid, 'kid')
  },
)

check(
  'ACCESSTOKEN-SIGNATURE',
  'the key named by kid verifies the access token',
  login,
  async ({ identity, expect, inconclusive }) => {
    const token = await identity.jwt('accessToken')
    if (typeof token.header.kid !== 'string' || token.header.alg !== 'RS256') {
      return inconclusive('the access token is not signed with RS256 by a named key; see ACCESSTOKEN-JWT')
    }
    const verdict = await identity.verify(token)
    expect.that(verdict.valid, 'a signature that verifies', verdict.valid ? '' : verdict.reason)
  },
)
