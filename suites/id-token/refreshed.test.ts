import { login } from '../../src/check/check-options.ts'
import { requireSimilarClocks } from '../../src/check/clock.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { check } from './requirements.ts'
import { type Rule, refreshedIdTokenRules, rules } from './rules.ts'
import { refresh, refreshedJwt, returnedBy, tokenKinds } from './sources.ts'

/** Maximum error of the measured clock of the target in milliseconds: the Date header has whole seconds. */
const clockErrorMs = 2000

type Token = (typeof tokenKinds)[number]

for (const token of tokenKinds) {
  for (const rule of rules)
    check(
      `${token.prefix}-REFRESHED-${rule.name}`,
      `the ${rule.name.toLowerCase()} of a refreshed ${token.name} is valid`,
      login,
      (context) => judge(context, token, rule),
    )
}

for (const rule of refreshedIdTokenRules)
  check(
    `IDTOKEN-REFRESHED-${rule.name}`,
    `the \`${rule.name.toLowerCase()}\` of a refreshed ID token is valid`,
    login,
    (context) => judge(context, tokenKinds[0], rule),
  )

/**
 * Judges a rule on a token of the first refresh. Inconclusive if a token before it already violates the rule: that of
 * the shared code exchange, or that of the code exchange which returned the refresh token.
 */
async function judge(context: CheckContext, { kind, prefix, name }: Token, rule: Rule): Promise<void> {
  const { tokens, expect, clockOffsetMs } = context
  const sharedToken = await tokens.jwt(kind)
  const { receivedAt } = await tokens.first()
  const { before: beforeRefresh, response } = await tokens.firstRefresh()
  const refreshed = refreshedJwt(tokens, response, kind)
  if (!refreshed)
    return inconclusive('the token is not a JWT', [
      kind === 'accessToken' ? 'SUBJECT-AFTER-REFRESH' : 'SUBJECT-REFRESHED-ID-TOKEN',
    ])
  const offset = (rule.name === 'EXPIRY' ? requireSimilarClocks(clockOffsetMs()) : clockOffsetMs()) ?? 0
  const sharedProblem = (errorMs: number) =>
    rule.problemOf(sharedToken, kind, context, receivedAt + offset + errorMs)
  if ((await sharedProblem(0)) !== undefined)
    return inconclusive(`the ${name} of the code exchange already violates the same rule`, [
      `${prefix}-${rule.name}` as RequirementId,
    ])
  const problem = await rule.problemOf(refreshed, kind, context, response.receivedAt + offset)
  // The token of the code exchange may violate the rule, too, if the measured clock is 2 s wrong.
  if (problem !== undefined && (await sharedProblem(clockErrorMs)) !== undefined)
    return inconclusive('both tokens expire within the error of the clock')
  const tokenBeforeRefresh = decodeJwt(beforeRefresh[kind] ?? '')
  if (
    problem !== undefined &&
    tokenBeforeRefresh &&
    (await rule.problemOf(tokenBeforeRefresh, kind, context, beforeRefresh.receivedAt + offset)) !== undefined
  )
    return inconclusive(
      `the ${name} of the exchange that issued the refresh token already violates the same rule`,
      [`${prefix}-LATER`],
    )
  expect.describeRequest(returnedBy(refresh, kind))
  expect.that(problem === undefined, rule.expected, problem ?? '')
}
