/** A header of a request or response, as the Chrome DevTools Protocol has it. */
export interface HeaderEntry {
  readonly name: string
  readonly value: string
}

/** A header's value; undefined without it. */
export function headerOf(headers: readonly HeaderEntry[], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value
}
