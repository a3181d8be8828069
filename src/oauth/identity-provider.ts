import type { Http } from '../http/http.ts'
import type { HttpRequest } from '../http/request.ts'
import type { HttpResponse } from '../http/response.ts'
import { applicationOf } from '../target/parts.ts'
import type { Application, Target } from '../target/target.ts'
import type { Changes } from './authorization-request.ts'
import { type ClientAuthentication, clientAuthentication } from './client-authentication.ts'
import { endpoint } from './endpoints.ts'
import { issuedAccessToken } from './token-keeper.ts'

export type Form = readonly (readonly [name: string, value: string])[]

/** A form of the members that are not null. */
export function formOf(members: Changes): Form {
  return Object.entries(members).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}

/** A successful response of the token endpoint. */
interface IssuedTokens {
  readonly form: Form
  /** Undefined for other credentials than its own, or none. */
  readonly application?: Application
  readonly response: HttpResponse
}

type TokenRequest = Pick<HttpRequest, 'headers' | 'form' | 'raw'>

const acceptJson = ['Accept', 'application/json'] as const

/**
 * Sends requests to the endpoints of the provider that need no browser. The caller judges the responses.
 */
export class IdentityProvider {
  readonly #http: Http
  readonly #target: Target
  readonly #onToken: (token: string) => void
  /** Every refusal of the token endpoint in this run, in order. */
  readonly tokenRefusals: HttpResponse[] = []

  /** Every refusal of other credentials than those configured, in order, with the application that they resemble. */
  readonly failedAuthentications: { readonly applicationId: string; readonly response: HttpResponse }[] = []

  /** Every request to UserInfo with an access token, in order. */
  readonly userinfoUses: { readonly accessToken: string; readonly response: HttpResponse }[] = []

  /** Every response of the key set endpoint, in order. */
  readonly keySets: HttpResponse[] = []

  /** Every response with tokens, in order. */
  readonly issued: IssuedTokens[] = []

  /** @param onToken is called with each token that the token endpoint returns, in any response */
  constructor(http: Http, target: Target, onToken: (token: string) => void = () => undefined) {
    this.#http = http
    this.#target = target
    this.#onToken = onToken
  }

  discovery(): Promise<HttpResponse> {
    return this.#http.send({ method: 'GET', url: endpoint(this.#target, 'discovery'), retry: 'safe' })
  }

  async keySet(url: URL): Promise<HttpResponse> {
    const response = await this.#http.send({ method: 'GET', url, retry: 'safe' })
    this.keySets.push(response)
    return response
  }

  /** When a token was received, in milliseconds since the epoch; undefined for a token that no response contains. */
  receivedAt(token: string): number | undefined {
    const issued = this.issued.find(({ response: { object } }) =>
      [object?.access_token, object?.id_token].includes(token),
    )
    return issued && issued.response.exchange.sentAt + issued.response.exchange.durationMs
  }

  /**
   * POST to the token endpoint: the members in the given order, then the client authentication.
   * @param options `accept: false` omits the optional Accept header
   */
  async token(
    form: Form,
    authentication: ClientAuthentication | Application = applicationOf(this.#target),
    { accept = true }: { readonly accept?: boolean } = {},
  ): Promise<HttpResponse> {
    const client = 'form' in authentication ? authentication : clientAuthentication(authentication)
    const response = await this.#sendToken({
      headers: [...(accept ? [acceptJson] : []), ...client.headers],
      form: [...form, ...client.form],
    })
    this.#remember(form, 'id' in authentication ? authentication : undefined, response)
    this.#rememberFailure(authentication, response)
    return response
  }

  /** Sends the same POST of the application several times at once, each over its own connection. */
  async tokenTogether(form: Form, count: number): Promise<readonly HttpResponse[]> {
    const application = applicationOf(this.#target)
    const client = clientAuthentication(application)
    const request = this.#tokenRequest({
      headers: [acceptJson, ...client.headers],
      form: [...form, ...client.form],
    })
    const outcomes = await this.#http.sendTogether(request, count)
    const responses = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    for (const response of responses) {
      this.#keep(response)
      this.#remember(form, application, response)
    }
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed) throw failed.reason
    return responses
  }

  /**
   * POST to the token endpoint with exactly this body.
   * @param form the members that the body conveys to a target that reads it
   */
  async tokenBody(
    mediaType: string,
    raw: string,
    authentication: ClientAuthentication,
    form: Form = [],
  ): Promise<HttpResponse> {
    const response = await this.#sendToken({
      headers: [acceptJson, ['Content-Type', mediaType], ...authentication.headers],
      raw,
    })
    this.#remember(form, undefined, response)
    return response
  }

  async #sendToken(request: TokenRequest): Promise<HttpResponse> {
    const response = await this.#http.send(this.#tokenRequest(request))
    this.#keep(response)
    return response
  }

  #tokenRequest(request: TokenRequest): HttpRequest {
    return { method: 'POST', url: endpoint(this.#target, 'token'), retry: 'if-unprocessed', ...request }
  }

  #keep(response: HttpResponse): void {
    if (response.status >= 400) this.tokenRefusals.push(response)
    const { access_token: access, refresh_token: refresh, id_token: id } = response.object ?? {}
    for (const token of [access, refresh, id]) if (typeof token === 'string') this.#onToken(token)
  }

  #remember(form: Form, application: Application | undefined, response: HttpResponse): void {
    if (issuedAccessToken(response) !== undefined)
      this.issued.push({ form, ...(application && { application }), response })
  }

  #rememberFailure(authentication: ClientAuthentication | Application, response: HttpResponse): void {
    const { application, secondApplication } = this.#target
    const sent = JSON.stringify(
      'form' in authentication ? authentication : clientAuthentication(authentication),
    )
    const isConfigured = [application, secondApplication].some(
      (one) => one && JSON.stringify(clientAuthentication(one)) === sent,
    )
    if (response.status < 400 || isConfigured) return
    const applicationId = 'id' in authentication ? authentication.id : applicationOf(this.#target).id
    this.failedAuthentications.push({ applicationId, response })
  }

  async userinfo(accessToken: string | undefined): Promise<HttpResponse> {
    const response = await this.#http.send({
      method: 'GET',
      url: endpoint(this.#target, 'userinfo'),
      headers: [
        acceptJson,
        ...(accessToken === undefined ? [] : [['Authorization', `Bearer ${accessToken}`] as const]),
      ],
      retry: 'safe',
    })
    if (accessToken !== undefined) this.userinfoUses.push({ accessToken, response })
    return response
  }

  async introspection(form: Form, authentication: ClientAuthentication): Promise<HttpResponse> {
    const response = await this.#http.send({
      method: 'POST',
      url: endpoint(this.#target, 'introspection'),
      headers: [acceptJson, ...authentication.headers],
      form: [...form, ...authentication.form],
      retry: 'if-unprocessed',
    })
    this.#rememberFailure(authentication, response)
    return response
  }
}
