import type { JWK } from 'jose'
import { connectBrowser, type Landing, type Redirect, UserAgent } from '../browser/index.ts'
import type { HttpResponse } from '../http/response.ts'
import {
  type AuthorizationRequest,
  authorizationRequest,
  type Changes,
} from '../oauth/authorization-request.ts'
import {
  basicIsAmbiguous,
  type ClientAuthentication,
  clientAuthentication,
} from '../oauth/client-authentication.ts'
import type { Form, IdentityProvider } from '../oauth/identity-provider.ts'
import { type DecodedJwt, decodeJwt, type SignatureVerdict, verifySignature } from '../oauth/jwt.ts'
import { KeySet, keysOf } from '../oauth/key-set.ts'
import { type BearerAnswer, TokenKeeper } from '../oauth/token-keeper.ts'
import type { Application } from '../target/target.ts'
import type { CheckContext } from './context.ts'
import { describe } from './expect.ts'
import { Inconclusive, NotApplicable } from './verdict.ts'
import type { World } from './world.ts'

/** Where an authorization request ended, with the request. */
export interface Authorization {
  readonly request: AuthorizationRequest
  readonly landing: Exclude<Landing, { kind: 'failed' }>
}

/** An authorization code that nobody has used yet. */
export interface Code {
  readonly code: string
  readonly request: AuthorizationRequest
  readonly agent: UserAgent
}

/** What a code exchange or a refresh brought. */
export interface Tokens {
  readonly response: HttpResponse
  readonly request: AuthorizationRequest
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly idToken: string | undefined
  /** Milliseconds since the epoch, by our clock. */
  readonly receivedAt: number
}

export type TokenKind = 'accessToken' | 'idToken'

/** A control older than this is made anew before a negative check relies on it. */
const controlLifetimeMs = 60_000

/** Who makes an authorization request: the shared signed-in user, or somebody without a session. */
export type Who = 'signed-in' | 'nobody' | 'canceller'

/** Steps of the authorization code flow, from which the identity provider's checks are written. */
export class IdentitySteps {
  readonly #world: World
  readonly #context: CheckContext
  /** Requests without a browser. */
  readonly provider: IdentityProvider

  constructor(world: World, context: CheckContext) {
    this.#world = world
    this.#context = context
    this.provider = world.provider
  }

  // Discovery and keys

  discovery(): Promise<HttpResponse> {
    return this.#share('discovery', () => this.provider.discovery())
  }

