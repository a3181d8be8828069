import { isWord } from './words.ts'

/** Shorter values cannot be told from ordinary words. */
const shortestSecret = 6

/**
 * The secrets a run has met: configured ones, and codes, tokens and verifiers as they come.
 * The recording layer keeps nothing that is not named as harmless; this is the second line, for texts
 * written by the target or by a library: a known secret never leaves in clear.
 */
export class Vault {
  readonly #secrets = new Set<string>()
  #ordered: readonly string[] | undefined
  /** Texts without a secret, by how many secrets were known then: most texts come again with every check. */
  readonly #clean = new Map<string, number>()

  /** Remembers secrets. Values too short to be told from ordinary words are not remembered. */
  add(...values: readonly (string | undefined)[]): void {
    for (const value of values) {
      if (value === undefined || value.length < shortestSecret) continue
      for (const form of formsOf(value)) this.#secrets.add(form)
    }
    this.#ordered = undefined
  }

  scrub(text: string): string {
    if (text.length < shortestSecret || this.#isClean(text)) return text
    // Longer ones first: a secret that is part of another one must not leave the rest of that behind.
    this.#ordered ??= [...this.#secrets].sort((a, b) => b.length - a.length)
    let clean = text
    for (const secret of this.#ordered)
      if (clean.includes(secret)) clean = clean.replaceAll(secret, '<secret>')
    return clean
  }

  /** Whether a text holds no secret, looked up among those that were added since it was last found clean. */
  #isClean(text: string): boolean {
    const known = this.#clean.get(text) ?? 0
    if (known === this.#secrets.size) return true
    // A Set keeps the order of insertion.
    let index = 0
    for (const secret of this.#secrets) {
      if (index >= known && text.includes(secret)) return false
      index += 1
    }
    this.#clean.set(text, this.#secrets.size)
    return true
  }

  /** A copy of plain data in which every string, member names included, is scrubbed. */
  scrubAll<T>(data: T): T {
    if (typeof data === 'string') return this.scrub(data) as T
    if (Array.isArray(data)) return data.map((element) => this.scrubAll(element)) as T
    if (data === null || typeof data !== 'object') return data
    return Object.fromEntries(
      Object.entries(data).map(([name, value]) => [this.scrub(name), this.scrubAll(value)]),
    ) as T
  }
}

/**
 * A secret as it stands in texts: as it is, in JSON, and encoded for a URL or a form; in lower case, as names of headers
 * are read, unless that may be an ordinary word.
 */
function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed())
  const form = new URLSearchParams({ '': secret }).toString().slice(1)
  return [secret, JSON.stringify(secret).slice(1, -1), encoded, form].flatMap((text) => [
    text,
    ...(isWord(text.toLowerCase()) ? [] : [text.toLowerCase()]),
    text.replaceAll(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()),
  ])
}
