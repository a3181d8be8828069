// Here, "429" means every response that throttles (`HttpResponse.throttles`), whatever its status.

/** Shortest interval between requests after the first 429, in milliseconds. */
const fastestIntervalMs = 100
/**
 * Longest interval due to throttling, in milliseconds: enough for a limit of 0.5 requests/s, which needs 2000 ms. If
 * the interval is 1900 ms when a 429 arrives, it doubles to 3800 ms.
 */
const slowestIntervalMs = 4000
/** Number of requests without a 429 after which the pace rises by one step. */
const requestsPerStep = 5
/** Increase of the pace in one step, as a share of the last pace that was too fast. */
const stepShare = 0.05
/** Upper bound of the pace, as a share of the last pace that was too fast. */
const maxShare = 0.9

/** Part of a pace that `restore` sets again. */
export interface PaceState {
  /** Time between two requests, in milliseconds. */
  readonly intervalMs: number
  /** The interval at the last 429; null before the first. */
  readonly intervalAt429Ms: number | null
}

/**
 * The pace of a run: as configured until the first 429, then adapted to the target. Each 429 halves the pace. Without
 * a 429, it rises in steps to 90 % of the last pace that was too fast. Example: a 429 at 4 requests/s halves the pace
 * to 2 requests/s. It then rises by 0.2 requests/s every 5 requests, to at most 3.6 requests/s.
 */
export class Pace {
  readonly #configuredMs: number
  #intervalMs: number
  #intervalAt429Ms: number | null
  /** Number of requests since the last step or 429. */
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

  /** Counts a sent request. Every 5 requests without a 429 raise the pace. */
  recordSent(): void {
    if (this.#intervalAt429Ms === null) return
    this.#sinceStep += 1
    if (this.#sinceStep < requestsPerStep) return
    this.#sinceStep = 0
    const fasterPerSecond = 1000 / this.#intervalMs + (stepShare * 1000) / this.#intervalAt429Ms
    const intervalMs = Math.max(
      1000 / fasterPerSecond,
      this.#intervalAt429Ms / maxShare,
      fastestIntervalMs,
      this.#configuredMs,
    )
    // A step never slows the pace: after a 429 at the slowest pace, the bound of 90 % would be slower than the pace.
    this.#intervalMs = Math.min(this.#intervalMs, intervalMs)
  }

  /** Halves the pace after a 429. */
  recordThrottled(): void {
    this.#intervalAt429Ms = Math.max(this.#intervalMs, fastestIntervalMs / 2)
    // The pace never exceeds the configured pace, even if that is slower than the longest interval.
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
