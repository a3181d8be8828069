import { createHash } from 'node:crypto'

/** Minimum time that a receiver remembers a nonce (section Limits). */
export const nonceRetentionMs = 10 * 60_000

/** Thrown if the store is full: forgetting an older nonce early would permit a replay. The sender must retry later. */
export class NonceStoreFull extends Error {
  constructor(capacity: number) {
    super(`the nonce store is full: ${capacity} nonces within the retention period`)
    this.name = 'NonceStoreFull'
  }
}

interface NonceStoreOptions {
  /** Maximum number of nonces. Each takes about 100 bytes, whatever its length. */
  readonly capacity?: number
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/** The nonces of the last 10 min. A delivery with a timestamp 5 min ahead of the clock stays valid that long. */
export class NonceStore {
  /** Time of use by the digest of the nonce, oldest first. */
  readonly #taken = new Map<string, number>()
  readonly #capacity: number
  readonly #now: () => number

  constructor({ capacity = 100_000, now = Date.now }: NonceStoreOptions = {}) {
    this.#capacity = capacity
    this.#now = now
  }

  get size(): number {
    this.#forgetOld()
    return this.#taken.size
  }

  has(nonce: string): boolean {
    this.#forgetOld()
    return this.#taken.has(digest(nonce))
  }

  /**
   * Marks a nonce as used.
   * @returns whether the nonce was unused: true only for the first call with this nonce
   * @throws {NonceStoreFull}
   */
  take(nonce: string): boolean {
    this.#forgetOld()
    const key = digest(nonce)
    if (this.#taken.has(key)) return false
    if (this.#taken.size >= this.#capacity) throw new NonceStoreFull(this.#capacity)
    this.#taken.set(key, this.#now())
    return true
  }

  #forgetOld(): void {
    const now = this.#now()
    for (const [key, at] of this.#taken) {
      if (now - at <= nonceRetentionMs) return
      this.#taken.delete(key)
    }
  }
}

function digest(nonce: string): string {
  return createHash('sha256').update(nonce).digest('base64')
}
