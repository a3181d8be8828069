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
