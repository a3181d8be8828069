/** Shortest interval between requests after the first 429, in milliseconds. */
const throttledIntervalMs = 100
/**
 * Longest interval due to throttling, in milliseconds. A limit of 0.5 requests/s needs intervals of 2000 ms. If the
 * interval is slightly shorter, the next 429 doubles it to almost 4000 ms.
 */
const slowestIntervalMs = 4000
/** Requests without a 429 after which the pace rises. */
const stepAfter = 5
/** Increase of the pace in one step, as a share of the last pace that was too fast. */
const stepShare = 0.05
/** Upper bound of the pace, as a share of the last pace that was too fast. */
const maxShare = 0.9

export interface PaceState {
  /** Between two requests, in milliseconds. */
  readonly intervalMs: number
  /** The interval at the last 429; null before the first. */
  readonly intervalAt429Ms: number | null
}

/**
 * The pace of a run: as configured until the first 429, then adapted to the target. It halves at each 429, rises in
 * steps otherwise, and stays below the last pace that was too fast.
 */
export class Pace {
  readonly #configuredMs: number
  #intervalMs: number
  #intervalAt429Ms: number | null
  #sinceStep = 0

  constructor(requestsPerSecond: number) {
    this.#configuredMs = 1000 / requestsPerSecond
    this.#intervalMs = this.#configuredMs
    this.#intervalAt429Ms = null
  }

  get state(): PaceState {
    return { intervalMs: this.#intervalMs, intervalAt429Ms: this.#intervalAt429Ms }
  }

  get intervalMs(): number {
    return this.#intervalMs
  }

  /** The pace in requests per second, if throttling has made it slower than configured; undefined otherwise. */
  get slowed(): number | undefined {
    return this.#intervalMs > this.#configuredMs ? 1000 / this.#intervalMs : undefined
  }

  /** Counts a sent request; after 5 without a 429, the pace rises. */
  sent(): void {
    if (this.#intervalAt429Ms === null) return
    this.#sinceStep += 1
    if (this.#sinceStep < stepAfter) return
    this.#sinceStep = 0
    const faster = 1000 / this.#intervalMs + (stepShare * 1000) / this.#intervalAt429Ms
    const intervalMs = Math.max(
      1000 / faster,
      this.#intervalAt429Ms / maxShare,
      throttledIntervalMs,
      this.#configuredMs,
    )
    this.#intervalMs = Math.min(this.#intervalMs, intervalMs)
  }

  /** Halves the pace after a throttled request. */
  recordThrottled(): void {
    this.#intervalAt429Ms = Math.max(this.#intervalMs, throttledIntervalMs / 2)
    // The pace never exceeds the configured pace.
    this.#intervalMs = Math.max(Math.min(2 * this.#intervalAt429Ms, slowestIntervalMs), this.#configuredMs)
    this.#sinceStep = 0
  }

  /** Returns to an earlier state, after 429 responses that the pace did not cause. */
  restore({ intervalMs, intervalAt429Ms }: PaceState): void {
    this.#intervalMs = intervalMs
    this.#intervalAt429Ms = intervalAt429Ms
    this.#sinceStep = 0
  }

  /** Returns to the configured pace. */
  recover(): void {
    this.#intervalMs = this.#configuredMs
    this.#intervalAt429Ms = null
  }
}
