import { differentValue, kindOf } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { TokenKind } from '../../src/check/tokens/issued-tokens.ts'
import { audiencesOf, halfCenturySeconds, isAuthorizedParty, reachesLevel } from '../../src/oauth/id-token.ts'
import type { DecodedJwt } from '../../src/oauth/jwt.ts'
import type { Application, Target } from '../../src/target/target.ts'
import { hasExpired } from './lifetimes.ts'

/** The fixtures that rules use. */
interface RuleContext extends Pick<CheckContext, 'application' | 'target'> {
  readonly discovery: Pick<CheckContext['discovery'], 'issuerProblem' | 'verify'>
}

/** A rule on tokens. */
export interface Rule {
  /** The end of the ids of the requirements that judge the rule: `SIGNATURE` of `IDTOKEN-REFRESHED-SIGNATURE`. */
  readonly name: string
  readonly expected: string
  /**
   * The actual value that violates the rule; undefined if the token follows it.
   * @param receivedAt milliseconds since the epoch, by the clock of the target
   */
  readonly problemOf: (
    token: DecodedJwt,
    kind: TokenKind,
    context: RuleContext,
    receivedAt: number,
  ) => string | undefined | Promise<string | undefined>
}

/** The rules that apply to both ID tokens and access tokens. */
export const rules = [
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
    problemOf: ({ claims }, kind, { application }) => {
      const audiences = audiencesOf(claims)
      const holds = kind === 'idToken' ? audiences?.includes(application.id) : audiences !== undefined
      return holds ? undefined : `aud: ${kindOf(claims.aud)}`
    },
  },
  {
    name: 'EXPIRY',
    expected: 'exp in the future, in seconds',
    problemOf: ({ claims }, _, __, receivedAt) => {
      const { exp } = claims
      if (typeof exp !== 'number') return `exp: ${kindOf(exp)}`
      const remainingSeconds = Math.round(exp - receivedAt / 1000)
      if (hasExpired(claims, remainingSeconds)) return 'exp in the past'
      return remainingSeconds < halfCenturySeconds ? undefined : 'exp more than half a century away'
    },
  },
] as const satisfies readonly Rule[]

/**
 * Further rules on refreshed ID tokens (section Authentication, 5). claims.test.ts judges azp and acr of the first
 * one.
 */
export const refreshedIdTokenRules = [
  {
    name: 'AZP',
    expected: 'azp, if present, equal to the application',
    problemOf: (token, _, { application }) => authorizedPartyProblem(token, application),
  },
  {
    name: 'ACR',
    expected: 'acr, if present, at or above REQUIRED_ACR',
    problemOf: (token, _, { target }) =>
      token.claims.acr === undefined ? undefined : levelProblem(token, target),
  },
] as const satisfies readonly Rule[]

/** The azp, if it is not the application; undefined if the azp is right or absent. */
export function authorizedPartyProblem(
  { claims }: Pick<DecodedJwt, 'claims'>,
  { id }: Pick<Application, 'id'>,
): string | undefined {
  return isAuthorizedParty(claims, id) ? undefined : differentValue('azp', claims.azp)
}

/** An absent acr, or an acr below REQUIRED_ACR; undefined if the acr reaches that level, or may reach it. */
export function levelProblem(
  { claims }: Pick<DecodedJwt, 'claims'>,
  { requiredAcr, acrOrder }: Pick<Target, 'requiredAcr' | 'acrOrder'>,
): string | undefined {
  if (reachesLevel(claims, requiredAcr, acrOrder) !== 'below') return undefined
  return typeof claims.acr === 'string' ? 'a weaker acr' : `acr: ${kindOf(claims.acr)}`
}
