import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpResponse } from '../../http/response.ts'
import type { AuthorizationRequest, Changes } from '../../oauth/authorization-request.ts'
import type { ClientAuthentication } from '../../oauth/client-authentication.ts'
import { exchangeForm, refreshForm } from '../../oauth/form.ts'
import type { DecodedJwt } from '../../oauth/jwt.ts'
import { longRandomValue } from '../../oauth/pkce.ts'
import { issuedAccessToken, TokenKeeper, usableToken } from '../../oauth/token-keeper.ts'
import { applicationOf } from '../../target/parts.ts'
import type { Application } from '../../target/target.ts'
import type { AuthorizationSteps, Code } from '../authorization/authorization-steps.ts'
import { describe } from '../expect.ts'
import { unlessUndecided } from '../obstacle.ts'
import { retryAfterFailure } from '../retry-after-failure.ts'
import { RunSteps } from '../run-steps.ts'
import { requireUnused, sendValidExchange, sendValidRefresh } from '../valid-requests.ts'
import { Inconclusive } from '../verdict.ts'
import {
  decodedToken,
  type Exchanged,
  issueTimeStepMs,
  refreshTokenOf,
  type TokenKind,
  type Tokens,
  tokensOf,
} from './issued-tokens.ts'
import { clientRefusal, requireNoLock, withoutTokens } from './refused-client.ts'
import { SecondLoginTokens } from './second-login-tokens.ts'

/** Code exchanges and refreshes of the application. Checks share most of the tokens, to save logins and requests. */
export class TokenSteps extends RunSteps<{ readonly authorization: AuthorizationSteps }> {
  readonly secondLogin = new SecondLoginTokens(this.run, {
    newTokens: () => this.#tokensWithRetry(() => this.steps.authorization.codeOfSecondLogin()),
    keeperOf: (tokens) => this.#keeperOf(tokens),
  })

  /** The shared code exchange, with the code of the shared login or, if that may have expired, a new code. */
  firstExchange(): Promise<Exchanged> {
    return this.run.once(this.firstExchange, async () =>
      this.#exchangeWithRetry(await this.steps.authorization.freshCode()),
    )
  }

