import type { HttpResponse } from '../../http/response.ts'
import { clockSkewSeconds } from '../../oauth/id-token.ts'
import type { AuthorizationSteps, Code } from '../authorization/authorization-steps.ts'
import { describe } from '../expect.ts'
import type { RequirementId } from '../requirement.ts'
import { RunSteps } from '../run-steps.ts'
import { Inconclusive, NotApplicable } from '../verdict.ts'
import type { Tokens } from './issued-tokens.ts'
import type { TokenSteps } from './token-steps.ts'

/** A request that is sent with an access token before and after the token expires. */
interface ExpiringRequest {
  readonly send: (accessToken: string) => Promise<HttpResponse>
  readonly accepts: (response: HttpResponse) => boolean
  /** The requirement to accept a valid token. */
  readonly control: RequirementId
}

/** Waits until codes and access tokens have expired. */
export class ExpirySteps extends RunSteps<{
  readonly authorization: AuthorizationSteps
  readonly tokens: TokenSteps
}> {
  /**
   * The response to an expired access token, which was accepted earlier. If the target still accepts the token, the
   * request is repeated once, `clockSkewSeconds` after the expiry, since clocks may differ.
   * @throws {NotApplicable} if tokens are valid longer than a run waits
   * @throws {Inconclusive} if the target does not accept the token before it expires
   */
  async responseAfter({ send, accepts, control }: ExpiringRequest): Promise<HttpResponse> {
    const first = await this.steps.tokens.first()
    const isUsable = this.#expiresAt(first) > Date.now() && accepts(await send(first.accessToken))
    // Age or another login may have invalidated the first token.
    const tokens = isUsable ? first : await this.steps.tokens.tokensFor(await this.steps.authorization.code())
    const before = isUsable ? undefined : await send(tokens.accessToken)
    if (before && !accepts(before)) {
      throw new Inconclusive(`the token was not accepted before it expired (${describe(before)})`, [control])
    }
    const expiresAt = this.#expiresAt(tokens)
    await this.run.wait(expiresAt + 1000 - Date.now(), 'until an access token has expired (expires_in)')
    const early = await send(tokens.accessToken)
    if (!accepts(early)) return early
    await this.run.wait(
      expiresAt + clockSkewSeconds * 1000 - Date.now(),
      'since an expired access token is still accepted: clocks may differ',
    )
    return send(tokens.accessToken)
  }

  /** A code that is CODE_LIFETIME old. */
  async expiredCode(): Promise<Code> {
    const { codeLifetime } = this.run.target
    const code = await this.steps.authorization.code()
    await this.run.wait(codeLifetime * 1000, 'until a code has expired (CODE_LIFETIME)')
    return code
  }

  #expiresAt(tokens: Tokens): number {
    return tokens.receivedAt + this.#lifetimeMs(tokens)
  }

  #lifetimeMs({ response }: Tokens): number {
    const lifetime = response.object?.expires_in
    if (typeof lifetime !== 'number')
      throw new Inconclusive('expires_in is not a number', ['TOKEN-EXPIRES-IN'])
    const { longestLifetime } = this.run.target
    if (lifetime > longestLifetime)
      throw new NotApplicable(
        `expires_in is ${lifetime} s, but checks wait at most LONGEST_LIFETIME, ${longestLifetime} s`,
        'configuration',
      )
    return lifetime * 1000
  }
}
