import { isWord } from './words.ts'

/** Shorter values cannot be distinguished from ordinary words. */
const shortestSecret = 6

/**
 * The secrets of a run: configured ones, and the codes, tokens and verifiers that it receives. The allow-list of the
 * recording layer is the first line of defence. This is the second, for texts from the target or a library: it removes
 * every known secret.
 */
export class Vault {
  /** In the order in which they were added. */
  readonly #secrets: string[] = []
  #longestFirst: readonly string[] | undefined
  /** Texts without a secret, with the number of secrets known then: most texts recur in every check. */
  readonly #clean = new Map<string, number>()
  /** Copies of data that never change, with the number of secrets known then. */
  readonly #copies = new WeakMap<object, { readonly copy: object; readonly secrets: number }>()

  /** Adds secrets. Values that are too short to be distinguished from ordinary words are ignored. */
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

  /** Whether a text contains no secret: searches only for those added since the text was last found clean. */
  #isClean(text: string): boolean {
    const { length } = this.#secrets
    for (let index = this.#clean.get(text) ?? 0; index < length; index += 1)
      if (text.includes(this.#secrets[index] as string)) return false
    this.#clean.set(text, length)
    return true
  }

  /** As `scrubAll`, for data that never change: their copy is kept until another secret is known. */
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
