/** Shortest interval between requests after the first 429, in milliseconds. */
const throttledIntervalMs = 100
/**
 * Longest interval due to throttling, in milliseconds: twice that of a limit of 0.5 requests/s, because a 429 doubles an
 * interval that was a little too short for the limit.
 */
const slowestIntervalMs = 4000
/** Requests without a 429 after which the pace rises. */
const stepAfter = 5
/** Increase and upper bound of the pace, as shares of the last pace that was too fast. */
const [step, most] = [0.05, 0.9]

/** The state of a pace as plain data. */
export interface PaceState {
  /** Between two requests, in milliseconds. */
  readonly intervalMs: number
  /** The interval at the last 429; null before the first. */
  readonly intervalAt429Ms: number | null
}

/**
 * The pace of a run: as configured until the first 429, then adapted to the target. It halves at each 429, rises in steps
 * otherwise, and stays below the last pace that was too fast.
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

  /** Between two requests, in milliseconds. */
  get intervalMs(): number {
    return this.#intervalMs
  }

  /** Requests per second, if throttling has made it slower than configured; undefined otherwise. */
  get slowed(): number | undefined {
    return this.#intervalMs > this.#configuredMs ? 1000 / this.#intervalMs : undefined
  }

  /** Counts a sent request. */
  sent(): void {
    if (this.#intervalAt429Ms === null) return
    this.#sinceStep += 1
    if (this.#sinceStep < stepAfter) return
    this.#sinceStep = 0
    const faster = 1000 / this.#intervalMs + (step * 1000) / this.#intervalAt429Ms
    const intervalMs = Math.max(
      1000 / faster,
      this.#intervalAt429Ms / most,
      throttledIntervalMs,
      this.#configuredMs,
    )
    this.#intervalMs = Math.min(this.#intervalMs, intervalMs)
  }

  /** Counts a throttled request. */
  recordThrottled(): void {
    this.#intervalAt429Ms = Math.max(this.#intervalMs, throttledIntervalMs / 2)
    // A slower configured pace remains.
    this.#intervalMs = Math.max(Math.min(2 * this.#intervalAt429Ms, slowestIntervalMs), this.#configuredMs)
    this.#sinceStep = 0
  }

  /** Returns to an earlier state: for a caller that finds that the 429 responses since then did not concern the pace. */
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
