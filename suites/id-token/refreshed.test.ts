import { login } from '../../src/check/check-options.ts'
import { requireSimilarClocks } from '../../src/check/clock.ts'
import { differentValue } from '../../src/check/expect.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { isAuthorizedParty, reachesLevel } from '../../src/oauth/id-token.ts'
import { decodeJwt } from '../../src/oauth/jwt.ts'
import { check } from './requirements.ts'
import { type Rule, rules } from './rules.ts'
import { refresh, refreshedJwt, returnedBy, tokenKinds } from './sources.ts'

/** The Date header has whole seconds: the largest error of the target's clock, in milliseconds. */
const clockErrorMs = 2000

/** Rules on ID tokens alone (section Authentication, 5). */
const idTokenRules = [
  {
    name: 'AZP',
    expected: 'azp, if present, equal to the application',
    problemOf: ({ claims }, _, { application }) =>
      isAuthorizedParty(claims, application.id) ? undefined : differentValue('azp', claims.azp),
  },
  {
    name: 'ACR',
    expected: 'acr, if present, at or above REQUIRED_ACR',
    problemOf: ({ claims }, _, { target: { requiredAcr, acrOrder } }) =>
      claims.acr === undefined || reachesLevel(claims, requiredAcr, acrOrder) !== 'below'
        ? undefined
        : differentValue('acr', claims.acr),
  },
] as const satisfies readonly Rule[]

for (const token of tokenKinds) {
  for (const rule of rules)
    checkRefreshed(
      `${token.prefix}-REFRESHED-${rule.name}`,
      `the ${rule.name.toLowerCase()} of a refreshed ${token.name} is valid`,
      token,
      rule,
      `${token.prefix}-${rule.name}`,
    )
}

for (const rule of idTokenRules)
  checkRefreshed(
    `IDTOKEN-REFRESHED-${rule.name}`,
    `the \`${rule.name.toLowerCase()}\` of a refreshed ID token is valid`,
    tokenKinds[0],
    rule,
    `IDTOKEN-${rule.name}`,
  )

/**
 * Defines a check of a rule on a token of the first refresh.
 * @param ofExchange the requirement that judges the rule on the code exchange
 */
function checkRefreshed(
  id: Parameters<typeof check>[0],
  checkName: string,
  { kind, prefix, name }: (typeof tokenKinds)[number],
  { name: rule, expected, problemOf }: Rule,
  ofExchange: RequirementId,
): void {
  check(id, checkName, login, async (context) => {
    const { tokens, expect, clockOffsetMs } = context
    const first = await tokens.jwt(kind)
    const { receivedAt } = await tokens.first()
    const { before, response } = await tokens.firstRefresh()
    const token = refreshedJwt(tokens, response, kind)
    if (!token)
      return inconclusive('the token is not a JWT', [
        kind === 'accessToken' ? 'SUBJECT-AFTER-REFRESH' : 'SUBJECT-REFRESHED-ID-TOKEN',
      ])
    const offset = (rule === 'EXPIRY' ? requireSimilarClocks(clockOffsetMs()) : clockOffsetMs()) ?? 0
    const firstProblem = (leewayMs: number) => problemOf(first, kind, context, receivedAt + offset + leewayMs)
    if ((await firstProblem(0)) !== undefined)
      return inconclusive(`the ${name} of the code exchange already violates this rule`, [ofExchange])
    const { sentAt, durationMs } = response.exchange
    const problem = await problemOf(token, kind, context, sentAt + durationMs + offset)
    if (problem !== undefined && (await firstProblem(clockErrorMs)) !== undefined)
      return inconclusive('both tokens expire within the error of the clock')
    const exchanged = decodeJwt(before[kind] ?? '')
    if (
      problem !== undefined &&
      exchanged &&
      (await problemOf(exchanged, kind, context, before.receivedAt + offset)) !== undefined
    )
      return inconclusive(
        `the ${name} of the exchange that issued the refresh token already violates this rule`,
        [`${prefix}-LATER`],
      )
    expect.describeRequest(returnedBy(refresh, kind))
    expect.that(problem === undefined, expected, problem ?? '')
  })
}
