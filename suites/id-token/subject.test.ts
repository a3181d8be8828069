import { login } from '../../src/check/check-options.ts'
import { differentValue } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { decodedToken } from '../../src/check/tokens/issued-tokens.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { check } from './requirements.ts'
import { codeExchange, refresh, refreshedJwt, returnedBy, secondCodeExchange, tokenKinds } from './sources.ts'

for (const { kind, prefix } of tokenKinds) {
  check(
    `${prefix}-SUBJECT`,
    '`sub` is a string that is not the application',
    login,
    async ({ tokens, expect, application }) => {
      expect.describeRequest(returnedBy(codeExchange, kind))
      const { claims } = await tokens.jwt(kind)
      const sub = expect.text(claims.sub, 'sub')
      expect.that(sub !== application.id, 'sub of a user', 'sub equal to CLIENT_ID')
    },
  )
}

check(
  'SUBJECT-SAME',
  'whether ID token and access token have the same `sub` is recorded',
  login,
  async ({ tokens, observe }) => {
    const { claims } = await tokens.jwt('idToken')
    const { claims: access } = await tokens.jwt('accessToken')
    observe('subject.same-in-both-tokens', access.sub === claims.sub)
  },
)

for (const [kind, id, subjectId] of [
  ['idToken', 'SUBJECT-STABLE', 'IDTOKEN-SUBJECT'],
  ['accessToken', 'SUBJECT-STABLE-ACCESS-TOKEN', 'ACCESSTOKEN-SUBJECT'],
] as const) {
  check(id, '`sub` is the same after another login', login, async ({ tokens, expect, basis }) => {
    const { claims: first } = await tokens.jwt(kind)
    if (typeof first.sub !== 'string') return inconclusive('sub is not a string', [subjectId])
    if (kind === 'accessToken' && (await subjectChanges(tokens)))
      return inconclusive('sub of the ID token changes as well', ['SUBJECT-STABLE'])
    const { claims: second } = await tokens.secondLogin.jwt(kind)
    expect.describeRequest(returnedBy(secondCodeExchange, kind))
    expect.that(second.sub === first.sub, 'the sub of the first login', differentValue('sub', second.sub))
    basis({ logins: 2 })
  })
}

for (const [kind, id, subjectId, name] of [
  ['accessToken', 'SUBJECT-AFTER-REFRESH', 'ACCESSTOKEN-SUBJECT', 'access token'],
  ['idToken', 'SUBJECT-REFRESHED-ID-TOKEN', 'IDTOKEN-SUBJECT', 'ID token'],
] as const) {
  check(id, `a refreshed ${name} has the same \`sub\``, login, async ({ tokens, expect }) => {
    const { before, response } = await tokens.firstRefresh()
    const { sub } = decodedToken(before, kind).claims
    if (typeof sub !== 'string') return inconclusive('sub is not a string', [subjectId])
    const after = refreshedJwt(tokens, response, kind)
    expect.describeRequest(returnedBy(refresh, kind))
    expect.that(after !== undefined, `a JWT, like the previous ${name}`, 'not a JWT')
    expect.that(
      after?.claims.sub === sub,
      `the sub of the previous ${name}`,
      differentValue('sub', after?.claims.sub),
    )
  })
}

/** Whether the ID token of another login has another sub. */
async function subjectChanges(tokens: CheckContext['tokens']): Promise<boolean> {
  const { claims: first } = await tokens.jwt('idToken')
  const { claims: second } = await tokens.secondLogin.jwt('idToken')
  return second.sub !== first.sub
}
