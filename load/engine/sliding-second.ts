/** Time between admitting a request and the wire differs by up to this, in milliseconds. */
const wireMs = 1

/** Limits requests in any second to a rate; a rate of 2.5/s allows 3 requests in any 1.2 s. */
export class SlidingSecond {
  /** Times of the last requests: a ring buffer with one place per request that may leave within the span. */
  readonly #departures: number[] = []
  readonly #most: number
  readonly #spanMs: number
  #next = 0

  /** @param perSecond requests per second */
  constructor(perSecond: number) {
    this.#most = Math.ceil(perSecond)
    this.#spanMs = (1000 * this.#most) / perSecond + wireMs
  }

  /** When the next request may leave, in milliseconds on the clock of `leaves`. */
  get earliest(): number {
    return (this.#departures[this.#next] ?? Number.NEGATIVE_INFINITY) + this.#spanMs
  }

  leaves(now: number): void {
    this.#departures[this.#next] = now
    this.#next = (this.#next + 1) % this.#most
  }
}
