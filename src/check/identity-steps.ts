import type { JWK } from 'jose'
import {
  type Act,
  type AuthorizeOptions,
  connectBrowser,
  type Landing,
  loadClaimRecipe,
  type Redirect,
  UserAgent,
} from '../browser/index.ts'
import type { Exchange } from '../evidence/exchange.ts'
import type { HttpResponse } from '../http/response.ts'
import { backoffMs } from '../http/retry-after.ts'
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
import { refusedByConfiguration } from './first-landing.ts'
import { isNameless } from './landing.ts'
import { isPassing, transientErrorOf, Unfinished } from './transient.ts'
import { Inconclusive, NotApplicable } from './verdict.ts'
import { controlLifetimeMs, type World } from './world.ts'

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

/**
 * Who makes an authorization request, and what they do with pages: the shared signed-in user, who answers them,
 * only looks on, or cancels; or somebody in a window of their own, who signs in, does nothing, or cancels.
 */
const parts = {
  'signed-in': { session: 'shared', act: 'sign-in' },
  onlooker: { session: 'shared', act: 'stop' },
  refuser: { session: 'shared', act: 'cancel' },
  newcomer: { session: 'own', act: 'sign-in' },
  nobody: { session: 'own', act: 'stop' },
  canceller: { session: 'own', act: 'cancel' },
} as const

