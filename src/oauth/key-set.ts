import type { JWK } from 'jose'
import type { HttpResponse } from '../http/response.ts'

/** Shortest time between two fetches because of unknown kids, in milliseconds. */
export const refetchIntervalMs = 60_000

/** The keys of a JWKS answer (RFC 7517, 5); undefined where it is not a key set. */
export function keysOf(response: HttpResponse): readonly JWK[] | undefined {
  const keys = response.object?.keys
  if (response.status !== 200 || !Array.isArray(keys)) return undefined
  return keys.every((key) => key !== null && typeof key === 'object' && !Array.isArray(key))
    ? keys
    : undefined
}

/**
 * The provider's key set, cached: fetched once, and once more when a kid is unknown,
 * as partners have to (section Key set).
 */
export class KeySet {
  readonly #fetch: () => Promise<readonly JWK[]>
  readonly #now: () => number
  /** Settled or under way: whoever asks meanwhile waits for the same answer. */
  #keys: Promise<readonly JWK[]> | undefined
  #refetchedAt = Number.NEGATIVE_INFINITY

  constructor(fetch: () => Promise<readonly JWK[]>, now: () => number = Date.now) {
    this.#fetch = fetch
    this.#now = now
  }

  /** The key with exactly this kid; undefined where none or more than one has it. */
  async key(kid: string): Promise<JWK | undefined> {
    const cached = await (this.#keys ?? this.#fetchKeys())
    let found = cached.filter((key) => key.kid === kid)
    if (found.length === 0) found = (await this.#refetched()).filter((key) => key.kid === kid)
    return found.length === 1 ? found[0] : undefined
  }

  #refetched(): Promise<readonly JWK[]> {
    if (this.#keys && this.#now() - this.#refetchedAt < refetchIntervalMs) return this.#keys
    this.#refetchedAt = this.#now()
    return this.#fetchKeys()
  }

  /** A fetch that fails leaves the keys that were there before. */
  #fetchKeys(): Promise<readonly JWK[]> {
    const before = this.#keys
    const keys = this.#fetch()
    this.#keys = keys
    keys.catch(() => {
      if (this.#keys === keys) this.#keys = before
    })
    return keys
  }
}
