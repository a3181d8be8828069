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

/** Phrases about limits, in the response of a service that is unavailable. */
const limitPhrases = /\b(?:too many requests|rate[ -]?limit\w*|throttl\w*|quotas?)\b/i

/** Phrases with which a service states that a caller has exceeded a limit; a refusal may mention limits as a hint. */
const exceededPhrases =
  /\btoo many requests\b|\brate[ -]?limited\b|\b(?:rate[ -]?limit|quota)\b[^.]*\b(?:exceeded|reached|exhausted)\b|\b(?:request|been|is|was) throttled\b/i

/** An address, which may contain any phrase. */
const address = /\S+:\/\/\S+/g

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
   * How an earlier attempt of the request failed, such as `status 503`: the target may have processed it. Undefined if
   * there was none; a throttled attempt does not count.
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

  /** Milliseconds since the epoch at which the response was complete. */
  get receivedAt(): number {
    return this.exchange.sentAt + this.exchange.durationMs
  }

  /**
   * Whether the response throttles the request: by status 429; by the error of a throttled request with 503, any 4xx or any
   * 2xx (section Limits); by a text about a limit with 503, or about an exceeded limit with a 4xx that has neither `error`
   * nor `type`; or by 403 with Retry-After, as firewalls do. Any other 5xx is a failure of the service, whatever its error.
   */
  get throttles(): boolean {
    const { status } = this
    if (status === 429 || (status === 403 && this.header('retry-after') !== undefined)) return true
    const isSuccess = status >= 200 && status < 300
    const isRefusal = status >= 400 && status < 500
    const { error, type } = this.object ?? {}
    if (error === 'temporarily_unavailable') return isSuccess || isRefusal || status === 503
    if (status === 503) return this.#hasText(limitPhrases)
    return isRefusal && error === undefined && type === undefined && this.statesExceededLimit
  }

  /** Whether a text of the JSON body states that the caller has exceeded a limit. */
  get statesExceededLimit(): boolean {
    return this.#hasText(exceededPhrases)
  }

  /** Whether a text of the JSON body matches, apart from addresses. */
  #hasText(phrases: RegExp): boolean {
    return Object.values(this.object ?? {}).some(
      (value) => typeof value === 'string' && phrases.test(value.replace(address, '')),
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
