import { type Header, partnerHeaders } from '../event-hub/search.ts'
import type { Http } from '../http/http.ts'
import type { HttpResponse } from '../http/response.ts'
import { partnerApiOf } from '../target/parts.ts'
import type { Target } from '../target/target.ts'

/** The members of a subscription in requests (section Webhook subscription). */
export interface SubscriptionRequest {
  /** HTTPS, publicly reachable. */
  readonly target_url?: string
  /** At least 32 characters. */
  readonly secret?: string
  /** Event types; an empty list means all. */
  readonly event_filters?: readonly string[]
  readonly description?: string
}

/** Whether a request to create a subscription has every required member, with a valid value. */
export function isComplete({
  target_url: url,
  secret,
  event_filters: filters,
}: SubscriptionRequest): boolean {
  return url?.startsWith('https:') === true && (secret?.length ?? 0) >= 32 && filters !== undefined
}

/**
 * Sends requests that manage webhook subscriptions (planned). The caller judges the responses. The specification gives
 * the address `{partner_api_url}/events/subscriptions` as indicative.
 */
export class Subscriptions {
  /** All responses, in order. */
  readonly responses: HttpResponse[] = []
  readonly #http: Http
  readonly #target: Target

  constructor(http: Http, target: Target) {
    this.#http = http
    this.#target = target
  }

  /** @param credentials authentication headers; by default with the configured credentials */
  create(request: SubscriptionRequest, credentials?: readonly Header[]): Promise<HttpResponse> {
    return this.#send('POST', '', credentials, request)
  }

  list(credentials?: readonly Header[]): Promise<HttpResponse> {
    return this.#send('GET', '', credentials)
  }

  get(id: string, credentials?: readonly Header[]): Promise<HttpResponse> {
    return this.#send('GET', `/${encodeURIComponent(id)}`, credentials)
  }

  update(id: string, changes: SubscriptionRequest, credentials?: readonly Header[]): Promise<HttpResponse> {
    return this.#send('PATCH', `/${encodeURIComponent(id)}`, credentials, changes)
  }

  delete(id: string, credentials?: readonly Header[]): Promise<HttpResponse> {
    return this.#send('DELETE', `/${encodeURIComponent(id)}`, credentials)
  }

  async #send(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    credentials?: readonly Header[],
    json?: SubscriptionRequest,
  ): Promise<HttpResponse> {
    const partnerApi = partnerApiOf(this.#target)
    const response = await this.#http.send({
      method,
      url: new URL(`${partnerApi.url}/events/subscriptions${path}`),
      headers: [['Accept', 'application/json'], ...(credentials ?? partnerHeaders(partnerApi.credentials))],
      retry: method === 'GET' ? 'safe' : 'after-429-or-503',
      ...(json && { json: { ...json } }),
    })
    this.responses.push(response)
    return response
  }
}
