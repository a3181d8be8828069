/** A header in the Chrome DevTools Protocol. */
export interface HeaderEntry {
  readonly name: string
  readonly value: string
}

/** Headers by name in lower case, joined by commas if one occurs several times (RFC 9110, 5.3). */
export function fieldsOf(headers: readonly HeaderEntry[]): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const { name, value } of headers) {
    const key = name.toLowerCase()
    fields[key] = key in fields ? `${fields[key]}, ${value}` : value
  }
  return fields
}

/** A header's value; undefined without it. */
export function headerOf(headers: readonly HeaderEntry[], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value
}

/** Statuses that are redirects if they have a Location (RFC 9110, 15.4). */
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export function isRedirect({ status, headers }: Pick<DirectResponse, 'status' | 'headers'>): boolean {
  return redirects.has(status) && headerOf(headers, 'location') !== undefined
}

/** A response to a request that was sent without the page. */
export interface DirectResponse {
  readonly status: number
  readonly headers: readonly HeaderEntry[]
  readonly body: Buffer
  /** Milliseconds since the epoch. */
  readonly sentAt: number
  readonly durationMs: number
}