  /** A code exchange, retried once with a new code if the target throttled, was unavailable or too slow. */
  async #exchangeWithRetry(first: Code, newCode = () => this.steps.authorization.code()): Promise<Exchanged> {
    const exchange = async (code: Code) => ({
      response: await this.exchange(code),
      request: code.request,
    })
    return retryAfterFailure(
      this.run.budget,
      () => exchange(first),
      async () => exchange(await newCode()),
    )
  }

  /** The tokens of the shared code exchange. @throws {Inconclusive} if there are none */
  async first(): Promise<Tokens> {
    const { response, request } = await this.firstExchange()
    return this.tokensIn(response, request)
  }

  /** The valid exchange of a new code. If accepted, the exchange is the control of invalid exchanges. */
  async exchange(code: Pick<Code, 'code' | 'request'>): Promise<HttpResponse> {
    const response = await sendValidExchange(this.run, code, () => this.sendCodeExchange(code))
    const isOwn = code.request.application.id === applicationOf(this.run.target).id
    if (isOwn && issuedAccessToken(response) !== undefined) this.run.controls.worked('code exchange')
    return response
  }

  /** The tokens for a new code. @throws {Inconclusive} if the target returns none */
  async tokensFor(code: Pick<Code, 'code' | 'request'>): Promise<Tokens> {
    return this.tokensIn(await this.exchange(code), code.request)
  }

  /** Sends a code exchange. Changes replace members of the valid one; null omits a member. */
  sendCodeExchange(
    { code, request }: Pick<Code, 'code' | 'request'>,
    changes: Changes = {},
    authentication: ClientAuthentication | Application = request.application,
  ): Promise<HttpResponse> {
    return this.run.provider.token(exchangeForm(code, request, changes), authentication)
  }

  /** Sends a refresh, by default with the credentials of the application. */
  refresh(
    refreshToken: string,
    authentication: ClientAuthentication | Application = applicationOf(this.run.target),
  ): Promise<HttpResponse> {
    return this.run.provider.token(refreshForm(refreshToken), authentication)
  }

  /** Sends several refreshes with one refresh token at the same moment. */
  refreshTogether(refreshToken: string, count: number): Promise<readonly HttpResponse[]> {
    return this.run.provider.tokenTogether(refreshForm(refreshToken), count)
  }

  /** The shared refresh, with the tokens before it. */
  firstRefresh(): Promise<{ readonly before: Tokens; readonly response: HttpResponse }> {
    return this.run.once(this.firstRefresh, async () => {
      const send = async () => {
        const before = await this.refreshable()
        refreshTokenOf(before)
        const response = await (await this.keeper()).refresh()
        if (!response) throw new Error('an available refresh token was not sent')
        return { before, response }
      }
      const sendWithNewTokens = async () => {
        await this.renewedKeeper()
        return send()
      }
      const first = await retryAfterFailure(this.run.budget, send, sendWithNewTokens)
      // The stored tokens may be the reason of a refusal, so new tokens decide.
      return first.response.status < 400 ? first : sendWithNewTokens()
    })
  }

  /**
   * A refresh more than a second after the newest tokens of the shared session were issued, so that new JWTs cannot
   * equal the old ones; sent once per run. If the refresh is refused or fails, its token may have been invalid: then three
   * refreshes in a row with new tokens decide.
   * @returns the last response; undefined if there is no refresh token
   */
  laterRefresh(): Promise<HttpResponse | undefined> {
    return this.run.once(this.laterRefresh, async () => {
      const keeper = await this.keeper()
      const issuedAt = this.run.provider.log.receivedAt(keeper.accessToken) ?? 0
      await sleep(Math.max(0, issuedAt + issueTimeStepMs + 100 - Date.now()))
      return this.refreshOrRenew(keeper, 3)
    })
  }

  /**
   * Refreshes tokens. If the refresh is refused or fails, refreshes in a row with newly exchanged tokens decide.
   * @param times number of refreshes in a row
   * @returns the last response; undefined if there is no refresh token
   */
  async refreshOrRenew(keeper: TokenKeeper, times: number): Promise<HttpResponse | undefined> {
    const refreshNewTokens = async () => (await this.renewedKeeper()).refreshInARow(times)
    const response = await retryAfterFailure(this.run.budget, async () => keeper.refresh(), refreshNewTokens)
    return response === undefined || response.status < 400
      ? response
      : ((await refreshNewTokens()) ?? response)
  }

  /** The newest tokens in the shared session. */
  keeper(): Promise<TokenKeeper> {
    return this.run.once(this.keeper, async () => this.#keeperOf(await this.refreshable()))
  }

  #keeperOf(tokens: Tokens): TokenKeeper {
    const applicationId = tokens.request.application.id
    return new TokenKeeper(tokens, async (refreshToken) => {
      const send = () => this.refresh(refreshToken)
      const response = await sendValidRefresh(this.run, { refreshToken, applicationId }, send)
      if (issuedAccessToken(response) !== undefined) this.run.controls.worked('refresh')
      return response
    })
  }

  /** Obtains new tokens for the shared session: another login or exchange may have invalidated the stored ones. */
  async renewedKeeper(): Promise<TokenKeeper> {
    this.run.forget(this.keeper)
    this.run.forget(this.refreshable)
    await this.run.once(this.refreshable, () => this.#tokensWithRetry())
    return this.keeper()
  }

  /** The newest access token of the shared session that a refresh returned. Without one, sends a refresh. */
  async refreshedAccessToken(): Promise<string> {
    const keeper = await this.keeper()
    const tokens = await this.refreshable()
    if (keeper.accessToken !== tokens.accessToken) return keeper.accessToken
    refreshTokenOf(keeper)
    await keeper.refresh()?.then((response) => this.refreshedTokens(response))
    return keeper.accessToken
  }

  /**
   * Tokens of a separate exchange, for refreshes. The tokens of the shared exchange are never refreshed, since that may
   * invalidate its access token.
   */
  refreshable(): Promise<Tokens> {
    return this.run.once(this.refreshable, async () => {
      const exchange = await unlessUndecided(this.unusualExchange())
      const isUsable =
        exchange &&
        issuedAccessToken(exchange.response) !== undefined &&
        usableToken(exchange.response.object?.refresh_token) !== undefined
      return isUsable ? this.tokensIn(exchange.response, exchange.request) : this.#tokensWithRetry()
    })
  }

  /**
   * A valid code exchange with unusual optional parts. It has no Accept header; its authorization request has a long
   * nonce and, if that returns a code, `prompt=none`. After a refusal, a second exchange of this kind is sent. If the
   * target accepts it, the optional parts were not the reason of the refusal.
   */
  unusualExchange(): Promise<Exchanged> {
    return this.run.onceSuccessful(this.unusualExchange, async () => {
      await this.control()
      const first = await retryAfterFailure(this.run.budget, () => this.#sendUnusualExchange())
      if (issuedAccessToken(first.response) !== undefined) return first
      await this.requireExchange()
      const second = await this.#sendUnusualExchange()
      // The second request was accepted, so TOKEN-CODE-EXCHANGE judges the refusal of the first one as a valid
      // exchange.
      if (issuedAccessToken(second.response) !== undefined)
        this.run.validRequests.exchanges.push({
          applicationId: first.request.application.id,
          response: first.response,
        })
      return second
    })
  }

  async #sendUnusualExchange(): Promise<Exchanged> {
    const nonce = longRandomValue()
    const { code, request } = await this.steps.authorization.codeOfUnusualRequest('prompt=none', { nonce })
    const form = exchangeForm(code, request)
    const response = await this.run.provider.token(form, request.application, { accept: false })
    requireUnused(response, 'code')
    return { response, request }
  }

  async #tokensWithRetry(newCode = () => this.steps.authorization.code()): Promise<Tokens> {
    const { response, request } = await this.#exchangeWithRetry(await newCode(), newCode)
    return this.tokensIn(response, request)
  }

  /** The tokens in a response to a refresh. @throws {Inconclusive | HttpFailure} if there is no access token */
  refreshedTokens(response: HttpResponse): Pick<Tokens, 'accessToken' | 'refreshToken'> {
    const accessToken = issuedAccessToken(response)
    if (accessToken === undefined) {
      requireUnused(response, 'refresh token')
      requireNoLock(this.run, applicationOf(this.run.target), response)
      throw new Inconclusive(`the refresh returned no tokens (${describe(response)})`, ['TOKEN-REFRESH'])
    }
    return { accessToken, refreshToken: usableToken(response.object?.refresh_token) }
  }

  /** Requires that a valid code exchange was accepted within the last minute: the control of invalid exchanges. */
  async control(): Promise<void> {
    await this.first()
    if (this.run.controls.isStale('code exchange')) await this.requireExchange()
  }

  /** @throws {Inconclusive} if the target does not accept a valid code exchange now */
  async requireExchange(application: Application = applicationOf(this.run.target)): Promise<void> {
    await this.tokensFor(await this.steps.authorization.code(application))
  }

  /** @throws {Inconclusive} if the target may have refused a code exchange because of its client */
  requireCredentialsAccepted({ response, request: { application } }: Exchanged): void {
    if (clientRefusal(this.run, application, response)) throw withoutTokens(this.run, application, response)
  }

  /** The tokens in a response to a code exchange. @throws {Inconclusive} if there is no access token */
  tokensIn(response: HttpResponse, request: AuthorizationRequest): Tokens {
    const tokens = tokensOf({ response, request })
    if (tokens) return tokens
    throw withoutTokens(this.run, request.application, response)
  }

  /** The ID token of a second authorization in the shared session, with its request. */
  async secondAuthorizationIdToken(): Promise<{
    readonly token: DecodedJwt
    readonly request: AuthorizationRequest
  }> {
    const tokens = await this.refreshable()
    return { token: decodedToken(tokens, 'idToken'), request: tokens.request }
  }

  /** A token of the shared exchange, decoded. @throws {Inconclusive} if the token is absent or not a JWT */
  async jwt(kind: TokenKind): Promise<DecodedJwt> {
    return decodedToken(await this.first(), kind)
  }
}
