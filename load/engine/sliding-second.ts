/**
 * When the next request may leave so that no second sees more of them than a rate allows, and one: at that very rate a
 * schedule would else fall behind by the jitter of its timers.
 */
export class SlidingSecond {
  /** When the last requests left, as many as may leave within a second, each in the place of the one it followed. */
  readonly #left: number[] = []
  readonly #most: number
  readonly #spanMs: number
  #next = 0

  /** @param perSecond requests; below one, a request is followed by the next after so much longer than a second */
  constructor(perSecond: number) {
    this.#most = perSecond < 1 ? 1 : Math.floor(perSecond) + 1
    // Half of what a schedule at that rate leaves to spare, for what passes between this moment and the wire.
    this.#spanMs = perSecond < 1 ? 1000 / perSecond : 1000 + 500 / perSecond
  }

  /** In milliseconds, on the clock of `leaves`. */
  get earliest(): number {
    return (this.#left[this.#next] ?? Number.NEGATIVE_INFINITY) + this.#spanMs
  }

  leaves(now: number): void {
    this.#left[this.#next] = now
    this.#next = (this.#next + 1) % this.#most
  }
}
