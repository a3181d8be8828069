import type { HttpResponse } from '../http/response.ts'
import { tokenErrorNames } from '../oauth/errors.ts'
import { alteredRedirectUri } from '../oauth/redirect-uri.ts'
import { issuedAccessToken } from '../oauth/token-keeper.ts'
import { applicationOf } from '../target/parts.ts'
import type { Application } from '../target/target.ts'
import type { AuthorizationSteps, Code } from './authorization/authorization-steps.ts'
import { unknownToken } from './bad-tokens.ts'
import { isTokenRefusal } from './expect.ts'
import { unlessUndecided } from './obstacle.ts'
import { RunSteps } from './run-steps.ts'
import { exchangesOfOneCode } from './tokens/exchanges-of-one-code.ts'
import { refusalOf } from './tokens/refused-request.ts'
import type { TokenSteps } from './tokens/token-steps.ts'
import { Inconclusive } from './verdict.ts'

/** Flaws of the redirect URI in code exchanges that share one code. */
const redirectUriFlaws = ['trailing slash', 'letter case', 'query', 'port', 'scheme'] as const

type RedirectUriFlaw = (typeof redirectUriFlaws)[number]

interface Steps {
  readonly authorization: AuthorizationSteps
  readonly tokens: TokenSteps
}

/** Requests that present a grant: a code or refresh token. */
interface RequestsWithGrant<Grant> {
  /** The response to a request that is valid except for its grant, which was never issued. */
  readonly withUnknownGrant: () => Promise<HttpResponse>
  /** A grant that the target must accept. */
  readonly newGrant: () => Promise<Grant>
  readonly send: (grant: Grant) => Promise<HttpResponse>
}

/**
 * Requests with codes and tokens that several checks judge; most are sent once per run. To save logins, they use
 * codes of unusual but valid authorization requests that other checks send anyway. Code exchanges first call
 * `tokens.control()`, which throws if the target does not accept a valid code exchange; it sends one if the last is
 * more than a minute old.
 */
export class SharedRequests extends RunSteps<Steps> {
  /** A code exchange that is valid except for its code, which was never issued. */
  unknownCode(): Promise<HttpResponse> {
    return this.run.once(this.unknownCode, async () => {
      await this.steps.tokens.control()
      const { request } = await this.steps.authorization.firstCode()
      return this.steps.tokens.sendCodeExchange({ code: unknownToken, request })
    })
  }

  /** A code exchange that is valid except for its missing code_verifier. */
  withoutVerifier(): Promise<HttpResponse> {
    return this.run.once(this.withoutVerifier, () =>
      this.invalidExchange(['invalid_request'], (code) =>
        this.steps.tokens.sendCodeExchange(code, { code_verifier: null }),
      ),
    )
  }

  /** A refresh that is valid except for its refresh token, which was never issued. */
  unknownRefreshToken(): Promise<HttpResponse> {
    return this.run.once(this.unknownRefreshToken, async () => {
      const { tokens } = this.steps
      // The control: throws if the first refresh of the run, which is valid, returned no tokens.
      tokens.refreshedTokens((await tokens.firstRefresh()).response)
      return tokens.refresh(unknownToken)
    })
  }

