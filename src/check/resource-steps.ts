import type { HttpResponse } from '../http/response.ts'
import type { Changes } from '../oauth/authorization-request.ts'
import { clientAuthentication } from '../oauth/client-authentication.ts'
import { endpoint } from '../oauth/endpoints.ts'
import { formOf } from '../oauth/form.ts'
import { applicationOf } from '../target/parts.ts'
import {
  type AlteredTokenKind,
  alteredToken,
  type BadTokenKind,
  badToken,
  unknownToken,
} from './bad-tokens.ts'
import { DiscoverySteps } from './discovery-steps.ts'
import { describe, quotedOrMasked } from './expect.ts'
import { RunSteps } from './run-steps.ts'
import { hasExpired } from './tokens/issued-tokens.ts'
import type { TokenSteps } from './tokens/token-steps.ts'
import { acceptsToken } from './userinfo-response.ts'
import { Inconclusive, NotApplicable } from './verdict.ts'

interface UserinfoResponse {
  readonly response: HttpResponse
  /** The response to an earlier token, if the target refused that token. */
  readonly refused?: HttpResponse
  /** The token of the request with `response`. */
  readonly accessToken: string
}

/** Steps with the endpoints that accept an access token: UserInfo, and introspection if it is available. */
export class ResourceSteps extends RunSteps<{ readonly tokens: TokenSteps }> {
  /**
   * The response of UserInfo to the access token of the first code exchange or, if UserInfo refuses that token, to a
   * newer one. Requested once per run.
   */
  userinfoResponse(): Promise<UserinfoResponse> {
    return this.run.once(this.userinfoResponse, () => this.#sendControl())
  }

  /** The response of `userinfoResponse`, without its token. */
  async userinfo(): Promise<HttpResponse> {
    return (await this.userinfoResponse()).response
  }

  /**
   * The response to the second request with the same access token.
   * @throws {Inconclusive} if UserInfo refuses the first request
   */
  async userinfoAgain(): Promise<HttpResponse> {
    await this.userinfoControl()
    const again = await this.userinfoWithValid((await this.userinfoResponse()).accessToken)
    if (again.status !== 401) return again
    // Another request may have invalidated the token meanwhile: a new token decides.
    const { accessToken } = await this.steps.tokens.renewedKeeper()
    const first = await this.run.provider.userinfo(accessToken)
    return acceptsToken(first) ? this.run.provider.userinfo(accessToken) : again
  }

  /**
   * The response to a valid access token. After a 401, the token is sent once more. If UserInfo then accepts the
   * token, only USERINFO-BEARER judges the 401, at the end of the run.
   */
  async userinfoWithValid(accessToken: string): Promise<HttpResponse> {
    const { provider } = this.run
    const response = await provider.userinfo(accessToken)
    return response.status === 401 ? provider.userinfo(accessToken) : response
  }

  /** Sends the control (the valid request) of requests with bad tokens, and records whether UserInfo accepts it. */
  async #sendControl(): Promise<UserinfoResponse> {
    const sent = await this.#requestWithNewerTokens()
    if (acceptsToken(sent.response)) this.run.controls.worked('userinfo')
    return sent
  }

