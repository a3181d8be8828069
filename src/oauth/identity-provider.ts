import { isDeepStrictEqual } from 'node:util'
import type { Http } from '../http/http.ts'
import type { HttpRequest } from '../http/request.ts'
import type { HttpResponse } from '../http/response.ts'
import { applicationOf } from '../target/parts.ts'
import type { Application, Target } from '../target/target.ts'
import { type ClientAuthentication, clientAuthentication } from './client-authentication.ts'
import { disclosedTokens, tokenValuesIn } from './disclosed-tokens.ts'
import { endpoint } from './endpoints.ts'
import type { Form } from './form.ts'
import { ProviderLog } from './provider-log.ts'

const acceptJson = ['Accept', 'application/json'] as const

/** Sends requests to the endpoints of the provider that need no browser. The caller judges the responses. */
export class IdentityProvider {
  readonly #http: Http
  readonly #target: Target
  readonly #onToken: (token: string) => void
  readonly log = new ProviderLog()

  /** @param onToken called with each token in any response of the token endpoint */
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
    this.log.keySets.push(response)
    return response
  }

  /**
   * POST to the token endpoint.
   * @param options `accept: false` omits the optional Accept header
   */
  async token(
    form: Form,
    authentication: ClientAuthentication | Application = applicationOf(this.#target),
    { accept = true }: { readonly accept?: boolean } = {},
  ): Promise<HttpResponse> {
    const client = clientOf(authentication)
    const request = this.#formRequest('token', form, client, accept)
    const application = this.#applicationWith(client)
    const response = this.#received(form, application, await this.#http.send(request))
    this.#logFailure(authentication, response)
    return response
  }

  /** Sends the same POST of the application several times at once, each over its own connection. */
  async tokenTogether(form: Form, count: number): Promise<readonly HttpResponse[]> {
    const application = applicationOf(this.#target)
    const request = this.#formRequest('token', form, clientAuthentication(application))
    const outcomes = await this.#http.sendTogether(request, count)
    const responses = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    for (const response of responses) this.#received(form, application, response)
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed) throw failed.reason
    return responses
  }

  /**
   * POST to the token endpoint with exactly this body. A refusal is not logged as a failed authentication, because the
   * target may be unable to read the credentials in the body.
   * @param form members of the body, if the target can read them
   */
  async tokenBody(
    mediaType: string,
    raw: string,
    authentication: ClientAuthentication,
    form: Form = [],
  ): Promise<HttpResponse> {
    const response = await this.#http.send({
      method: 'POST',
      url: endpoint(this.#target, 'token'),
      headers: [acceptJson, ['Content-Type', mediaType], ...authentication.headers],
      raw,
      retry: 'after-429-or-503',
    })
    return this.#received(form, undefined, response, raw)
  }

  /** A POST of a form: its members in their order, then the members of the client authentication. */
  #formRequest(
    name: 'token' | 'introspection',
    form: Form,
    client: ClientAuthentication,
    accept = true,
  ): HttpRequest {
    return {
      method: 'POST',
      url: endpoint(this.#target, name),
      headers: [...(accept ? [acceptJson] : []), ...client.headers],
      form: [...form, ...client.form],
      retry: 'after-429-or-503',
    }
  }

  /** Logs a response of the token endpoint, and searches a refusal for tokens. */
  #received(
    form: Form,
    application: Application | undefined,
    response: HttpResponse,
    raw = '',
  ): HttpResponse {
    if (response.status >= 300) {
      const received = this.log.issued.flatMap((issued) => tokenValuesIn(issued.response))
      const sent = [raw, ...form.map(([, value]) => value)]
      response.disclosedTokens = disclosedTokens(response, received, sent)
    }
    this.log.addToken(form, application, response)
    for (const token of tokenValuesIn(response)) this.#onToken(token)
    return response
  }

  #applicationWith(client: ClientAuthentication): Application | undefined {
    const { application, secondApplication } = this.#target
    return [application, secondApplication].find(
      (configured) => configured && isDeepStrictEqual(clientAuthentication(configured), client),
    )
  }

  #logFailure(authentication: ClientAuthentication | Application, response: HttpResponse): void {
    if (response.status < 400 || this.#applicationWith(clientOf(authentication))) return
    const applicationId = 'id' in authentication ? authentication.id : applicationOf(this.#target).id
    this.log.failedAuthentications.push({ applicationId, response })
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
    if (accessToken !== undefined) this.log.userinfoUses.push({ accessToken, response })
    return response
  }

  async introspection(form: Form, authentication: ClientAuthentication): Promise<HttpResponse> {
    const request = this.#formRequest('introspection', form, authentication)
    const response = await this.#http.send({ ...request, mayBeMissing: true })
    this.#logFailure(authentication, response)
    return response
  }
}

function clientOf(authentication: ClientAuthentication | Application): ClientAuthentication {
  return 'form' in authentication ? authentication : clientAuthentication(authentication)
}