  /** Discovery metadata as a JSON object. @throws {Inconclusive} where there is none */
  async metadata(): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.discovery()
    if (response.status === 200 && response.object) return response.object
    throw new Inconclusive(
      `there is no discovery document to look at (${describe(response)}); see DISCOVERY-METADATA`,
    )
  }

  /** {jwks_url}: as configured, else as discovery says, which must be on a configured host. */
  async keySetUrl(): Promise<URL> {
    if (this.#world.target.jwksUrl !== undefined) return new URL(this.#world.target.jwksUrl)
    const { jwks_uri: uri } = await this.metadata()
    if (typeof uri !== 'string' || !URL.canParse(uri)) {
      throw new Inconclusive('discovery names no jwks_uri; set JWKS_URL', 'configuration')
    }
    const url = new URL(uri)
    if (!this.#world.gate.allowsHost(url)) {
      throw new Inconclusive(
        `discovery names a jwks_uri on ${url.host}; set JWKS_URL to allow it`,
        'configuration',
      )
    }
    return url
  }

  keySet(): Promise<HttpResponse> {
    return this.#share('key set', async () => this.provider.keySet(await this.keySetUrl()))
  }

  /** The published keys. @throws {Inconclusive} where there is no key set */
  async publishedKeys(): Promise<readonly JWK[]> {
    const response = await this.keySet()
    const keys = keysOf(response)
    if (keys) return keys
    throw new Inconclusive(`there is no key set to look at (${describe(response)}); see KEYSET-PUBLIC`)
  }

  /** Verifies a signature with the shared, cached key set. */
  async verify(token: DecodedJwt): Promise<SignatureVerdict> {
    const first = await this.keySet()
    const keys = await this.#share('cached keys', async () => {
      let fetched: HttpResponse | undefined = first
      return new KeySet(async () => {
        const response = fetched ?? (await this.provider.keySet(await this.keySetUrl()))
        fetched = undefined
        const found = keysOf(response)
        if (!found)
          throw new Inconclusive(
            `there is no key set to verify with (${describe(response)}); see KEYSET-PUBLIC`,
          )
        return found
      })
    })
    return verifySignature(token.compact, (kid) => keys.key(kid))
  }

  // Authorization

  /** The first complete authorization of the run: one typed login, shared. */
  firstAuthorization(): Promise<Authorization & { readonly agent: UserAgent }> {
    return this.#share('first authorization', async () => {
      const agent = await this.#openAgent((close) => this.#world.onClose(close))
      const request = authorizationRequest(this.#world.target)
      return { agent, request, landing: await this.#land(agent, request, 'sign-in', 'to the end') }
    })
  }

  /** Where a changed authorization request ends. The good one has ended with a code within the last minute. */
  async authorize(who: Who, changes: Changes = {}): Promise<Authorization> {
    const request = authorizationRequest(this.#world.target, changes)
    if (who === 'signed-in') {
      const agent = await this.#signedInAgent()
      await this.#control('authorization', async () => void (await this.code()))
      return { request, landing: await this.#land(agent, request, 'sign-in') }
    }
    const agent = await this.#openAgent((close) => this.#context.onClose(close))
    if (who === 'nobody') return { request, landing: await this.#land(agent, request, 'stop') }
    return { request, landing: await this.#land(agent, request, 'cancel', 'to the end') }
  }

  /** The shared request that has to be refused after sign-in: a good one but for response_type=token. */
  refusedAuthorization(): Promise<Authorization> {
    return this.#share('refused authorization', () => this.authorize('signed-in', { response_type: 'token' }))
  }

  /** A fresh code in the shared session, for the application or another one. */
  async code(
    application: Application = this.#world.target.application,
    changes: Changes = {},
  ): Promise<Code> {
    const agent = await this.#signedInAgent()
    return this.#codeFrom(agent, authorizationRequest(this.#world.target, changes, application))
  }

  /**
   * A fresh code of a second typed login, which is kept for checks that may cost a session or its tokens,
   * so that what the other checks share stays alive.
   */
  async ownLogin(): Promise<Code> {
    await this.firstCode()
    const agent = await this.#share('second login', () =>
      this.#openAgent((close) => this.#world.onClose(close)),
    )
    return this.#codeFrom(agent, authorizationRequest(this.#world.target))
  }

  /** The code of the shared login. @throws {Inconclusive} where the flow did not bring one */
  async firstCode(): Promise<Code> {
    const { request, landing, agent } = await this.firstAuthorization()
    return { code: this.#codeOf(landing), request, agent }
  }

  // Tokens

  /** The shared code exchange, as it was answered. Its code is the one of the shared login. */
  exchangeAnswer(): Promise<{ readonly response: HttpResponse; readonly request: AuthorizationRequest }> {
    return this.#share('code exchange', async () => {
      const code = await this.firstCode()
      return { response: await this.exchange(code), request: code.request }
    })
  }

  /** Tokens of the shared code exchange. @throws {Inconclusive} where it brought none */
  async tokens(): Promise<Tokens> {
    const { response, request } = await this.exchangeAnswer()
    return this.tokensOf(response, request)
  }

  /** A code exchange; changed members replace or, where null, leave out those of the good one. */
  async exchange(
    { code, request }: Pick<Code, 'code' | 'request'>,
    changes: Changes = {},
    authentication: ClientAuthentication | Application = request.application,
  ): Promise<HttpResponse> {
    const response = await this.provider.token(exchangeForm(code, request, changes), authentication)
    this.#learn(response)
    return response
  }

  /** A refresh with a refresh token. */
  async refresh(
    refreshToken: string,
    options: { readonly ownConnection?: boolean } = {},
  ): Promise<HttpResponse> {
    const form: Form = [
      ['grant_type', 'refresh_token'],
      ['refresh_token', refreshToken],
    ]
    const response = await this.provider.token(form, this.#world.target.application, options)
    this.#learn(response)
    return response
  }

  /** The shared refresh, with the tokens before it. What it brings is kept as the newest refresh token. */
  firstRefresh(): Promise<{ readonly before: Tokens; readonly response: HttpResponse }> {
    return this.#share('first refresh', async () => {
      const before = await this.tokens()
      refreshTokenOf(before)
      const response = await (await this.keeper()).refresh()
      if (!response) throw new Error('a refresh token that is there was not sent')
      return { before, response }
    })
  }

  /** The newest tokens of the shared login. */
  keeper(): Promise<TokenKeeper> {
    return this.#share(
      'token keeper',
      async () => new TokenKeeper(await this.tokens(), (refreshToken) => this.refresh(refreshToken)),
    )
  }

  /** Tokens of a login of its own, for checks that may cost the whole family of tokens. */
  async ownTokens(): Promise<Tokens & { readonly refreshToken: string }> {
    const code = await this.ownLogin()
    const tokens = this.tokensOf(await this.exchange(code), code.request)
    return { ...tokens, refreshToken: refreshTokenOf(tokens) }
  }

  /** Tokens of a refresh. @throws {Inconclusive} where it brought none */
  refreshedTokens(response: HttpResponse): Pick<Tokens, 'accessToken' | 'refreshToken'> {
    const { access_token: accessToken, refresh_token: refreshToken } = response.object ?? {}
    if (response.status !== 200 || typeof accessToken !== 'string') {
      throw new Inconclusive(`the refresh brought no tokens (${describe(response)}); see TOKEN-REFRESH`)
    }
    return { accessToken, refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined }
  }

  /** A code exchange has worked within the last minute: what a refused one is held against. */
  async exchangeControl(): Promise<void> {
    await this.tokens()
    await this.#control('code exchange', async () => {
      const code = await this.code()
      this.tokensOf(await this.exchange(code), code.request)
    })
  }

  /** @throws {Inconclusive} where a token response holds no access token */
  tokensOf(response: HttpResponse, request: AuthorizationRequest): Tokens {
    const {
      access_token: accessToken,
      refresh_token: refreshToken,
      id_token: idToken,
    } = response.object ?? {}
    if (response.status !== 200 || typeof accessToken !== 'string')
      throw this.#noTokens(response, request.application)
    this.#good('code exchange')
    return {
      response,
      request,
      accessToken,
      refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined,
      idToken: typeof idToken === 'string' ? idToken : undefined,
      receivedAt: response.exchange.sentAt + response.exchange.durationMs,
    }
  }

  /** The ID token of a second authorization in the shared session, with its request. */
  secondIdToken(): Promise<{ readonly token: DecodedJwt; readonly request: AuthorizationRequest }> {
    return this.#share('second ID token', async () => {
      const code = await this.code()
      const tokens = this.tokensOf(await this.exchange(code), code.request)
      return { token: this.#decoded(tokens, 'idToken'), request: code.request }
    })
  }

  /** The ID token of the second typed login. */
  async ownIdToken(): Promise<DecodedJwt> {
    return this.#decoded(await this.ownTokens(), 'idToken')
  }

  /** A token of the shared exchange, taken apart. @throws {Inconclusive} where it is absent or no JWT */
  async jwt(kind: TokenKind): Promise<DecodedJwt> {
    return this.#decoded(await this.tokens(), kind)
  }

  // UserInfo

  /** The shared answer to the newest access token, which is refreshed once where it is refused as invalid. */
  userinfoAnswer(): Promise<BearerAnswer> {
    return this.#share('user-info', async () =>
      (await this.keeper()).call((accessToken) => this.provider.userinfo(accessToken)),
    )
  }

  async userinfo(): Promise<HttpResponse> {
    return (await this.userinfoAnswer()).response
  }

  /** The good token was accepted: what a refused one is held against. */
  async userinfoControl(): Promise<void> {
    const response = await this.userinfo()
    if (response.status !== 200) {
      throw new Inconclusive(`a good token is refused as well (${describe(response)}); see USERINFO-BEARER`)
    }
  }

  // Introspection

  /** The shared introspection request for the newest access token. */
  introspection(): Promise<HttpResponse> {
    return this.#share('introspection', () => this.introspect())
  }

  /** An introspection request for the newest access token, changed. */
  async introspect(
    changes: Changes = {},
    authentication = clientAuthentication(this.#world.target.application),
  ): Promise<HttpResponse> {
    const { accessToken } = await this.keeper()
    return this.provider.introspection(members({ token: accessToken, ...changes }), authentication)
  }

  /** Whether an answer is token information, which tells that introspection works for partners. */
  introspects(response: HttpResponse): boolean {
    return response.status === 200 && response.object !== undefined && 'active' in response.object
  }

  /** The shared introspection answer. @throws {NotApplicable} where introspection is not available */
  async availableIntrospection(): Promise<HttpResponse> {
    const response = await this.introspection()
    if (this.introspects(response)) return response
    throw new NotApplicable('introspection is not available to partners here', 'target')
  }

  // How it is done

  #decoded(tokens: Tokens, kind: TokenKind): DecodedJwt {
    const token = tokens[kind]
    if (token === undefined)
      throw new Inconclusive('the code exchange brought no ID token; see TOKEN-ID-TOKEN-ISSUED')
    const decoded = decodeJwt(token)
    if (decoded) return decoded
    throw new Inconclusive(
      kind === 'idToken'
        ? 'the ID token is no JWT; see IDTOKEN-JWT'
        : 'the access token is no JWT; see ACCESSTOKEN-JWT',
    )
  }

  #share<T>(name: string, make: () => Promise<T>): Promise<T> {
    return this.#world.shared(name, make)
  }

  /** A control that was good within the last minute, or is made again. */
  async #control(name: string, make: () => Promise<void>): Promise<void> {
    const age = Date.now() - (this.#world.lastGood.get(name) ?? 0)
    if (age > controlLifetimeMs) await make()
  }

  #good(name: string): void {
    this.#world.lastGood.set(name, Date.now())
  }

  async #openAgent(onClose: (close: () => Promise<void>) => void): Promise<UserAgent> {
    const { target, browserEndpoint } = this.#world
    if (browserEndpoint === undefined)
      throw new Error('a check that needs a browser declares no login effect')
    const browser = await this.#share('browser', async () => {
      const connected = await connectBrowser(browserEndpoint)
      this.#world.onClose(() => connected.close())
      return connected
    })
    const agent = await UserAgent.open(browser, {
      gate: this.#world.gate,
      recorder: this.#world.recorder,
      hosts: target.hosts,
      redirectUris: [target.application.redirectUri, target.secondApplication?.redirectUri].filter(
        (uri) => uri !== undefined,
      ),
      ...(target.loginRecipe !== undefined && { recipe: target.loginRecipe }),
    })
    onClose(() => agent.close())
    return agent
  }

  /**
   * @param expected `to the end` for a journey that has to come back to the application: a page that asks for
   * something nobody understood is then a matter of the login recipe. Elsewhere it may be a refusal.
   */
  async #land(
    agent: UserAgent,
    request: AuthorizationRequest,
    act: 'sign-in' | 'cancel' | 'stop',
    expected: 'to the end' | 'anywhere' = 'anywhere',
  ): Promise<Authorization['landing']> {
    const { user } = this.#world.target
    this.#world.vault.add(request.state, request.nonce, request.verifier)
    const landing = await agent.authorize(request.url, {
      redirectUri: request.redirectUri,
      act,
      ...(user && { user }),
    })
    if (landing.kind === 'failed') throw new Inconclusive(landing.reason, landing.cause)
    if (expected === 'to the end' && landing.kind === 'page' && landing.asks && landing.status < 400) {
      throw new Inconclusive(
        'a page with buttons was not understood; describe it in a login recipe (LOGIN_RECIPE, see docs/login-recipes.md)',
        'configuration',
      )
    }
    if (landing.kind === 'redirect') this.#learnFrom(landing)
    return landing
  }

  async #signedInAgent(): Promise<UserAgent> {
    return (await this.firstCode()).agent
  }

  async #codeFrom(agent: UserAgent, request: AuthorizationRequest): Promise<Code> {
    const landing = await this.#land(agent, request, 'sign-in', 'to the end')
    return { code: this.#codeOf(landing), request, agent }
  }

  #codeOf(landing: Authorization['landing']): string {
    const code = landing.kind === 'redirect' ? landing.query.get('code') : null
    if (code) {
      this.#good('authorization')
      return code
    }
    throw new Inconclusive(`there is no authorization code to go on with; see AUTHZ-CODE-FLOW`)
  }

  /** Remembers what a redirect carries as secrets, wherever it was put. */
  #learnFrom({ query, fragment, form }: Redirect): void {
    for (const name of ['code', 'access_token', 'id_token', 'refresh_token', 'state']) {
      for (const part of [query, fragment, form]) this.#world.vault.add(...(part?.getAll(name) ?? []))
    }
  }

  /** Remembers tokens of an answer as secrets. */
  #learn(response: HttpResponse): void {
    const { access_token: access, refresh_token: refresh, id_token: id } = response.object ?? {}
    for (const token of [access, refresh, id]) if (typeof token === 'string') this.#world.vault.add(token)
  }

  #noTokens(response: HttpResponse, application: Application): Inconclusive {
    if (response.status === 401) {
      const prefix = application.id === this.#world.target.application.id ? '' : 'SECOND_'
      return new Inconclusive(
        `the provider refused the client credentials (${describe(response)}); check ${prefix}CLIENT_ID, ${prefix}CLIENT_SECRET and CLIENT_AUTH_METHOD${
          application.authMethod === 'client_secret_basic' && basicIsAmbiguous(application)
            ? '. They hold characters that some servers want form-encoded in a Basic header and others do not, which may be the reason'
            : ''
        }`,
        'configuration',
      )
    }
    return new Inconclusive(
      `the code exchange brought no tokens (${describe(response)}); see TOKEN-CODE-EXCHANGE`,
    )
  }
}

function refreshTokenOf({ refreshToken }: Tokens): string {
  if (refreshToken !== undefined) return refreshToken
  throw new Inconclusive('the code exchange brought no refresh token; see TOKEN-REFRESH-TOKEN-ISSUED')
}

/** Members of a code exchange (section Token: code exchange), changed. */
export function exchangeForm(code: string, request: AuthorizationRequest, changes: Changes = {}): Form {
  return members({
    grant_type: 'authorization_code',
    code,
    code_verifier: request.verifier,
    redirect_uri: request.redirectUri,
    ...changes,
  })
}

/** Form members without those that are null. */
function members(all: Changes): Form {
  return Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}
