import type { Exchange } from '../evidence/exchange.ts'
import { isObject } from './json.ts'

/** Header fields by name in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** A response as plain data. */
export type ResponseData = Pick<HttpResponse, 'status' | 'headers' | 'text' | 'exchange' | 'hasUnknownBody'>

/** A response with its body read. It holds secrets: what may be kept of it is its `exchange`. */
export class HttpResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly text: string
  /** Set when the exchange is recorded, before any caller sees the response. */
  exchange!: Exchange
  /** The body was not read, so that `text` is empty. */
  hasUnknownBody = false
  #json: unknown
  #parsed = false

  constructor(status: number, headers: ResponseHeaders, text: string) {
    this.status = status
    this.headers = headers
    this.text = text
  }

  /** A response of another process or thread, from its plain data. */
  static from(data: ResponseData): HttpResponse {
    const { status, headers, text, ...rest } = data
    return Object.assign(new HttpResponse(status, headers, text), rest)
  }

  /** For another process or thread. */
  get data(): ResponseData {
    const { status, headers, text, exchange, hasUnknownBody } = this
    return { status, headers, text, exchange, hasUnknownBody }
  }

  /**
   * Whether the response throttles: by its status, or with 503 or another status of a refusal by the error of a throttled
   * request (section Limits). Any other 5xx is a failure of the service, whatever its error.
   */
  get throttles(): boolean {
    const { status } = this
    if (status === 429) return true
    const refuses = (status >= 400 && status < 500) || status === 503
    return refuses && this.object?.error === 'temporarily_unavailable'
  }

  /** A header's value, several of one name joined by a comma as RFC 9110, 5.3 allows. */
  header(name: string): string | undefined {
    const value = this.headers[name.toLowerCase()]
    return Array.isArray(value) ? value.join(', ') : value
  }

  /** Whether a text stands in the body or in the value of any header. */
  holds(text: string): boolean {
    return (
      this.text.includes(text) ||
      Object.values(this.headers)
        .flat()
        .some((value) => value?.includes(text))
    )
  }

  /** Media type in lower case without parameters; empty where none was sent. */
  get mediaType(): string {
    return (this.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  }

  /** The body parsed as JSON, whatever its media type; undefined if it is not JSON. */
  get json(): unknown {
    if (!this.#parsed) {
      this.#parsed = true
      try {
        this.#json = JSON.parse(this.text)
      } catch {
        // The body is not JSON.
      }
    }
    return this.#json
  }

  /** The body as a JSON object; undefined where it is anything else. */
  get object(): Readonly<Record<string, unknown>> | undefined {
    const { json } = this
    return isObject(json) ? json : undefined
  }
}
