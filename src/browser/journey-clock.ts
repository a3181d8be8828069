/** The time that a target has had in one journey. */
export class JourneyClock {
  readonly #beganAt = performance.now()
  #progress = { at: this.#beganAt, excusedMs: 0 }
  /** Pieces of work under way that do not count, and when the first of them began. */
  #excuses = 0
  #excusedSince = 0
  /** Milliseconds of finished work that do not count towards the time limit. */
  #excusedMs = 0

  /** Notes a step forward, by the target or by the user: the time limit for a response starts again. */
  noteProgress(): void {
    const at = performance.now()
    this.#progress = { at, excusedMs: this.#excused(at) }
  }

  /** Does work that does not count as the target's time: waits for the budget or for a one-time password. */
  async excuse<T>(work: () => Promise<T>): Promise<T> {
    if (this.#excuses === 0) this.#excusedSince = performance.now()
    this.#excuses += 1
    try {
      return await work()
    } finally {
      this.#excuses -= 1
      if (this.#excuses === 0) this.#excusedMs += performance.now() - this.#excusedSince
    }
  }

  /** The target's time since the last progress, in milliseconds. */
  get sinceProgressMs(): number {
    const now = performance.now()
    return now - this.#progress.at - (this.#excused(now) - this.#progress.excusedMs)
  }

  /** The target's time since the journey began, in milliseconds. */
  get totalMs(): number {
    const now = performance.now()
    return now - this.#beganAt - this.#excused(now)
  }

  #excused(now: number): number {
    return this.#excusedMs + (this.#excuses === 0 ? 0 : now - this.#excusedSince)
  }
}
