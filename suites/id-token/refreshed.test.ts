import { login } from '../../src/check/check-options.ts'
import { requireSimilarClocks } from '../../src/check/clock.ts'
import { differentValue } from '../../src/check/expect.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import { reachesLevel } from '../../src/oauth/id-token.ts'
import { type DecodedJwt, decodeJwt } from '../../src/oauth/jwt.ts'
import { applicationOf } from '../../src/target/parts.ts'
import type { Target } from '../../src/target/target.ts'
import { check } from './requirements.ts'
import { rules } from './rules.ts'
import { refresh, returnedBy } from './sources.ts'

/** The Date header has whole seconds: the largest error of the target's clock, in milliseconds. */
const clockErrorMs = 2000
type Claims = DecodedJwt['claims']

for (const [kind, prefix, name] of [
  ['idToken', 'IDTOKEN', 'ID token'],
  ['accessToken', 'ACCESSTOKEN', 'access token'],
] as const) {
  for (const { name: rule, expected, problemOf } of rules) {
    check(
      `${prefix}-REFRESHED-${rule}`,
      `the ${rule.toLowerCase()} of a refreshed ${name} is valid`,
      login,
      async ({ tokens, discovery, application, expect, clockOffsetMs }) => {
        const context = { discovery, application }
        const first = await tokens.jwt(kind)
        const { receivedAt } = await tokens.first()
        const { before, response } = await tokens.firstRefresh()
        const { accessToken } = tokens.refreshedTokens(response)
        const refreshed = kind === 'accessToken' ? accessToken : response.object?.id_token
        if (refreshed === undefined)
          return notApplicable('refreshes of this target return no ID token, which is optional', 'target')
        const token = typeof refreshed === 'string' ? decodeJwt(refreshed) : undefined
        if (!token)
          return inconclusive('the token is not a JWT', [
            kind === 'accessToken' ? 'SUBJECT-AFTER-REFRESH' : 'SUBJECT-REFRESHED-ID-TOKEN',
          ])
        const offset = rule === 'EXPIRY' ? requireSimilarClocks(clockOffsetMs()) : clockOffsetMs()
        const firstProblem = (leewayMs: number) =>
          problemOf(first, kind, context, receivedAt + (offset ?? 0) + leewayMs)
        if ((await firstProblem(0)) !== undefined)
          return inconclusive(`the ${name} of the code exchange already violates this rule`, [
            `${prefix}-${rule}`,
          ])
        const { sentAt, durationMs } = response.exchange
        const problem = await problemOf(token, kind, context, sentAt + durationMs + (offset ?? 0))
        if (problem !== undefined && (await firstProblem(clockErrorMs)) !== undefined)
          return inconclusive('both tokens expire within the error of the clock')
        const exchanged = decodedOf(before[kind])
        const exchangedAt = before.receivedAt + (offset ?? 0)
        if (
          problem !== undefined &&
          exchanged &&
          (await problemOf(exchanged, kind, context, exchangedAt)) !== undefined
        )
          return inconclusive(alreadyViolated(name), [`${prefix}-LATER`])
        expect.describeRequest(returnedBy(refresh, kind))
        expect.that(problem === undefined, expected, problem ?? '')
      },
    )
  }
}

/** Rules on ID tokens alone (section Authentication, 5). */
const idTokenRules = [
  {
    id: 'IDTOKEN-REFRESHED-AZP',
    rule: 'IDTOKEN-AZP',
    claim: 'azp',
    expected: 'azp, if present, equal to the application',
    holds: ({ azp }: Claims, target: Target) => azp === undefined || azp === applicationOf(target).id,
  },
  {
    id: 'IDTOKEN-REFRESHED-ACR',
    rule: 'IDTOKEN-ACR',
    claim: 'acr',
    expected: 'acr, if present, at or above REQUIRED_ACR',
    holds: (claims: Claims, { requiredAcr, acrOrder }: Target) =>
      claims.acr === undefined || reachesLevel(claims, requiredAcr, acrOrder) !== 'below',
  },
] as const

for (const { id, rule, claim, expected, holds } of idTokenRules) {
  check(
    id,
    `the \`${claim}\` of a refreshed ID token is valid`,
    login,
    async ({ tokens, target, expect }) => {
      const first = await tokens.jwt('idToken')
      const { before, response } = await tokens.firstRefresh()
      tokens.refreshedTokens(response)
      const refreshed = response.object?.id_token
      if (refreshed === undefined)
        return notApplicable('refreshes of this target return no ID token, which is optional', 'target')
      const token = typeof refreshed === 'string' ? decodeJwt(refreshed) : undefined
      if (!token) return inconclusive('the token is not a JWT', ['SUBJECT-REFRESHED-ID-TOKEN'])
      if (!holds(first.claims, target))
        return inconclusive('the ID token of the code exchange already violates this rule', [rule])
      const exchanged = decodedOf(before.idToken)
      if (!holds(token.claims, target) && exchanged && !holds(exchanged.claims, target))
        return inconclusive(alreadyViolated('ID token'), ['IDTOKEN-LATER'])
      const actual = token.claims[claim]
      expect.describeRequest(returnedBy(refresh, 'idToken'))
      expect.that(holds(token.claims, target), expected, differentValue(claim, actual))
    },
  )
}

function decodedOf(compact: string | undefined): DecodedJwt | undefined {
  return compact === undefined ? undefined : decodeJwt(compact)
}

function alreadyViolated(name: string): string {
  return `the ${name} of the exchange that issued the refresh token already violates this rule`
}