export type Who = keyof typeof parts

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
    throw new Inconclusive(`there is no key set to look at (${describe(response)}); see KEYSET-SHAPE`)
  }

  /** Verifies a signature with the shared, cached key set. */
  async verify(token: DecodedJwt): Promise<SignatureVerdict> {
    const keys = await this.#cachedKeys()
    return verifySignature(token.compact, (kid) => keys.key(kid))
  }

  /** How many published keys have a kid, after at most one more look at the key set. */
  async publishedWith(kid: string): Promise<number> {
    return (await (await this.#cachedKeys()).keys(kid)).length
  }

  /** The one published key with a kid, for what else is signed with RS256; undefined where there is none. */
  async keyByKid(kid: string): Promise<JWK | undefined> {
    return (await this.#cachedKeys()).key(kid)
  }

  async #cachedKeys(): Promise<KeySet> {
    const first = await this.keySet()
    return this.#share('cached keys', async () => {
      let fetched: HttpResponse | undefined = first
      return new KeySet(async () => {
        const response = fetched ?? (await this.provider.keySet(await this.keySetUrl()))
        fetched = undefined
        const found = keysOf(response)
        if (!found)
          throw new Inconclusive(
            `there is no key set to verify with (${describe(response)}); see KEYSET-SHAPE`,
          )
        return found
      })
    })
  }

  // Authorization

  /**
   * The first complete authorization of the run: one typed login, shared.
   * @throws {Inconclusive} where it was refused for a reason that may lie in the configuration
   */
  firstAuthorization(): Promise<Authorization & { readonly agent: UserAgent }> {
    return this.#share('first authorization', async () => {
      const { target } = this.#world
      const first = await this.#onceMore(async () => {
        const agent = await this.#openAgent((close) => this.#world.onClose(close))
        const request = authorizationRequest(target)
        return { agent, request, landing: await this.#land(agent, request, 'sign-in', 'to the end') }
      })
      const refusal = refusedByConfiguration(first.landing, target)
      if (refusal !== undefined) throw new Inconclusive(refusal, 'configuration')
      if (codeIn(first.landing)) this.#good('authorization')
      return first
    })
  }

  /** What everything else rests on is made once more where the target was throttled, down or slow. */
  async #onceMore<T>(make: () => Promise<T>, again: () => Promise<T> = make): Promise<T> {
    try {
      return await make()
    } catch (error) {
      if (!isPassing(error)) throw error
      this.#world.gate.holdFor(backoffMs(0))
      return again()
    }
  }

  /** Where a changed authorization request ends. In the shared session, the good one has brought a code within the last minute. */
  async authorize(
    who: Who,
    changes: Changes = {},
    application: Application = this.#world.target.application,
  ): Promise<Authorization> {
    const request = authorizationRequest(this.#world.target, changes, application)
    const { session, act } = parts[who]
    const agent =
      session === 'shared'
        ? await this.#signedInAgent()
        : await this.#openAgent((close) => this.#context.onClose(close))
    if (session === 'shared') await this.#control('authorization', async () => void (await this.code()))
    const exchanges: Exchange[] = []
    const landing = await this.#world.recorder.during(
      () => this.#land(agent, request, act, act === 'cancel' ? 'to the end' : 'anywhere'),
      exchanges,
    )
    // Without a known application and its redirect URI there is nowhere an error has to be sent.
    if (isNameless(landing) && changes.client_id === undefined && changes.redirect_uri === undefined) {
      const sent = [...Object.keys(changes), ...(act === 'cancel' ? ['a user who cancelled'] : [])]
      this.#world.nameless.push({ sent: sent.join(', '), exchanges })
    }
    return { request, landing }
  }

  /** What was changed in requests after which the user came back with neither code nor error. */
  nameless(): readonly string[] {
    const { nameless, recorder } = this.#world
    for (const { exchanges } of nameless) recorder.recall(exchanges)
    return nameless.map(({ sent }) => sent)
  }

  /** Something that several checks look at, made once a run. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    return this.#share(name, make)
  }

  /** The shared request that has to be refused after sign-in: a good one but for response_type=token. */
  refusedAuthorization(): Promise<Authorization> {
    return this.#share('refused authorization', () => this.authorize('signed-in', { response_type: 'token' }))
  }

  /** The shared request that a user without a session cancels. */
  async cancelledAuthorization(): Promise<Authorization> {
    await this.firstCode()
    return this.#share('cancelled authorization', () => this.authorize('canceller'))
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
    const attempt = async () => {
      const agent = await this.#share('second login', () =>
        this.#openAgent((close) => this.#world.onClose(close)),
      )
      return this.#codeFrom(agent, authorizationRequest(this.#world.target))
    }
    return this.#onceMore(attempt, () => {
      this.#world.forget('second login')
      return attempt()
    })
  }

  /** The code of the shared login. @throws {Inconclusive} where the flow did not bring one */
  async firstCode(): Promise<Code> {
    const { request, landing, agent } = await this.firstAuthorization()
    return { code: this.#codeOf(landing), request, agent }
  }

  // Tokens

  /** The shared code exchange, as it was answered. Its code is the one of the shared login. */
  exchangeAnswer(): Promise<{ readonly response: HttpResponse; readonly request: AuthorizationRequest }> {
    return this.#share('code exchange', async () => this.#exchanged(await this.firstCode()))
  }

  /** A code exchange; where it was throttled, or the target was down or slow, one more with a fresh code. */
  async #exchanged(
    first: Code,
  ): Promise<{ readonly response: HttpResponse; readonly request: AuthorizationRequest }> {
    const exchanged = async (code: Code) => ({
      response: await this.exchange(code),
      request: code.request,
    })
    return this.#onceMore(
      () => exchanged(first),
      async () => exchanged(await this.code()),
    )
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
    if (response.status === 200 && response.object?.access_token) this.#good('code exchange')
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

  /** The shared refresh, with the tokens before it. */
  firstRefresh(): Promise<{ readonly before: Tokens; readonly response: HttpResponse }> {
    return this.#share('first refresh', async () => {
      const refreshed = async () => {
        const before = await this.keptTokens()
        refreshTokenOf(before)
        const response = await (await this.keeper()).refresh()
        if (!response) throw new Error('a refresh token that is there was not sent')
        return { before, response }
      }
      const first = await refreshed()
      if (first.response.status < 400) return first
      await this.renewedKeeper()
      return refreshed()
    })
  }

  /** The newest tokens in the shared session. */
  keeper(): Promise<TokenKeeper> {
    return this.#share(
      'token keeper',
      async () => new TokenKeeper(await this.keptTokens(), (refreshToken) => this.refresh(refreshToken)),
    )
  }

  /** The newest tokens once more, of this moment: another login or exchange may have ended what was kept. */
  renewedKeeper(): Promise<TokenKeeper> {
    this.#world.forget('token keeper')
    this.#world.forget('kept tokens')
    return this.keeper()
  }

  /**
   * Tokens of an exchange of their own: refreshing may end an access token, and another exchange may end a refresh
   * token, so the first ones of the run are left alone.
   */
  keptTokens(): Promise<Tokens> {
    return this.#share('kept tokens', async () => {
      const { response, request } = await this.#exchanged(await this.code())
      return this.tokensOf(response, request)
    })
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
      const { response, request } = await this.#exchanged(await this.code())
      return { token: this.#decoded(this.tokensOf(response, request), 'idToken'), request }
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
    return this.#share('userinfo', () => this.#askUserinfo())
  }

  async userinfo(): Promise<HttpResponse> {
    return (await this.userinfoAnswer()).response
  }

  async #askUserinfo(): Promise<BearerAnswer> {
    const ask = (accessToken: string) => this.provider.userinfo(accessToken)
    const kept = await (await this.keeper()).call(ask)
    const refused = kept.refused ?? (kept.response.status === 401 ? kept.response : undefined)
    // By age or by another login, what this session holds may have ended: the answer to tokens of this moment decides.
    const answer = refused ? { response: await ask((await this.renewedKeeper()).accessToken), refused } : kept
    if (answer.response.status === 200) this.#good('userinfo')
    return answer
  }

  /** The good token was accepted within the last minute: what a refused one is held against. */
  async userinfoControl(): Promise<void> {
    const accepted = (response: HttpResponse) => {
      if (response.status === 200) return
      throw new Inconclusive(`a good token is refused as well (${describe(response)}); see USERINFO-BEARER`)
    }
    accepted(await this.userinfo())
    await this.#control('userinfo', async () => accepted((await this.#askUserinfo()).response))
  }

  // Introspection

  /** The shared introspection request for the newest access token, or one of this moment where that has ended. */
  introspection(): Promise<HttpResponse> {
    return this.#share('introspection', async () => {
      const response = await this.introspect()
      if (!this.introspects(response) || response.object?.active !== false) return response
      await this.renewedKeeper()
      return this.introspect()
    })
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
      hosts: [...target.hosts, ...this.#claimHosts()],
      redirectUris: [target.application.redirectUri, target.secondApplication?.redirectUri].filter(
        (uri) => uri !== undefined,
      ),
      ...(target.loginRecipe !== undefined && { recipe: target.loginRecipe }),
    })
    onClose(() => agent.close())
    return agent
  }

  /** Hosts that the page on which a claim is changed needs besides, where that page is used. */
  #claimHosts(): readonly string[] {
    const { target } = this.#world
    const used = target.claimRecipe !== undefined && target.allowedEffects.includes('claim-change')
    return (used && loadClaimRecipe(target.claimRecipe, target).hosts) || []
  }

  /**
   * @param expected `to the end` for a journey that has to come back to the application: a page that asks for
   * something nobody understood is then a matter of the login recipe. Elsewhere it may be a refusal.
   */
  async #land(
    agent: UserAgent,
    request: AuthorizationRequest,
    act: Act,
    expected: 'to the end' | 'anywhere' = 'anywhere',
  ): Promise<Authorization['landing']> {
    const { user } = this.#world.target
    this.#world.vault.add(request.state, request.nonce, request.verifier)
    const landing = await this.#journey(agent, request.url, {
      redirectUri: request.redirectUri,
      act,
      patient: expected === 'to the end',
      ...(user && { user }),
    })
    if (landing.kind === 'failed') throw new Unfinished(landing)
    if (expected === 'to the end' && landing.kind === 'page' && landing.asks && landing.status < 400) {
      throw new Inconclusive(
        'a page with buttons was not understood; describe it in a login recipe (LOGIN_RECIPE, see docs/login-recipes.md)',
        'configuration',
      )
    }
    if (landing.kind === 'redirect') this.#learnFrom(landing)
    return landing
  }

  /**
   * An authorization request, asked once more where the answer is an error that says to come again later.
   * @throws {Inconclusive} where the second answer says so too
   */
  async #journey(agent: UserAgent, url: URL, options: AuthorizeOptions): Promise<Landing> {
    const first = await agent.authorize(url, options)
    if (transientErrorOf(first) === undefined) return first
    this.#world.gate.holdFor(backoffMs(0))
    const second = await agent.authorize(url, options)
    const error = transientErrorOf(second)
    if (error === undefined) return second
    throw new Inconclusive(`the authorization endpoint answered error=${error}, which is transient, twice`)
  }

  async #signedInAgent(): Promise<UserAgent> {
    return (await this.firstCode()).agent
  }

  async #codeFrom(agent: UserAgent, request: AuthorizationRequest): Promise<Code> {
    const landing = await this.#land(agent, request, 'sign-in', 'to the end')
    const code = this.#codeOf(landing)
    this.#good('authorization')
    return { code, request, agent }
  }

  #codeOf(landing: Authorization['landing']): string {
    const code = codeIn(landing)
    if (code) return code
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

/** The code where it has to be: in the query of a redirect. */
function codeIn(landing: Authorization['landing']): string | undefined {
  return (landing.kind === 'redirect' && landing.query.get('code')) || undefined
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
