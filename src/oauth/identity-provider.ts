import type { Http } from '../http/http.ts'
import type { HttpRequest } from '../http/request.ts'
import type { HttpResponse } from '../http/response.ts'
import type { Application, Target } from '../target/target.ts'
import type { Changes } from './authorization-request.ts'
import { type ClientAuthentication, clientAuthentication } from './client-authentication.ts'
import { endpoint } from './endpoints.ts'

export type Form = readonly (readonly [name: string, value: string])[]

/** Members of a form, without those that are null. */
export function formOf(members: Changes): Form {
  return Object.entries(members).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}

const acceptJson = ['Accept', 'application/json'] as const

/**
 * The provider's endpoints that are called without a browser, each as one request.
 * Answers come back whatever they say; what they mean is the caller's to judge.
 */
export class IdentityProvider {
  readonly #http: Http
  readonly #target: Target
  /** Every refusal of the token endpoint in this run, in order. */
  readonly tokenRefusals: HttpResponse[] = []

  constructor(http: Http, target: Target) {
    this.#http = http
    this.#target = target
  }

  discovery(): Promise<HttpResponse> {
    return this.#http.send({ method: 'GET', url: endpoint(this.#target, 'discovery'), repeat: 'reads' })
  }

  keySet(url: URL): Promise<HttpResponse> {
    return this.#http.send({ method: 'GET', url, repeat: 'reads' })
  }

  /**
   * POST to the token endpoint, members in the order given, then client authentication.
   * @param options `accept: false` leaves the optional Accept header out
   */
  token(
    form: Form,
    authentication: ClientAuthentication | Application = this.#target.application,
    { accept = true, ...options }: Pick<HttpRequest, 'ownConnection'> & { readonly accept?: boolean } = {},
  ): Promise<HttpResponse> {
    const client = 'form' in authentication ? authentication : clientAuthentication(authentication)
    return this.#sendToken({
      headers: [...(accept ? [acceptJson] : []), ...client.headers],
      form: [...form, ...client.form],
      ...options,
    })
  }

  /** POST to the token endpoint with exactly these bytes for a body. */
  tokenBody(mediaType: string, raw: string, authentication: ClientAuthentication): Promise<HttpResponse> {
    return this.#sendToken({
      headers: [acceptJson, ['Content-Type', mediaType], ...authentication.headers],
      raw,
    })
  }

  async #sendToken(request: Omit<HttpRequest, 'method' | 'url' | 'repeat'>): Promise<HttpResponse> {
    const response = await this.#http.send({
      method: 'POST',
      url: endpoint(this.#target, 'token'),
      repeat: 'once',
      ...request,
    })
    if (response.status >= 400) this.tokenRefusals.push(response)
    return response
  }

  userinfo(accessToken: string | undefined): Promise<HttpResponse> {
    return this.#http.send({
      method: 'GET',
      url: endpoint(this.#target, 'userinfo'),
      headers: [
        acceptJson,
        ...(accessToken === undefined ? [] : [['Authorization', `Bearer ${accessToken}`] as const]),
      ],
      repeat: 'reads',
    })
  }

  introspection(form: Form, authentication: ClientAuthentication): Promise<HttpResponse> {
    return this.#http.send({
      method: 'POST',
      url: endpoint(this.#target, 'introspection'),
      headers: [acceptJson, ...authentication.headers],
      form: [...form, ...authentication.form],
      repeat: 'once',
    })
  }
}
