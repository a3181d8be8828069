import type { Http } from '../http/http.ts'
import type { HttpRequest } from '../http/request.ts'
import type { HttpResponse } from '../http/response.ts'
import { partnerApiOf } from '../target/parts.ts'
import type { ClientCredentials, Target } from '../target/target.ts'
import { formatLocal, type LocalDateTime } from './local-time.ts'

/** The value of a query parameter. `null` omits the parameter; `raw` is sent without percent-encoding. */
export type ParameterValue = string | number | LocalDateTime | null | { readonly raw: string }

/** Query parameters of an event search (section Event search (pull)). */
export interface SearchQuery {
  readonly from?: ParameterValue
  readonly to?: ParameterValue
  readonly page?: ParameterValue
  readonly pageSize?: ParameterValue
}

/**
 * The encoded query. All characters except unreserved ones are percent-encoded, so that a plus sign does not arrive as
 * a space.
 */
export function queryString(query: SearchQuery): string {
  return Object.entries(query)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${encoded(value as NonNullable<ParameterValue>)}`)
    .join('&')
}

function encoded(value: NonNullable<ParameterValue>): string {
  return typeof value === 'object' && 'raw' in value ? value.raw : encodeURIComponent(parameterText(value))
}

/** The value of a parameter as readable text. */
function parameterText(value: NonNullable<ParameterValue>): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  return 'raw' in value ? value.raw : formatLocal(value)
}

/** A query in words: `no from and page=0`. */
export function queryInWords(query: SearchQuery): string {
  const named = Object.entries(query) as [string, ParameterValue | undefined][]
  return named
    .map(([name, value]) =>
      value === null || value === undefined ? `no ${name}` : `${name}=${parameterText(value)}`,
    )
    .join(' and ')
}

export type Header = readonly [name: string, value: string]

export type PartnerHeader = 'X-Client-Id' | 'X-Client-Secret'

/** The static headers of the partner API (section Authentication). */
export function partnerHeaders({
  id,
  secret,
}: ClientCredentials): readonly (readonly [name: PartnerHeader, value: string])[] {
  return [
    ['X-Client-Id', id],
    ['X-Client-Secret', secret],
  ]
}

/** @param isPlain whether the search has the configured credentials and the documented address */
type ResponseListener = (response: HttpResponse, query: SearchQuery, isPlain: boolean) => void

/** How a search differs from a normal search of a partner. */
interface SearchOptions {
  /** Authentication headers; by default, those with the configured credentials. */
  readonly headers?: readonly Header[]
  /** Path below {partner_api_url}; by default, the documented one. */
  readonly path?: string
  /** By default `safe`. */
  readonly retry?: HttpRequest['retry']
}

const searchPath = '/events/search'

/** Sends event searches. The caller judges the responses. */
export class EventHub {
  readonly #http: Http
  readonly #target: Target
  readonly #received: ResponseListener

  /** @param received called with every response */
  constructor(http: Http, target: Target, received: ResponseListener = () => {}) {
    this.#http = http
    this.#target = target
    this.#received = received
  }

  /**
   * GET {partner_api_url}/events/search.
   * @throws {HttpFailure} if there is no response to judge
   * @throws {SetupError} if the address or the credentials of the partner API are missing
   */
  async search(
    query: SearchQuery,
    { headers, path = searchPath, retry = 'safe' }: SearchOptions = {},
  ): Promise<HttpResponse> {
    const partnerApi = partnerApiOf(this.#target)
    const url = new URL(`${partnerApi.url}${path}`)
    url.search = queryString(query)
    const response = await this.#http.send({
      method: 'GET',
      url,
      headers: [['Accept', 'application/json'], ...(headers ?? partnerHeaders(partnerApi.credentials))],
      retry,
      maxMembers: maxMembers(query.pageSize),
    })
    this.#received(response, query, headers === undefined && path === searchPath)
    return response
  }
}

/** Maximum number of JSON values to read in a page of the requested size, with a reserve for larger pages. */
function maxMembers(pageSize: SearchQuery['pageSize']): number {
  const events = typeof pageSize === 'number' ? pageSize : 0
  return Math.min(400_000, 40_000 + 400 * Math.max(0, events))
}