  /**
   * The response to the first token. If UserInfo refuses that token, its age, a login or a refresh may have
   * invalidated it: then the response to a newer token.
   */
  async #requestWithNewerTokens(): Promise<UserinfoResponse> {
    const send = (accessToken: string) => this.userinfoWithValid(accessToken)
    const tokens = await this.steps.tokens.first()
    const first = await send(tokens.accessToken)
    // After expires_in, any 4xx may mean that the token has expired. Other requirements judge which status that must
    // be.
    const mayBeInvalid = first.status === 401 || (first.status >= 400 && hasExpired(tokens))
    if (!mayBeInvalid) return { response: first, accessToken: tokens.accessToken }
    const keeper = await this.steps.tokens.keeper()
    const response = await keeper.call(send)
    if (response.status !== 401) return { response, refused: first, accessToken: keeper.accessToken }
    const renewed = (await this.steps.tokens.renewedKeeper()).accessToken
    return { response: await send(renewed), refused: first, accessToken: renewed }
  }

  /** The response to a refreshed access token. After a 401, the response to another one: new tokens, refreshed. */
  async userinfoAfterRefresh(): Promise<HttpResponse> {
    const send = async () => this.userinfoWithValid(await this.steps.tokens.refreshedAccessToken())
    const response = await send()
    if (response.status !== 401) return response
    // Replaces the tokens, so that `send` refreshes the new ones.
    await this.steps.tokens.renewedKeeper()
    return send()
  }

  /**
   * Requires that UserInfo accepted a valid token within the last minute. Sends a new request if the last is older.
   */
  async userinfoControl(): Promise<void> {
    const requireAccepted = (response: HttpResponse) => {
      if (acceptsToken(response)) return
      throw new Inconclusive(`the valid access token is refused as well (${describe(response)})`, [
        'USERINFO-BEARER',
      ])
    }
    requireAccepted(await this.userinfo())
    if (this.run.controls.isStale('userinfo')) requireAccepted((await this.#sendControl()).response)
  }

  /** The response of UserInfo to a request without an access token, sent once per run after the control. */
  userinfoWithoutToken(): Promise<HttpResponse> {
    return this.run.once(this.userinfoWithoutToken, async () => {
      await this.userinfoControl()
      return this.run.provider.userinfo(undefined)
    })
  }

  /** The introspection of the newest access token or, if that token is not active, of a new token; once per run. */
  introspection(): Promise<HttpResponse> {
    return this.run.once(this.introspection, () => this.#introspectNewest(() => this.introspect()))
  }

  /** Introspects the newest token. If the response states that it is not active, introspects a new token. */
  async #introspectNewest(introspect: () => Promise<HttpResponse>): Promise<HttpResponse> {
    const response = await introspect()
    if (!this.introspects(response) || response.object?.active !== false) return response
    await this.steps.tokens.renewedKeeper()
    return introspect()
  }

  /** Introspects the newest access token. `changes` replace parameters of the form; null omits a parameter. */
  async introspect(
    changes: Changes = {},
    authentication = clientAuthentication(applicationOf(this.run.target)),
  ): Promise<HttpResponse> {
    const { accessToken } = await this.steps.tokens.keeper()
    return this.run.provider.introspection(formOf({ token: accessToken, ...changes }), authentication)
  }

  /**
   * The introspection of the newest refresh token or, if that token is not active, of a new token; once per run.
   * @throws {Inconclusive} if the target issued no refresh token
   */
  refreshTokenIntrospection(): Promise<HttpResponse> {
    return this.run.once(this.refreshTokenIntrospection, () =>
      this.#introspectNewest(async () => {
        const { refreshToken: token } = await this.steps.tokens.keeper()
        if (token !== undefined) return this.introspect({ token })
        throw new Inconclusive('there is no refresh token', ['TOKEN-REFRESH-TOKEN-ISSUED'])
      }),
    )
  }

  /**
   * The response to the introspection of a token that was never issued, requested once per run. Without the effect
   * `bad-credentials`, the request has no token. A member of this response describes no token, and neither does the
   * same member of another response.
   * @param isAnonymous whether the request has no client credentials
   */
  introspectionOfUnknownToken(isAnonymous: boolean): Promise<HttpResponse> {
    return this.run.once([this.introspectionOfUnknownToken, isAnonymous], () => {
      const { target } = this.run
      const token = target.allowedEffects.includes('bad-credentials') ? unknownToken : null
      return isAnonymous ? this.introspect({ token }, { headers: [], form: [] }) : this.introspect({ token })
    })
  }

  /** Whether a response has the member `active`, which shows that introspection is available to partners. */
  introspects(response: HttpResponse): boolean {
    return response.status === 200 && response.object !== undefined && 'active' in response.object
  }

  /** The response of `introspection`. @throws {NotApplicable} if introspection is not available */
  async availableIntrospection(): Promise<HttpResponse> {
    const response = await this.introspection()
    if (this.introspects(response)) return response
    if (response.status === 404) throw await this.#withoutIntrospection()
    throw new NotApplicable(
      'the response to an introspection request for a valid access token does not describe a token, so introspection counts as unavailable',
      'target',
    )
  }

  /** The verdict if introspection is absent at the documented address; discovery may list another address. */
  async #withoutIntrospection(): Promise<NotApplicable> {
    const listed = (await new DiscoverySteps(this.run).document())?.introspection_endpoint
    const { pathname, href } = endpoint(this.run.target, 'introspection')
    const other =
      listed === undefined || listed === href
        ? ''
        : `; discovery lists ${quotedOrMasked(listed)}, which Plumbline does not use: have the operators of the target serve the documented address`
    const reason = `the response to introspection at the documented address ${pathname} is 404, so introspection counts as unavailable to partners${other}`
    return new NotApplicable(reason, 'target')
  }

  /**
   * The response of UserInfo to a bad access token, after the control. Each kind is sent once per run.
   * @returns undefined if the bad token needs a published key that the key set lacks
   */
  userinfoWithBad(kind: AlteredTokenKind): Promise<HttpResponse>
  userinfoWithBad(kind: BadTokenKind): Promise<HttpResponse | undefined>
  userinfoWithBad(kind: BadTokenKind): Promise<HttpResponse | undefined> {
    return this.run.once([this.userinfoWithBad, kind], async () => {
      await this.userinfoControl()
      const token = await badToken(this.run, (await this.steps.tokens.keeper()).accessToken, kind)
      return token === undefined ? undefined : this.run.provider.userinfo(token)
    })
  }

  /**
   * The response of UserInfo to an ID token or refresh token in place of the access token, sent after the control.
   * @throws {Inconclusive} if the target issued no token of this kind
   */
  async userinfoWithOther(kind: 'idToken' | 'refreshToken'): Promise<HttpResponse> {
    const tokens = this.steps.tokens
    await this.userinfoControl()
    const token = kind === 'idToken' ? (await tokens.first()).idToken : (await tokens.keeper()).refreshToken
    if (token !== undefined) return this.run.provider.userinfo(token)
    throw new Inconclusive(`the target issued no ${kind === 'idToken' ? 'ID token' : 'refresh token'}`, [
      kind === 'idToken' ? 'TOKEN-ID-TOKEN-ISSUED' : 'TOKEN-REFRESH-TOKEN-ISSUED',
    ])
  }

  /**
   * The introspection of a bad access token, once per kind and run.
   * @throws {NotApplicable} if introspection is not available
   */
  introspectionOf(kind: AlteredTokenKind): Promise<HttpResponse> {
    return this.run.once([this.introspectionOf, kind], async () => {
      await this.availableIntrospection()
      return this.introspect({ token: alteredToken((await this.steps.tokens.keeper()).accessToken, kind) })
    })
  }
}
