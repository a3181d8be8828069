import { kindOf } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { login } from '../../src/check/options.ts'
import { halfCenturySeconds, isAudience, reachesLevel } from '../../src/oauth/id-token.ts'
import { type DecodedJwt, decodeJwt } from '../../src/oauth/jwt.ts'
import type { Target } from '../../src/target/target.ts'
import { applicationOf } from '../../src/target/target.ts'
import { check } from './requirements.ts'

type Kind = 'idToken' | 'accessToken'

/** The Date header has whole seconds: the largest error of the target's clock, in milliseconds. */
const clockErrorMs = 2000
type Claims = DecodedJwt['claims']

/** A rule on tokens. */
interface Rule {
  readonly name: 'SIGNATURE' | 'ISSUER' | 'AUDIENCE' | 'EXPIRY'
  readonly expected: string
  /**
   * The actual value that violates the rule; undefined if the token follows it.
   * @param receivedAt milliseconds since the epoch, by the clock of the target
   */
  readonly problemOf: (
    token: DecodedJwt,
    kind: Kind,
    context: Pick<CheckContext, 'discovery' | 'target'>,
    receivedAt: number,
  ) => string | undefined | Promise<string | undefined>
}

const rules: readonly Rule[] = [
  {
    name: 'SIGNATURE',
    expected: 'an RS256 signature that the key of its kid verifies',
    problemOf: async (token, _, { discovery }) => {
      const verdict = await discovery.verify(token)
      return verdict.valid ? undefined : verdict.reason
    },
  },
  {
    name: 'ISSUER',
    expected: 'iss equal to IDP_BASE_URL',
    problemOf: ({ claims }, _, { discovery }) => discovery.issuerProblem(claims.iss),
  },
  {
    name: 'AUDIENCE',
    expected: 'an audience; for an ID token, the application',
    problemOf: ({ claims }, kind, { target }) => {
      const audiences = Array.isArray(claims.aud) ? claims.aud : [claims.aud]
      const holds =
        kind === 'idToken'
          ? isAudience(claims, applicationOf(target).id)
          : audiences.length > 0 && audiences.every((one) => typeof one === 'string' && one !== '')
      return holds ? undefined : `aud: ${kindOf(claims.aud)}`
    },
  },
  {
    name: 'EXPIRY',
    expected: 'exp in the future, in seconds',
    problemOf: ({ claims: { exp } }, _, __, receivedAt) => {
      if (typeof exp !== 'number') return `exp: ${kindOf(exp)}`
      const left = exp - receivedAt / 1000
      if (left <= 0) return 'exp in the past'
      return left < halfCenturySeconds ? undefined : 'exp more than half a century away'
    },
  },
]

for (const [kind, prefix, name] of [
  ['idToken', 'IDTOKEN', 'ID token'],
  ['accessToken', 'ACCESSTOKEN', 'access token'],
] as const) {
  for (const { name: rule, expected, problemOf } of rules) {
    check(
      `${prefix}-REFRESHED-${rule}`,
      `the ${rule.toLowerCase()} of a refreshed ${name} is valid`,
      login,
      async ({ tokens, discovery, target, expect, clockOffsetMs, inconclusive, notApplicable }) => {
        const context = { discovery, target }
        const first = await tokens.jwt(kind)
        const { receivedAt } = await tokens.first()
        const { response } = await tokens.firstRefresh()
        const { accessToken } = tokens.ofRefresh(response)
        const refreshed = kind === 'accessToken' ? accessToken : response.object?.id_token
        if (refreshed === undefined)
          return notApplicable('refreshes of this target return no ID token', 'target')
        const token = typeof refreshed === 'string' ? decodeJwt(refreshed) : undefined
        if (!token)
          return inconclusive('the token is not a JWT', {
            dependsOn: [kind === 'accessToken' ? 'SUBJECT-AFTER-REFRESH' : 'SUBJECT-REFRESHED-ID-TOKEN'],
          })
        const offset = clockOffsetMs()
        if (rule === 'EXPIRY' && (offset === undefined || Math.abs(offset) > 30_000))
          return inconclusive('the clock of the target is unknown, or differs by more than 30 s')
        if ((await problemOf(first, kind, context, receivedAt + (offset ?? 0) + clockErrorMs)) !== undefined)
          return inconclusive('the token of the code exchange violates this rule as well', {
            dependsOn: [`${prefix}-${rule}`],
          })
        const { sentAt, durationMs } = response.exchange
        const problem = await problemOf(token, kind, context, sentAt + durationMs + (offset ?? 0))
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
    async ({ tokens, target, expect, inconclusive, notApplicable }) => {
      const first = await tokens.jwt('idToken')
      const { response } = await tokens.firstRefresh()
      tokens.ofRefresh(response)
      const refreshed = response.object?.id_token
      if (refreshed === undefined)
        return notApplicable('refreshes of this target return no ID token', 'target')
      const token = typeof refreshed === 'string' ? decodeJwt(refreshed) : undefined
      if (!token) return inconclusive('the token is not a JWT', { dependsOn: ['SUBJECT-REFRESHED-ID-TOKEN'] })
      if (!holds(first.claims, target))
        return inconclusive('the token of the code exchange violates this rule as well', {
          dependsOn: [rule],
        })
      const actual = token.claims[claim]
      expect.that(holds(token.claims, target), expected, `another ${claim} (${kindOf(actual)})`)
    },
  )
}