  /** The response to a code exchange that must be refused with one of these errors, even with a valid code. */
  async invalidExchange(
    errors: readonly string[],
    send: (code: Code) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const { tokens, authorization } = this.steps
    await tokens.control()
    return this.#invalid('code', errors, {
      withUnknownGrant: () => this.unknownCode(),
      newGrant: () => authorization.codeOfUnusualRequest('a long nonce'),
      send,
    })
  }

  /**
   * The response to a refresh that must be refused with one of these errors, even with a valid token. The token is of
   * the second login: if the target then revokes all tokens of that login, those of the first, which checks share,
   * stay valid.
   */
  invalidRefresh(
    errors: readonly string[],
    send: (refreshToken: string) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    return this.#invalid('refresh token', errors, {
      withUnknownGrant: () => this.unknownRefreshToken(),
      newGrant: () => this.steps.tokens.secondLogin.refreshToken(),
      send,
    })
  }

  /**
   * Sends a request that must be refused. Invalid requests share one grant until the target accepts one of them. If the
   * target refuses with a documented error that is not expected, an earlier refusal may have invalidated the grant: the
   * request is sent again with a new grant. It is not sent again after an undocumented error, which no grant justifies.
   */
  async #invalid<Grant>(
    kind: 'code' | 'refresh token',
    errors: readonly string[],
    { withUnknownGrant, newGrant, send }: RequestsWithGrant<Grant>,
  ): Promise<HttpResponse> {
    const hasExpectedError = ({ status, object }: HttpResponse) =>
      status >= 400 && errors.includes(String(object?.error))
    const toUnknownGrant = await unlessUndecided(withUnknownGrant())
    // If an unknown grant causes the same error, only a grant that is certainly valid shows that the flaw was the
    // reason.
    if (!toUnknownGrant || hasExpectedError(toUnknownGrant)) return send(await newGrant())
    const key = [this.#invalid, kind] as const
    const shared = await this.run.onceSuccessful(key, async () => ({ grant: await newGrant(), uses: 0 }))
    shared.uses += 1
    const isFirst = shared.uses === 1
    const response = await send(shared.grant)
    if (!isTokenRefusal(response)) {
      // The grant may be spent. If it were sent again, the target might revoke the tokens of the test user.
      this.run.forget(key)
      return response
    }
    if (isFirst || hasExpectedError(response) || hasUndocumentedError(response)) return response
    return send(await newGrant())
  }

  /** A token request of the application for itself, without a user (grant `client_credentials`). */
  clientCredentials(): Promise<HttpResponse> {
    return this.run.once(this.clientCredentials, async () => {
      await this.steps.tokens.control()
      return refusalOf(
        { run: this.run, tokens: this.steps.tokens },
        () => this.run.provider.token([['grant_type', 'client_credentials']]),
        ({ object }) => object?.error === 'unsupported_grant_type',
      )
    })
  }

  /** Every refusal of the token endpoint in this run, as evidence. */
  refusals(): readonly HttpResponse[] {
    const { tokenRefusals } = this.run.provider.log
    this.run.recorder.useAsEvidence(tokenRefusals.map(({ exchange }) => exchange))
    return tokenRefusals
  }

  /** The response to a refresh with the newest refresh token, after the first refresh of the run. */
  secondRefresh(): Promise<HttpResponse> {
    return this.run.once(this.secondRefresh, async () => {
      const { tokens } = this.steps
      // Throws if the first refresh returned no tokens.
      tokens.refreshedTokens((await tokens.firstRefresh()).response)
      // Another exchange may have invalidated the token. After a refusal, new tokens are refreshed twice in a row, and
      // the second response counts.
      const response = await tokens.refreshOrRenew(await tokens.keeper(), 2)
      if (!response) throw new Inconclusive('there is no refresh token', ['TOKEN-REFRESH-TOKEN-ISSUED'])
      return response
    })
  }

  /**
   * The refresh token that the first refresh of the run replaced, if the target still accepts its replacement.
   * Otherwise a token of the second login, which a refresh replaces now.
   * @returns undefined if the target does not replace refresh tokens; `replacedAt` in milliseconds since the epoch
   */
  async replacedRefreshToken(): Promise<
    { readonly refreshToken: string; readonly replacedAt: number } | undefined
  > {
    const { before, response } = await this.steps.tokens.firstRefresh()
    const replacedFirst = this.#replaced(before.refreshToken, response)
    if (!replacedFirst) return undefined
    // The tokens of the first refresh are still those of the shared session, which the later refresh uses.
    if ((await this.steps.tokens.refreshable()) === before) {
      const later = await this.steps.tokens.laterRefresh()
      if (later?.status === 200) return replacedFirst
    }
    const refreshToken = await this.steps.tokens.secondLogin.refreshToken()
    return this.#replaced(refreshToken, await this.steps.tokens.refresh(refreshToken))
  }

  #replaced(refreshToken: string | undefined, response: HttpResponse) {
    const { refreshToken: renewed } = this.steps.tokens.refreshedTokens(response)
    if (refreshToken === undefined || renewed === undefined || renewed === refreshToken) return undefined
    return { refreshToken, replacedAt: response.receivedAt }
  }

  /** Two refreshes with one token of the second login, sent at the same moment. */
  refreshRace(): Promise<readonly HttpResponse[]> {
    return this.run.once(this.refreshRace, async () => {
      const { tokens } = this.steps
      return tokens.refreshTogether(await tokens.secondLogin.refreshToken(), 2)
    })
  }

  /**
   * The response to a refresh of the second login with the credentials of another application. After a refusal, two
   * concurrent refreshes of the right application show whether the token was valid.
   */
  refreshByOtherClient(other: Application): Promise<HttpResponse> {
    const { tokens } = this.steps
    return tokens.secondLogin.refusalOf(
      (refreshToken) => tokens.refresh(refreshToken, other),
      (refreshToken) => this.#winsRace(refreshToken),
    )
  }

  /**
   * Whether one of two concurrent refreshes with this token is accepted. If both are refused, the token may be invalid.
   * Otherwise, both become the refresh race of the run.
   */
  async #winsRace(refreshToken: string): Promise<boolean> {
    const responses = await this.steps.tokens.refreshTogether(refreshToken, 2)
    if (!responses.every(isTokenRefusal))
      await this.run.once(this.refreshRace, async () => {
        // The exchanges become evidence of the shared race, too.
        this.run.recorder.useAsEvidence(responses.map(({ exchange }) => exchange))
        return responses
      })
    return responses.some((response) => issuedAccessToken(response) !== undefined)
  }

  /** A code exchange that is valid except for its verifier, which belongs to another request. */
  wrongVerifier(): Promise<HttpResponse> {
    return this.run.once(this.wrongVerifier, async () => {
      await this.steps.tokens.control()
      const { request: other } = await this.steps.authorization.firstCode()
      const code = await this.steps.authorization.codeOfUnusualRequest('auth_level in place of acr_values')
      return this.steps.tokens.sendCodeExchange(code, { code_verifier: other.verifier })
    })
  }

  /** A code exchange that is valid except for an additional path segment in its redirect URI. */
  wrongRedirectUri(): Promise<HttpResponse> {
    return this.run.once(this.wrongRedirectUri, async () => {
      await this.steps.tokens.control()
      const code = await this.steps.authorization.codeOfUnusualRequest('reserved characters in its state')
      return this.steps.tokens.sendCodeExchange(code, { redirect_uri: `${code.request.redirectUri}/more` })
    })
  }

  /**
   * A code exchange that is valid except for the host in its redirect URI.
   * @returns undefined if the registered redirect URI has no host
   */
  redirectUriOnOtherHost(): Promise<HttpResponse | undefined> {
    return this.run.once(this.redirectUriOnOtherHost, async () => {
      const altered = alteredRedirectUri(applicationOf(this.run.target).redirectUri, 'host')
      if (!altered) return undefined
      await this.steps.tokens.control()
      const code = await this.steps.authorization.codeOfUnusualRequest('non-ASCII characters in its state')
      return this.steps.tokens.sendCodeExchange(code, { redirect_uri: altered.uri })
    })
  }

  /**
   * Responses to code exchanges with altered redirect URIs. The exchanges share one code, and the valid exchange of
   * that code follows. Flaws that the registered redirect URI cannot have are absent: a URI without a host has no
   * port. If the effect `token-destruction` is allowed, the code is of the second login, and is sent again after its
   * valid exchange.
   * @returns `replay`: the response to the code that was sent again; undefined if it was not
   */
  exchangesWithAlteredUris(): Promise<{
    readonly responses: ReadonlyMap<RedirectUriFlaw, HttpResponse>
    readonly replay: HttpResponse | undefined
  }> {
    const { authorization, tokens } = this.steps
    const { target } = this.run
    const flawedUri = (flaw: RedirectUriFlaw) =>
      alteredRedirectUri(applicationOf(target).redirectUri, flaw)?.uri
    const mayReplay = target.allowedEffects.includes('token-destruction')
    const newCode = () => (mayReplay ? authorization.codeOfSecondLogin() : authorization.code())
    return this.run.once(this.exchangesWithAlteredUris, async () => {
      const { responses, accepted } = await exchangesOfOneCode(await newCode(), {
        flaws: redirectUriFlaws.filter((flaw) => flawedUri(flaw) !== undefined),
        newCode,
        send: (code, flaw) => tokens.sendCodeExchange(code, { redirect_uri: flawedUri(flaw) ?? null }),
        sendValid: (code) => tokens.sendCodeExchange(code),
      })
      if (!accepted) await tokens.control()
      const replay = accepted && mayReplay ? await tokens.sendCodeExchange(accepted) : undefined
      return { responses, replay }
    })
  }
}

/** Whether a refusal has an error that the specification does not document for the token endpoint. */
function hasUndocumentedError({ status, object }: HttpResponse): boolean {
  const error = object?.error
  return status >= 400 && typeof error === 'string' && error !== '' && !tokenErrorNames.has(error)
}
