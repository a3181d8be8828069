import { login } from '../../src/check/check-options.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import { expiresInProblem, scopeProblem, separatorProblem, tokenTypeProblem } from './members.ts'
import { check } from './requirements.ts'

check('TOKEN-SCOPE', '`scope` is a string', login, async ({ tokens, expect, note }) => {
  const body = expect.object((await tokens.first()).response)
  const problem = scopeProblem(body)
  expect.that(problem === undefined, 'scope as a non-empty string', problem ?? '')
  if (body.scope === undefined) note('the token response has no scope, which is optional')
})

check(
  'TOKEN-SCOPE-SEPARATOR',
  'scopes are separated by spaces',
  login,
  async ({ tokens, expect, target, basis }) => {
    const { scope } = expect.object((await tokens.first()).response)
    if (scope === undefined)
      return notApplicable('the token response has no scope, which is optional', 'target')
    if (typeof scope !== 'string') return inconclusive('scope is not a string', ['TOKEN-SCOPE'])
    const scopes = scope.split(' ')
    const problem = separatorProblem({ scope }, target.scope)
    if (scopes.length === 1 && scope !== '' && problem === undefined)
      return notApplicable('one scope was granted, so there is no separator', 'target')
    expect.that(
      problem === undefined && scope !== '',
      'scopes with one space between them',
      problem ?? 'an empty string',
    )
    basis({ scopes: scopes.length })
  },
)

check('TOKEN-TYPE-BEARER', '`token_type` is bearer', login, async ({ tokens, expect, note }) => {
  const body = expect.object((await tokens.first()).response)
  const problem = tokenTypeProblem(body)
  expect.that(problem === undefined, 'token_type bearer, in any letter case', problem ?? '')
  if (body.token_type !== 'bearer') note('token_type has capital letters')
})

check('TOKEN-EXPIRES-IN', '`expires_in` is a whole number of seconds', login, async ({ tokens, expect }) => {
  const problem = expiresInProblem(expect.object((await tokens.first()).response))
  expect.that(problem === undefined, 'expires_in as a positive whole number', problem ?? '')
})

check(
  'TOKEN-REFRESH-TOKEN-ISSUED',
  'a code exchange returns a refresh token',
  login,
  async ({ tokens, expect, target }) => {
    const token = (await tokens.first()).response.object?.refresh_token
    const advice = refreshTokenAdvice(target.scope)
    expect.that(token !== undefined, 'refresh_token as a non-empty string', 'refresh_token: absent', advice)
    expect.text(token, 'refresh_token')
  },
)

check('TOKEN-ID-TOKEN-ISSUED', 'a code exchange returns an ID token', login, async ({ tokens, expect }) => {
  const { response } = await tokens.first()
  expect.text(response.object?.id_token, 'id_token')
})

/** Advice if there is no refresh token: some providers issue one only on request (OpenID Connect Core, 11). */
function refreshTokenAdvice(scope: string): string {
  const registration =
    'whether the application is registered for refresh tokens, which some providers require'
  return scope.split(' ').includes('offline_access')
    ? `check first ${registration}`
    : `check SCOPE first: some providers issue a refresh token only if it contains offline_access; then check ${registration}`
}
