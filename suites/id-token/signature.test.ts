import { login } from '../../src/check/check-options.ts'
import { kindOf, quotedOrMasked } from '../../src/check/expect.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { check } from './requirements.ts'
import { codeExchange, returnedBy, tokenKinds } from './sources.ts'

for (const { kind, prefix, name } of tokenKinds) {
  check(`${prefix}-JWT`, `the ${name} is a JWT`, login, async ({ tokens, expect }) => {
    expect.describeRequest(returnedBy(codeExchange, kind))
    const token = (await tokens.first())[kind]
    if (token === undefined) return inconclusive('there is no ID token', ['TOKEN-ID-TOKEN-ISSUED'])
    expect.that(decodeJwt(token) !== undefined, 'a JWT of three parts', 'not a JWT')
  })
}

for (const { kind, prefix, name } of tokenKinds) {
  check(`${prefix}-ALG`, `the ${name} is signed with RS256`, login, async ({ tokens, expect }) => {
    expect.describeRequest(returnedBy(codeExchange, kind))
    const { header } = await tokens.jwt(kind)
    expect.that(header.alg === 'RS256', 'alg RS256', `alg ${quotedOrMasked(header.alg)}`)
  })

  check(`${prefix}-KID`, `the header of the ${name} has a \`kid\``, login, async ({ tokens, expect }) => {
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
    `the key that \`kid\` identifies verifies the ${name}`,
    login,
    async ({ discovery, tokens, expect }) => {
      expect.describeRequest(returnedBy(codeExchange, kind))
      const token = await tokens.jwt(kind)
      const { kid, alg } = token.header
      if (typeof kid !== 'string' || kid === '')
        return inconclusive(`the ${name} has no kid`, [`${prefix}-KID`])
      if (alg !== 'RS256') return inconclusive(`the ${name} is not signed with RS256`, [`${prefix}-ALG`])
      if ((await discovery.publishedWith(kid)) === 0)
        return inconclusive(`the key set lacks the key of the ${name}`, ['KEYSET-HOLDS-SIGNER'])
      const verdict = await discovery.verify(token)
      expect.that(verdict.valid, 'a signature that verifies', verdict.valid ? '' : verdict.reason)
    },
  )
}
