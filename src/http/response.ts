import type { Exchange } from '../evidence/exchange.ts'
import { isObject } from '../text/json.ts'

/** Header fields by name in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The value of a header, joined by commas if it occurs several times (RFC 9110, 5.3). */
export function headerIn(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name.toLowerCase()]
  return Array.isArray(value) ? value.join(', ') : value
}

/** The media type of a Content-Type in lower case, without parameters; empty if absent. */
export function mediaTypeOf(contentType = ''): string {
  return contentType.replace(/;.*/s, '').trim().toLowerCase()
}

/** Phrases with which a service states that a caller has exceeded a limit. */
const limitPhrases = /\b(?:too many requests|rate[ -]?limit\w*|throttl\w*|quotas?)\b/i

/** A response with its body. It contains secrets: keep only its `exchange`. */
export class HttpResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly text: string
  /** Whether the bytes of the body are UTF-8, as JSON must be (RFC 8259, 8.1). */
  readonly isUtf8: boolean
  /** Set when the exchange is recorded, before any caller sees the response. */
  exchange!: Exchange
  /**
   * How an earlier attempt of the request failed, such as `status 503`: the target may have processed it. Undefined if there
   * was none; a throttled attempt is none.
   */
  earlierFailure: string | undefined
  /** Whether the body was not read; then `text` is empty. */
  hasUnknownBody = false
  /** Kinds of the tokens that a refusal of the token endpoint discloses, never their values. */
  disclosedTokens: readonly string[] = []
  #json: unknown
  #parsed = false

  constructor(status: number, headers: ResponseHeaders, text: string, isUtf8 = true) {
    this.status = status
    this.headers = headers
    this.text = text
    this.isUtf8 = isUtf8
  }

  /**
   * Whether the response throttles the request: by status 429; by the error of a throttled request with 503, any 4xx or any
   * 2xx (section Limits); by a text about a limit with 503, or with a 4xx that has neither `error` nor `type`; or by 403 with
   * Retry-After, as firewalls do. Any other 5xx is a failure of the service, whatever its error.
   */
  get throttles(): boolean {
    const { status } = this
    if (status === 429 || (status === 403 && this.header('retry-after') !== undefined)) return true
    const isSuccess = status >= 200 && status < 300
    const isRefusal = status >= 400 && status < 500
    const { error, type } = this.object ?? {}
    if (error === 'temporarily_unavailable') return isSuccess || isRefusal || status === 503
    return (status === 503 || (isRefusal && error === undefined && type === undefined)) && this.statesLimit
  }

  /** Whether a text of the JSON body states that a limit was exceeded. */
  get statesLimit(): boolean {
    return Object.values(this.object ?? {}).some(
      (value) => typeof value === 'string' && limitPhrases.test(value),
    )
  }

  header(name: string): string | undefined {
    return headerIn(this.headers, name)
  }

  /** Whether the body or the value of a header contains a text. */
  contains(text: string): boolean {
    return (
      this.text.includes(text) ||
      Object.values(this.headers)
        .flat()
        .some((value) => value?.includes(text))
    )
  }

  /** Media type in lower case without parameters; empty if absent. */
  get mediaType(): string {
    return mediaTypeOf(this.header('content-type'))
  }

  /** The body parsed as JSON, whatever its media type; undefined if it is not JSON. */
  get json(): unknown {
    if (!this.#parsed) {
      this.#parsed = true
      try {
        if (this.isUtf8) this.#json = JSON.parse(this.text)
      } catch {
        // The body is not JSON.
      }
    }
    return this.#json
  }

  /** The body as a JSON object; undefined if it is anything else. */
  get object(): Readonly<Record<string, unknown>> | undefined {
    const { json } = this
    return isObject(json) ? json : undefined
  }
}
