import type { JWK } from 'jose'
import type { HttpResponse } from '../http/response.ts'
import { isObject } from '../text/json.ts'

/** Minimum interval between two fetches because of unknown kids, in milliseconds. */
export const refetchIntervalMs = 60_000

/** The keys of a JWKS response (RFC 7517, 5) without null members; undefined if the response is not a key set. */
export function keysOf(response: HttpResponse): readonly JWK[] | undefined {
  const keys = response.object?.keys
  if (response.status !== 200 || !Array.isArray(keys)) return undefined
  return keys.every(isObject) ? keys.map(withoutNulls) : undefined
}

function withoutNulls(key: Readonly<Record<string, unknown>>): JWK {
  return Object.fromEntries(Object.entries(key).filter(([, value]) => value !== null))
}

/** Key management algorithms (RFC 7518, 4.1), such as `RSA-OAEP` and `ECDH-ES`. */
const keyManagement = /^(RSA|ECDH)/

/**
 * Whether a key is for signatures (RFC 7517, 4.2 to 4.4). A key without use, key_ops and alg counts if it is an RSA
 * key, since tokens are signed with RS256. Keys of other types may be for key agreement.
 */
export function isSigningKey({ kty, use, key_ops: operations, alg }: JWK): boolean {
  if (use !== undefined) return use === 'sig'
  if (Array.isArray(operations)) return operations.includes('verify') || operations.includes('sign')
  if (typeof alg === 'string') return !keyManagement.test(alg)
  return kty === 'RSA'
}

/** The members of a public key that identify it (RFC 7638, 3.2), as text to compare. */
export function publicValue({ kty, crv, n, e, x, y, pub }: JWK): string {
  return JSON.stringify([kty, crv, ...[n, e, x, y, pub].map(withoutLeadingZeros)])
}

/** A base64url integer as hexadecimal digits without leading zero octets; any other value unchanged. */
function withoutLeadingZeros(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const octets = Buffer.from(value, 'base64url')
  return octets.toString('base64url') === value ? octets.toString('hex').replace(/^(00)+/, '') : value
}

/** The error for an unknown kid if it is too soon to fetch the key set again. */
export class KeyUncertain extends Error {
  constructor() {
    super('a kid is unknown, and the key set was fetched less than a minute ago')
    this.name = 'KeyUncertain'
  }
}

/**
 * A cache of the provider's key set. Fetches the set again if a kid is unknown, as partners must do (section Key set).
 * Keys that a later set lacks stay cached, because tokens signed with them remain valid.
 */
export class KeySet {
  readonly #fetch: () => Promise<readonly JWK[]>
  readonly #now: () => number
  /** The newest key set. Concurrent callers share one fetch. */
  #keys: Promise<readonly JWK[]> | undefined
  /** Replaced key sets, newest first; then those that `learn` added. */
  readonly #earlier: (readonly JWK[])[] = []
  #refetchedAt = Number.NEGATIVE_INFINITY
  /** When the request for the newest key set was sent. */
  #fetchedAt = Number.NEGATIVE_INFINITY

  constructor(fetch: () => Promise<readonly JWK[]>, now: () => number = Date.now) {
    this.#fetch = fetch
    this.#now = now
  }

  /**
   * The only key with exactly this kid; undefined if there is none or several. If it is that of an
   * RSA key for signatures, keys of other types and uses are ignored (RFC 7517, 4.5). Equal keys count once: a set may
   * list a key for RS256 and again for PS256.
   */
  async key(kid: string): Promise<JWK | undefined> {
    const withKid = await this.keys(kid)
    const signing = withKid.filter((key) => key.kty === 'RSA' && isSigningKey(key))
    const candidates = signing.length > 0 ? signing : withKid
    return new Set(candidates.map(publicValue)).size === 1 ? candidates[0] : undefined
  }

  /**
   * Like `key`, but an unknown kid is an error if its key may have been published after the latest fetch.
   * @param since when the kid was in use, in milliseconds since the epoch; by default now
   * @throws {KeyUncertain} if the kid is unknown, and the newest key set was requested before `since`
   */
  async currentKey(kid: string, since = this.#now()): Promise<JWK | undefined> {
    const key = await this.key(kid)
    if ((await this.keys(kid)).length === 0 && this.#fetchedAt < since) throw new KeyUncertain()
    return key
  }

  /** Adds a key set that the caller fetched. Cached keys with the same kid take precedence. */
  learn(keys: readonly JWK[], fetchedAt: number): void {
    this.#earlier.push(keys)
    this.#fetchedAt = Math.max(this.#fetchedAt, fetchedAt)
  }

  /** All keys with exactly this kid. */
  async keys(kid: string): Promise<readonly JWK[]> {
    const withKid = (keys: readonly JWK[]) => keys.filter((key) => key.kid === kid)
    const cached = await (this.#keys ?? this.#fetchKeys())
    for (const known of [cached, ...this.#earlier]) if (withKid(known).length > 0) return withKid(known)
    const fetched = await this.#refetched()
    if (fetched !== cached) this.#earlier.unshift(cached)
    return withKid(fetched)
  }

  #refetched(): Promise<readonly JWK[]> {
    if (this.#keys && this.#now() - this.#refetchedAt < refetchIntervalMs) return this.#keys
    this.#refetchedAt = this.#now()
    return this.#fetchKeys()
  }

  /** Fetches the key set. If that fails, the previous keys stay. */
  #fetchKeys(): Promise<readonly JWK[]> {
    const before = this.#keys
    const fetchedAt = this.#now()
    const keys = this.#fetch()
    this.#keys = keys
    const succeeded = () => {
      this.#fetchedAt = Math.max(this.#fetchedAt, fetchedAt)
    }
    const failed = () => {
      if (this.#keys === keys) this.#keys = before
    }
    keys.then(succeeded, failed)
    return keys
  }
}
