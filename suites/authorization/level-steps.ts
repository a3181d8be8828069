import type { Authorization, AuthorizationSteps } from '../../src/check/authorization/authorization-steps.ts'
import { codeOf, errorOf } from '../../src/check/authorization/landing-content.ts'
import { landingSentence } from '../../src/check/authorization/landing-text.ts'
import { Unfinished } from '../../src/check/retry-after-failure.ts'
import { RunSteps } from '../../src/check/run-steps.ts'
import type { TokenSteps } from '../../src/check/tokens/token-steps.ts'
import { Inconclusive, NotApplicable } from '../../src/check/verdict.ts'
import { type DecodedJwt, decodeJwt } from '../../src/oauth/jwt.ts'

/** A level that does not exist. */
export const unknownLevel = 'urn:plumbline:no-such-level'

type Parameter = 'acr_values' | 'auth_level'

/** Authorization requests for authentication levels, each sent once per run, and the ID tokens for their codes. */
export class LevelSteps extends RunSteps<{
  readonly authorization: AuthorizationSteps
  readonly tokens: TokenSteps
}> {
  /** The landing of a request for a level that does not exist. */
  unknown(parameter: Parameter): Promise<Authorization> {
    return this.run.once([this.unknown, parameter], () =>
      this.steps.authorization.authorize('passive', { acr_values: null, [parameter]: unknownLevel }),
    )
  }

  /**
   * The landing of a request for the highest level of ACR_ORDER, for a user who signs in again.
   * @throws {NotApplicable} if no level is above REQUIRED_ACR, or the target shows a page for another factor
   */
  highest(parameter: Parameter): Promise<{ readonly level: string; readonly authorization: Authorization }> {
    return this.run.once([this.highest, parameter], async () => {
      const { acrOrder, requiredAcr } = this.run.target
      const level = acrOrder?.at(-1)
      if (level === undefined || level === requiredAcr)
        throw new NotApplicable('needs ACR_ORDER with a level above REQUIRED_ACR')
      await this.steps.authorization.firstCode()
      try {
        const changes = { acr_values: null, [parameter]: level }
        return { level, authorization: await this.steps.authorization.authorize('new-login', changes) }
      } catch (error) {
        // A page for another factor is lawful, but no login recipe describes such a page.
        const isPage = error instanceof Inconclusive && !(error instanceof Unfinished && error.failure)
        if (isPage && error.cause === 'configuration')
          throw new NotApplicable(`needs a user who cannot reach the highest level, but ${error.message}`)
        throw error
      }
    })
  }

  /**
   * Requires that a login without a level returns a code. It is the control after the refusal of a level, because a
   * target that limits logins refuses any login.
   * @throws {Inconclusive} if the login returns no code
   */
  async requireLogin(): Promise<void> {
    const authorization = await this.steps.authorization.authorize('new-login', { acr_values: null })
    if (this.issued(authorization)) return
    const { landing } = authorization
    const reason = `after the refusal, a login without a level returned no code either: ${landingSentence(landing)}`
    throw new Inconclusive(reason, ['AUTHZ-LEVEL-OPTIONAL'])
  }

  /** Whether an authorization returned a code and no error. AUTHZ-ERROR-WITHOUT-CODE judges redirects with both. */
  issued({ landing }: Authorization): boolean {
    return codeOf(landing) !== undefined && errorOf(landing) === undefined
  }

  /** The claims of the ID token for the code of an authorization. */
  claims({ request, landing }: Authorization): Promise<DecodedJwt['claims']> {
    return this.run.once([this.claims, request.state], async () => {
      const code = codeOf(landing) ?? ''
      const { idToken } = await this.steps.tokens.tokensFor({ code, request })
      const decoded = decodeJwt(idToken ?? '')
      if (decoded) return decoded.claims
      throw new Inconclusive('the code exchange returned no ID token that is a JWT', [
        'TOKEN-ID-TOKEN-ISSUED',
        'IDTOKEN-JWT',
      ])
    })
  }
}
