import { createHash } from 'node:crypto'

/** Minimum retention of nonces (section Limits). */
export const nonceRetentionMs = 10 * 60_000

/**
 * The store is full, so a nonce cannot be stored. Removing another nonce early would permit a replay, so the sender must
 * retry the delivery later.
 */
export class NonceStoreFull extends Error {
  constructor(capacity: number) {
    super(`the nonce store is full: ${capacity} nonces within the retention period`)
    this.name = 'NonceStoreFull'
  }
}

interface NonceStoreOptions {
  /** Maximum number of nonces; each needs about 100 bytes, independent of its length. */
  readonly capacity?: number
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/**
 * The nonces of the last ten minutes. A timestamp may be five minutes in the future and is then current for ten minutes,
 * inclusive; its nonce is stored for the same time.
 */
export class NonceStore {
  /** Time of first use by digest, oldest first. */
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
   * Uses a nonce atomically: of several calls with the same nonce, only the first succeeds.
   * @returns whether the nonce was unseen
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
