import type { JWK } from 'jose'
import { isObject } from '../http/json.ts'
import type { HttpResponse } from '../http/response.ts'

/** Shortest time between two fetches because of unknown kids, in milliseconds. */
export const refetchIntervalMs = 60_000

/** The keys of a JWKS answer (RFC 7517, 5); undefined where it is not a key set. */
export function keysOf(response: HttpResponse): readonly JWK[] | undefined {
  const keys = response.object?.keys
  if (response.status !== 200 || !Array.isArray(keys)) return undefined
  return keys.every(isObject) ? keys : undefined
}

/** Key management algorithms (RFC 7518, 4.1) of keys that say nothing else about their use. */
const encrypts = /^(RSA|ECDH)/

/**
 * Whether a key is meant for signatures (RFC 7517, 4.2 to 4.4). Of keys that do not say, those of RSA are:
 * tokens are signed with RS256, while other kinds may be there for key agreement as well.
 */
export function isSigningKey({ kty, use, key_ops: operations, alg }: JWK): boolean {
  if (use !== undefined) return use === 'sig'
  if (Array.isArray(operations)) return operations.includes('verify') || operations.includes('sign')
  if (typeof alg === 'string') return !encrypts.test(alg)
  return kty === 'RSA'
}

/** A kid is unknown, and the key set was fetched so recently that it is not fetched again yet. */
class KeyUncertain extends Error {
  constructor() {
    super('a kid is unknown, and the key set was fetched less than a minute ago')
    this.name = 'KeyUncertain'
  }
}

/**
 * The provider's key set, cached: fetched once, and once more when a kid is unknown,
 * as partners have to (section Key set). Keys that a later set leaves out stay known:
 * what they signed before was good.
 */
export class KeySet {
  readonly #fetch: () => Promise<readonly JWK[]>
  readonly #now: () => number
  /** Settled or under way: whoever asks meanwhile waits for the same answer. */
  #keys: Promise<readonly JWK[]> | undefined
  /** Sets that were replaced, newest first. */
  readonly #earlier: (readonly JWK[])[] = []
  #refetchedAt = Number.NEGATIVE_INFINITY

  constructor(fetch: () => Promise<readonly JWK[]>, now: () => number = Date.now) {
    this.#fetch = fetch
    this.#now = now
  }

  /**
   * The key for RS256 with exactly this kid; undefined where none or more than one has it.
   * A key of another kind may have the same kid (RFC 7517, 4.5).
   */
  async key(kid: string): Promise<JWK | undefined> {
    const all = await this.keys(kid)
    const fitting = all.filter((key) => key.kty === 'RSA' && isSigningKey(key))
    const found = fitting.length > 0 ? fitting : all
    return found.length === 1 ? found[0] : undefined
  }

  /**
   * The same, for who can be asked once more later: a kid that is unknown since the latest fetch may be that of a key
   * which was published after it.
   * @throws {KeyUncertain} where it is too soon to fetch the key set again
   */
  async currentKey(kid: string): Promise<JWK | undefined> {
    const askedAt = this.#now()
    const key = await this.key(kid)
    if ((await this.keys(kid)).length === 0 && this.#refetchedAt < askedAt) throw new KeyUncertain()
    return key
  }

  /** Every key with exactly this kid. */
  async keys(kid: string): Promise<readonly JWK[]> {
    const having = (keys: readonly JWK[]) => keys.filter((key) => key.kid === kid)
    const cached = await (this.#keys ?? this.#fetchKeys())
    for (const known of [cached, ...this.#earlier]) if (having(known).length > 0) return having(known)
    const fetched = await this.#refetched()
    if (fetched !== cached) this.#earlier.unshift(cached)
    return having(fetched)
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
