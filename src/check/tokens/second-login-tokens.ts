import type { HttpResponse } from '../../http/response.ts'
import type { DecodedJwt } from '../../oauth/jwt.ts'
import type { TokenKeeper } from '../../oauth/token-keeper.ts'
import { isTokenRefusal } from '../expect.ts'
import { unlessUndecided } from '../obstacle.ts'
import { RunSteps } from '../run-steps.ts'
import { isNewestGrant } from '../valid-requests.ts'
import { decodedToken, refreshTokenOf, type TokenKind, type Tokens } from './issued-tokens.ts'

interface Steps {
  /** Exchanges a code of the second login for tokens. */
  readonly newTokens: () => Promise<Tokens>
  readonly keeperOf: (tokens: Tokens) => TokenKeeper
}

/** Tokens of the second login, for checks that may make the target revoke all tokens of a login. */
export class SecondLoginTokens extends RunSteps<Steps> {
  #shared(): Promise<{ readonly first: Tokens; readonly keeper: TokenKeeper }> {
    return this.run.onceSuccessful(this.#shared, async () => {
      const first = await this.steps.newTokens()
      return { first, keeper: this.steps.keeperOf(first) }
    })
  }

  async jwt(kind: TokenKind): Promise<DecodedJwt> {
    return decodedToken((await this.#shared()).first, kind)
  }

  /**
   * A refresh token that is certainly valid. This is the newest token if it is less than 20 s old, the token endpoint
   * has sent no other response since, and a refresh was accepted within the last minute. Otherwise, a new refresh
   * returns the token or, if that refresh fails, a new code exchange.
   */
  async refreshToken(): Promise<string> {
    const { keeper } = await this.#shared()
    const { refreshToken } = keeper
    const isNew = refreshToken !== undefined && isNewestGrant(this.run.provider.log, refreshToken)
    if (isNew && this.run.controls.isRecent('refresh')) return refreshToken
    return (await this.#canRefresh(keeper)) ? refreshTokenOf(keeper) : this.#anotherRefreshToken()
  }

  /**
   * The response to a request that must be refused although its refresh token is valid. If the target refuses the valid
   * refreshes of `isValid` as well, the token may have been the reason: the request is repeated with a new token.
   * @param isValid sends valid refreshes with the token of the refused request, and returns whether one was accepted
   */
  async refusalOf(
    send: (refreshToken: string) => Promise<HttpResponse>,
    isValid: (refreshToken: string) => Promise<boolean>,
  ): Promise<HttpResponse> {
    const refreshToken = refreshTokenOf((await this.#shared()).keeper)
    const response = await send(refreshToken)
    if (!isTokenRefusal(response) || (await isValid(refreshToken))) return response
    return send(await this.#anotherRefreshToken())
  }

  async #canRefresh(keeper: TokenKeeper): Promise<boolean> {
    const response = await unlessUndecided(Promise.resolve(keeper.refresh()))
    return response?.status === 200 && response.object?.access_token === keeper.accessToken
  }

  async #anotherRefreshToken(): Promise<string> {
    this.run.forget(this.#shared)
    return refreshTokenOf((await this.#shared()).first)
  }
}
