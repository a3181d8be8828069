import { createHash } from 'node:crypto'

/** Least time for which nonces are kept (section Limits). */
export const nonceRetentionMs = 10 * 60_000

/**
 * A nonce cannot be kept: as many as there is room for came within the time they are kept. Forgetting one of
 * them would let it be used again, so the delivery has to come back later.
 */
export class NonceStoreFull extends Error {
  constructor(capacity: number) {
    super(`${capacity} nonces came within the time they are kept`)
    this.name = 'NonceStoreFull'
  }
}

interface NonceStoreOptions {
  /** How many nonces are kept at most; each takes about a hundred bytes, however long it is. */
  readonly capacity?: number
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/**
 * The nonces of the last ten minutes. A timestamp may lie five minutes ahead, and is then good for ten minutes
 * from now, the last moment included: just as long its nonce is kept.
 */
export class NonceStore {
  /** When each was taken, by digest, oldest first. */
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
   * Takes a nonce, in one step: of several who ask with the same one, the first gets it.
   * @returns whether it was unseen
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
