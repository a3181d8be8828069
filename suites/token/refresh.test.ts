import { setTimeout as sleep } from 'node:timers/promises'
import { login, loginAndBadCredentials } from '../../src/check/check-options.ts'
import { kindOf } from '../../src/check/expect.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import { usableToken } from '../../src/oauth/token-keeper.ts'
import { expiresInProblem, type MemberProblem, scopeProblem, tokenTypeProblem } from './members.ts'
import { noteOtherError } from './refusal-checks.ts'
import { check } from './requirements.ts'

check('TOKEN-REFRESH', 'a refresh returns an access token', login, async ({ tokens, expect }) => {
  const { response } = await tokens.firstRefresh()
  expect.describeRequest('a refresh with the refresh token of the code exchange')
  expect.status(response, 200)
  expect.text(response.object?.access_token, 'access_token')
})

check(
  'TOKEN-REFRESH-NEW',
  'a refresh returns a new access token',
  login,
  async ({ tokens, expect, note }) => {
    const { before, response } = await tokens.firstRefresh()
    let { accessToken } = tokens.refreshedTokens(response)
    if (accessToken === before.accessToken) {
      // Two JWTs that are issued in the same second are equal if they have no unique claim. So a later refresh
      // decides.
      await sleep(1100)
      const later = await (await tokens.keeper()).refresh()
      if (later) accessToken = tokens.refreshedTokens(later).accessToken
      if (accessToken !== before.accessToken) note('a refresh within a second returns the same access token')
    }
    expect.that(
      accessToken !== before.accessToken,
      'an access token that differs from the one before the refresh',
      'the same access token, even more than a second later',
    )
  },
)

check(
  'TOKEN-REFRESH-ROTATION',
  'rotation of the refresh token is recorded',
  login,
  async ({ tokens, observe }) => {
    const { before, response } = await tokens.firstRefresh()
    // Inconclusive if the refresh returned no tokens; so in the checks below.
    tokens.refreshedTokens(response)
    const after = response.object?.refresh_token
    observe(
      'token.refresh-rotation',
      after === undefined ? 'omitted' : after === before.refreshToken ? 'repeated' : 'rotated',
    )
  },
)

check(
  'TOKEN-REFRESH-TOKEN-FORM',
  'the refresh token of a refresh response is a string',
  login,
  async ({ tokens, expect }) => {
    const { response } = await tokens.firstRefresh()
    tokens.refreshedTokens(response)
    const { refresh_token: after } = expect.object(response)
    if (after === undefined)
      return notApplicable('the refresh response has no refresh token, which is optional', 'target')
    expect.that(
      usableToken(after) !== undefined,
      'refresh_token as a non-empty string, or none',
      `refresh_token: ${kindOf(after)}`,
    )
  },
)

check(
  'TOKEN-REFRESH-NEWEST',
  'the newest refresh token is accepted',
  login,
  async ({ tokens, sharedRequests, expect }) => {
    expect.describeRequest('a refresh with the newest refresh token, which the last refresh returned or kept')
    const response = await sharedRequests.secondRefresh()
    const { refresh_token: issued } = (await tokens.firstRefresh()).response.object ?? {}
    if (response.status >= 400 && issued !== undefined && usableToken(issued) === undefined)
      return inconclusive('the last refresh returned no refresh token that can be sent', [
        'TOKEN-REFRESH-TOKEN-FORM',
      ])
    expect.status(response, 200)
    expect.text(response.object?.access_token, 'access_token')
  },
)

const refreshMembers: readonly (readonly [
  id: Parameters<typeof check>[0],
  name: string,
  problemOf: MemberProblem,
  expected: string,
  /** The requirement on the same member after a code exchange. */
  idOfExchange: RequirementId,
])[] = [
  ['TOKEN-REFRESH-SCOPE', 'scope', scopeProblem, 'a non-empty string', 'TOKEN-SCOPE'],
  ['TOKEN-REFRESH-TYPE', 'token_type', tokenTypeProblem, 'bearer, in any letter case', 'TOKEN-TYPE-BEARER'],
  ['TOKEN-REFRESH-EXPIRES-IN', 'expires_in', expiresInProblem, 'a positive whole number', 'TOKEN-EXPIRES-IN'],
]
for (const [id, name, problemOf, expected, idOfExchange] of refreshMembers) {
  check(id, `${name} of a refresh response is ${expected}`, login, async ({ tokens, expect }) => {
    const { before, response } = await tokens.firstRefresh()
    tokens.refreshedTokens(response)
    if (problemOf(before.response.object ?? {}) !== undefined)
      return inconclusive('the code exchange violates this rule as well, or could not be judged', [
        idOfExchange,
        'TOKEN-LATER',
      ])
    const problem = problemOf(expect.object(response))
    expect.that(problem === undefined, `${name} as ${expected}`, problem ?? '')
  })
}

check(
  'TOKEN-REFRESH-UNKNOWN',
  'a refresh token that was never issued is refused',
  loginAndBadCredentials,
  async ({ sharedRequests, expect, note }) => {
    expect.describeRequest('an otherwise valid refresh with a refresh token that was never issued')
    const response = await sharedRequests.unknownRefreshToken()
    expect.refused(response)
    noteOtherError({ note }, 'an unknown refresh token', response)
  },
)
