import { login } from '../../src/check/check-options.ts'
import { kindOf, quotedOrMasked } from '../../src/check/expect.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { check } from './requirements.ts'
import { codeExchange, returnedBy } from './sources.ts'

check('IDTOKEN-JWT', 'the ID token is a JWT', login, async ({ tokens, expect }) => {
  expect.describeRequest(returnedBy(codeExchange, 'idToken'))
  const { idToken } = await tokens.first()
  if (idToken === undefined) return inconclusive('there is no ID token', ['TOKEN-ID-TOKEN-ISSUED'])
  expect.that(decodeJwt(idToken) !== undefined, 'a JWT of three parts', 'not a JWT')
})

check('ACCESSTOKEN-JWT', 'the access token is a JWT', login, async ({ tokens, expect }) => {
  expect.describeRequest(returnedBy(codeExchange, 'accessToken'))
  const { accessToken } = await tokens.first()
  expect.that(decodeJwt(accessToken) !== undefined, 'a JWT of three parts', 'not a JWT')
})

const tokens = [
  ['idToken', 'IDTOKEN', 'the ID token'],
  ['accessToken', 'ACCESSTOKEN', 'the access token'],
] as const
for (const [kind, prefix, name] of tokens) {
  check(`${prefix}-ALG`, `${name} is signed with RS256`, login, async ({ tokens, expect }) => {
    expect.describeRequest(returnedBy(codeExchange, kind))
    const { header } = await tokens.jwt(kind)
    expect.that(header.alg === 'RS256', 'alg RS256', `alg ${quotedOrMasked(header.alg)}`)
  })

  check(`${prefix}-KID`, `the header of ${name} has a \`kid\``, login, async ({ tokens, expect }) => {
    expect.describeRequest(returnedBy(codeExchange, kind))
    const { header } = await tokens.jwt(kind)
    expect.that(
      typeof header.kid === 'string' && header.kid !== '',
      'kid as a non-empty string',
      `kid: ${kindOf(header.kid)}`,
    )
  })

  check(
    `${prefix}-SIGNATURE`,
    `the key named by \`kid\` verifies ${name}`,
    login,
    async ({ discovery, tokens, expect }) => {
      expect.describeRequest(returnedBy(codeExchange, kind))
      const token = await tokens.jwt(kind)
      const { kid, alg } = token.header
      if (typeof kid !== 'string' || kid === '') return inconclusive(`${name} has no kid`, [`${prefix}-KID`])
      if (alg !== 'RS256') return inconclusive(`${name} is not signed with RS256`, [`${prefix}-ALG`])
      if ((await discovery.publishedWith(kid)) === 0)
        return inconclusive(`the key set lacks the key of ${name}`, ['KEYSET-HOLDS-SIGNER'])
      const verdict = await discovery.verify(token)
      expect.that(verdict.valid, 'a signature that verifies', verdict.valid ? '' : verdict.reason)
    },
  )
}
