import { isWord } from './words.ts'

/** In characters. A shorter secret would also match ordinary words. */
const shortestSecret = 6

/**
 * Removes the secrets of a run from texts: configured secrets, codes, tokens and verifiers. The allow-list already
 * keeps them out of evidence; the vault is the second defence, and covers texts from the target or a library.
 */
export class Vault {
  /** In the order in which they were added. */
  readonly #secrets: string[] = []
  #longestFirst: readonly string[] | undefined
  /** For each text without a secret, the number of secrets that were searched for. Most texts recur in every check. */
  readonly #clean = new Map<string, number>()
  /** Scrubbed copies of data that never change, with the number of secrets when the copy was made. */
  readonly #copies = new WeakMap<object, { readonly copy: object; readonly secrets: number }>()

  /** Adds secrets, except those shorter than 6 characters. */
  add(...values: readonly (string | undefined)[]): void {
    for (const value of values) {
      if (value === undefined || value.length < shortestSecret) continue
      for (const form of formsOf(value)) if (!this.#secrets.includes(form)) this.#secrets.push(form)
    }
    this.#longestFirst = undefined
  }

  scrub(text: string): string {
    if (text.length < shortestSecret || this.#isClean(text)) return text
    // Longest first: replacing a secret inside a longer one would leave the rest of the longer one.
    this.#longestFirst ??= this.#secrets.toSorted((a, b) => b.length - a.length)
    let clean = text
    for (const secret of this.#longestFirst) clean = clean.replaceAll(secret, '<secret>')
    return clean
  }

  /** Whether a text contains no secret. Searches only for the secrets added since the last search in the same text. */
  #isClean(text: string): boolean {
    const { length } = this.#secrets
    for (let index = this.#clean.get(text) ?? 0; index < length; index += 1)
      if (text.includes(this.#secrets[index] as string)) return false
    this.#clean.set(text, length)
    return true
  }

  /** Like `scrubAll`, for data that never change. The copy is reused until a secret is added. */
  scrubConstant<T extends object>(data: T): T {
    const secrets = this.#secrets.length
    const known = this.#copies.get(data)
    if (known?.secrets === secrets) return known.copy as T
    const copy = this.scrubAll(data)
    this.#copies.set(data, { copy, secrets })
    return copy
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
 * The forms in which a secret may occur: literal, in JSON, and encoded for a URL or a form. Header names may contain
 * the secret in lower case. A lower-case form that looks like words is omitted, because ordinary texts may contain it.
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
