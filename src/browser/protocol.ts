// Requests, responses and headers in the terms of the Chrome DevTools Protocol.

export interface HeaderEntry {
  readonly name: string
  readonly value: string
}

/** A request that the interceptor pauses before the browser sends it. */
export interface PausedRequest {
  readonly networkId?: string
  readonly frameId: string
  readonly resourceType: string
  readonly request: {
    readonly url: string
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
  }
}

/** A response that the interceptor pauses before the page receives it. */
export interface PausedResponse extends PausedRequest {
  readonly status: number
  readonly headers: readonly HeaderEntry[]
}

/** Values by lower-case header name. The values of a repeated header are joined: `a, b` (RFC 9110, 5.3). */
export function fieldsOf(headers: readonly HeaderEntry[]): Record<string, string> {
  const names = new Set(headers.map(({ name }) => name.toLowerCase()))
  return Object.fromEntries([...names].map((name) => [name, valuesOf(headers, name).join(', ')]))
}

/** All values of a header. @param name in lower case */
export function valuesOf(headers: readonly HeaderEntry[], name: string): string[] {
  return headers.filter((header) => header.name.toLowerCase() === name).map(({ value }) => value)
}

/** The first value of a header; undefined if it is absent. @param name in lower case */
export function headerOf(headers: readonly HeaderEntry[], name: string): string | undefined {
  return valuesOf(headers, name)[0]
}

/** Statuses that are redirects if they have a Location (RFC 9110, 15.4). */
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export function isRedirect({ status, headers }: Pick<DirectResponse, 'status' | 'headers'>): boolean {
  return redirects.has(status) && headerOf(headers, 'location') !== undefined
}

/** The response to a request that was sent without the page. */
export interface DirectResponse {
  readonly status: number
  readonly headers: readonly HeaderEntry[]
  readonly body: Buffer
  /** Milliseconds since the epoch. */
  readonly sentAt: number
  readonly durationMs: number
}
