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

/**
 * Code exchanges and refreshes of the application. To save logins and requests, checks share most of the tokens:
 * those of one login (the shared login) and of later authorizations in its browser session (the shared session).
 */
export class TokenSteps extends RunSteps<{ readonly authorization: AuthorizationSteps }> {
  /** Tokens of another login, for checks after which the target may revoke all tokens of a login. */
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

  /** The exchange of a code. If the target throttles, is unavailable or too slow, a new code is exchanged once. */
  async #exchangeWithRetry(
    firstCode: Code,
    newCode = () => this.steps.authorization.code(),
  ): Promise<Exchanged> {
    const exchange = async (code: Code) => ({ response: await this.exchange(code), request: code.request })
    return retryAfterFailure(
      this.run.budget,
      () => exchange(firstCode),
      async () => exchange(await newCode()),
    )
  }

  /** The tokens of the shared code exchange. @throws {Inconclusive} if there are none */
  async first(): Promise<Tokens> {
    const { response, request } = await this.firstExchange()
    return this.tokensIn(response, request)
  }

  /**
   * The valid exchange of a new code. If the target accepts an exchange of the first application, it is the control
   * (the valid form) of invalid exchanges.
   */
  async exchange(code: Pick<Code, 'code' | 'request'>): Promise<HttpResponse> {
    const response = await sendValidExchange(this.run, code, () => this.sendCodeExchange(code))
    const isOfFirstApplication = code.request.application.id === applicationOf(this.run.target).id
    if (isOfFirstApplication && issuedAccessToken(response) !== undefined)
      this.run.controls.worked('code exchange')
    return response
  }

  /** The tokens that the target returns for a new code. @throws {Inconclusive} if the target returns none */
  async tokensFor(code: Pick<Code, 'code' | 'request'>): Promise<Tokens> {
    return this.tokensIn(await this.exchange(code), code.request)
  }

  /** Sends a code exchange. `changes` replace members of the valid form; null omits a member. */
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

  /** The first refresh of the shared session, sent once per run, with the tokens before it. */
  firstRefresh(): Promise<{ readonly before: Tokens; readonly response: HttpResponse }> {
    return this.run.once(this.firstRefresh, async () => {
      const send = async () => {
        const before = await this.refreshable()
        // Inconclusive if there is no refresh token.
        refreshTokenOf(before)
        const response = await (await this.keeper()).refresh()
        if (!response) throw new Error('an available refresh token was not sent')
        return { before, response }
      }
      const sendWithNewTokens = async () => {
        // Replaces the tokens that `send` uses.
        await this.renewedKeeper()
        return send()
      }
      const first = await retryAfterFailure(this.run.budget, send, sendWithNewTokens)
      // The target may refuse the stored tokens because another request invalidated them, so new tokens decide.
      return first.response.status < 400 ? first : sendWithNewTokens()
    })
  }

  /**
   * A refresh by `refreshOrRenew`, sent once per run. It is sent more than a second after the newest tokens of the
   * shared session were issued, since JWTs of the same second may be equal.
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
   * Refreshes tokens once. If that refresh is refused or fails, its token may have been invalid. Then new tokens are
   * exchanged and refreshed several times, each time with the refresh token of the response before.
   * @param times number of refreshes of the new tokens
   * @returns the last response; undefined if there is no refresh token
   */
  async refreshOrRenew(keeper: TokenKeeper, times: number): Promise<HttpResponse | undefined> {
    const refreshNewTokens = async () => (await this.renewedKeeper()).refreshInARow(times)
    const response = await retryAfterFailure(this.run.budget, async () => keeper.refresh(), refreshNewTokens)
    return response === undefined || response.status < 400
      ? response
      : ((await refreshNewTokens()) ?? response)
  }

  /** The newest tokens of the shared session, in a `TokenKeeper`, which can refresh them. */
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

  /** Replaces the tokens of the shared session by new ones: another login or exchange may have invalidated them. */
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
    // Inconclusive if there is no refresh token.
    refreshTokenOf(keeper)
    // The keeper stores the new tokens. `refreshedTokens` is called because it throws if there are none.
    await keeper.refresh()?.then((response) => this.refreshedTokens(response))
    return keeper.accessToken
  }

  /**
   * Tokens of a second exchange in the shared session, for refreshes. The tokens of the first exchange are never
   * refreshed, since a refresh may invalidate their access token.
   * To save a request, these are the tokens of `unusualExchange` if it returned a refresh token.
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
   * A valid code exchange with unusual optional parts: it has no Accept header, and its authorization request has a
   * long nonce. The first such request of the run also has `prompt=none`, if the target returns a code for it. After
   * a refusal, a second exchange is sent, without `prompt=none`.
   * @returns the second exchange if there was one; otherwise the first
   */
  unusualExchange(): Promise<Exchanged> {
    return this.run.onceSuccessful(this.unusualExchange, async () => {
      await this.control()
      const first = await retryAfterFailure(this.run.budget, () => this.#sendUnusualExchange())
      if (issuedAccessToken(first.response) !== undefined) return first
      await this.requireExchange()
      const second = await this.#sendUnusualExchange()
      // If the target accepts the second exchange, it refused the first one for another reason than the optional
      // parts. TOKEN-CODE-EXCHANGE judges that refusal, as the refusal of a valid exchange.
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

  /**
   * The tokens in a response to a refresh.
   * @throws {Inconclusive} if there is no access token
   * @throws {HttpFailure} if there is none because an earlier attempt of the request may have used the refresh token
   */
  refreshedTokens(response: HttpResponse): Pick<Tokens, 'accessToken' | 'refreshToken'> {
    const accessToken = issuedAccessToken(response)
    if (accessToken === undefined) {
      requireUnused(response, 'refresh token')
      requireNoLock(this.run, applicationOf(this.run.target), response)
      throw new Inconclusive(`the refresh returned no tokens (${describe(response)})`, ['TOKEN-REFRESH'])
    }
    return { accessToken, refreshToken: usableToken(response.object?.refresh_token) }
  }

  /**
   * Requires that the target accepted a valid code exchange, the control of invalid exchanges, within the last
   * minute. Sends a new exchange if the last one is older.
   */
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

  /** The ID token of the second exchange in the shared session (`refreshable`), with its authorization request. */
  async secondAuthorizationIdToken(): Promise<{
    readonly token: DecodedJwt
    readonly request: AuthorizationRequest
  }> {
    const tokens = await this.refreshable()
    return { token: decodedToken(tokens, 'idToken'), request: tokens.request }
  }

  /** A decoded token of the shared code exchange. @throws {Inconclusive} if it is absent or not a JWT */
  async jwt(kind: TokenKind): Promise<DecodedJwt> {
    return decodedToken(await this.first(), kind)
  }
}
