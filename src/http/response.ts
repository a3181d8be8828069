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

/** A 503 with one of these phrases *throttles*: the target refuses the request because of a limit. */
const limitPhrases = /\b(?:too many requests|rate[ -]?limit\w*|throttl\w*|quotas?)\b/i

/**
 * A 4xx throttles only if it states that a limit is exceeded. A mention is not enough: a refusal for another reason
 * may contain a hint such as "see our rate limits".
 */
const exceededRate =
  /\btoo many requests\b|\brate[ -]?limited\b|\brate[ -]?limit\b[^.]*\b(?:exceeded|reached|exhausted)\b|\b(?:request|been|is|was) throttled\b/i

/** A 4xx about a quota does not throttle: a quota may limit something other than requests, such as the width of a search. */
const exceededQuota = /\bquota\b[^.]*\b(?:exceeded|reached|exhausted)\b/i

/** Addresses are ignored in texts, because they may contain any phrase. */
const address = /\S+:\/\/\S+/g

/** A response with its body. It contains secrets: keep only its `exchange`. */
export class HttpResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly text: string
  /** Whether the bytes of the body are UTF-8, as JSON must be (RFC 8259, 8.1). */
  readonly isUtf8: boolean
  /**
   * The record of request and response without secrets. `Http` sets it before any caller sees the response. It stays
   * undefined for a response to the browser.
   */
  exchange!: Exchange
  /**
   * How an earlier attempt of the request failed, such as `status 503`; undefined if none failed. The target may have
   * processed that attempt, for example spent its code. Throttled attempts do not count.
   */
  earlierFailure: string | undefined
  /** Whether Plumbline did not read the body of this response to the browser; then `text` is empty. */
  hasUnknownBody = false
  /** Names of tokens in a refusal of the token endpoint, which must contain no token. Never their values. */
  disclosedTokens: readonly string[] = []
  #json: unknown
  #isParsed = false

  constructor(status: number, headers: ResponseHeaders, text: string, isUtf8 = true) {
    this.status = status
    this.headers = headers
    this.text = text
    this.isUtf8 = isUtf8
  }

  /** When the response was complete, in milliseconds since the epoch. */
  get receivedAt(): number {
    return this.exchange.sentAt + this.exchange.durationMs
  }

  /**
   * Whether the response throttles the request. These responses do:
   * - 429
   * - 403 with Retry-After, with which firewalls throttle
   * - 2xx, 4xx or 503 with the error `temporarily_unavailable` (section Limits of the specification)
   * - 503 with a text about a limit
   * - 4xx without `error` and `type`, with a text about an exceeded rate limit
   *
   * A 5xx other than 503 is a failure of the service, even with the error `temporarily_unavailable`.
   */
  get throttles(): boolean {
    const { status } = this
    if (status === 429 || (status === 403 && this.header('retry-after') !== undefined)) return true
    const isSuccess = status >= 200 && status < 300
    const isRefusal = status >= 400 && status < 500
    const { error, type } = this.object ?? {}
    if (error === 'temporarily_unavailable') return isSuccess || isRefusal || status === 503
    if (status === 503) return this.#hasText(limitPhrases)
    return isRefusal && error === undefined && type === undefined && this.#hasText(exceededRate)
  }

  /** Whether a member of the JSON body states that the caller has exceeded a rate limit or a quota. */
  get statesExceededLimit(): boolean {
    return this.#hasText(exceededRate) || this.#hasText(exceededQuota)
  }

  /** Whether a member of the JSON body is a string that matches. Addresses in it are ignored. */
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
    if (!this.#isParsed) {
      this.#isParsed = true
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
