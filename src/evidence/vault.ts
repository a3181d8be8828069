import { isWord } from './words.ts'

/** Shorter values cannot be distinguished from ordinary words. */
const shortestSecret = 6

/**
 * The secrets of a run: configured ones, and the codes, tokens and verifiers that it receives. The allow-list of the
 * recording layer is the first line of defence. This is the second, for texts by the target or a library: it removes
 * every known secret.
 */
export class Vault {
  readonly #secrets = new Set<string>()
  #ordered: readonly string[] | undefined
  /** Texts without a secret, with the number of secrets known then: most texts recur in every check. */
  readonly #clean = new Map<string, number>()

  /** Adds secrets. Values that are too short to be distinguished from ordinary words are ignored. */
  add(...values: readonly (string | undefined)[]): void {
    for (const value of values) {
      if (value === undefined || value.length < shortestSecret) continue
      for (const form of formsOf(value)) this.#secrets.add(form)
    }
    this.#ordered = undefined
  }

  scrub(text: string): string {
    if (text.length < shortestSecret || this.#isClean(text)) return text
    // Longest first: replacing a secret inside a longer one would leave the rest of the longer one.
    this.#ordered ??= [...this.#secrets].sort((a, b) => b.length - a.length)
    let clean = text
    for (const secret of this.#ordered) clean = clean.replaceAll(secret, '<secret>')
    return clean
  }

  /** Whether a text contains no secret: searches only for those added since the text was last found clean. */
  #isClean(text: string): boolean {
    const known = this.#clean.get(text)
    if (known === this.#secrets.size) return true
    // A Set preserves insertion order.
    const added = [...this.#secrets].slice(known)
    if (added.some((secret) => text.includes(secret))) return false
    this.#clean.set(text, this.#secrets.size)
    return true
  }

  /** A copy of plain data in which every string is scrubbed, including member names. */
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
 * The forms in which a secret may occur: literal, in JSON, and encoded for a URL or a form; also in lower case, like
 * header names, unless that may be an ordinary word.
 */
function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed())
  const form = new URLSearchParams({ '': secret }).toString().slice(1)
  return [secret, JSON.stringify(secret).slice(1, -1), encoded, form].flatMap((text) => {
    const lower = text.toLowerCase()
    const lowerOctets = text.replaceAll(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase())
    return isWord(lower) ? [text, lowerOctets] : [text, lowerOctets, lower]
  })
}
