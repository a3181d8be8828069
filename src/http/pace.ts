/** Shortest interval between two requests once the target has throttled one, in milliseconds. */
const throttledIntervalMs = 100
/** Longest interval that throttling makes, in milliseconds: every limit of at least half a request a second is met. */
const slowestIntervalMs = 4000
/** After so many requests without a 429 the pace rises. */
const stepAfter = 5
/** How much it rises, and where it stops, as parts of the last pace that was too fast. */
const [step, most] = [0.05, 0.9]

/** What a pace knows, as plain data. */
export interface PaceState {
  /** Between two requests, in milliseconds. */
  readonly intervalMs: number
  /** The interval at the last 429; null before the first. */
  readonly refusedMs: number | null
}

/**
 * The pace of a run: as configured until the target throttles a request, then what the target lets through. It halves at
 * each 429, rises in steps while there is none, and stays below the last pace that was too fast.
 */
export class Pace {
  readonly #configuredMs: number
  #intervalMs: number
  #refusedMs: number | null
  #sinceStep = 0

  constructor(requestsPerSecond: number, state?: PaceState) {
    this.#configuredMs = 1000 / requestsPerSecond
    this.#intervalMs = state?.intervalMs ?? this.#configuredMs
    this.#refusedMs = state?.refusedMs ?? null
  }

  get state(): PaceState {
    return { intervalMs: this.#intervalMs, refusedMs: this.#refusedMs }
  }

  /** Between two requests, in milliseconds. */
  get intervalMs(): number {
    return this.#intervalMs
  }

  /** Requests per second, where the target has made it slower than configured; undefined otherwise. */
  get slowed(): number | undefined {
    return this.#intervalMs > this.#configuredMs ? 1000 / this.#intervalMs : undefined
  }

  /** A request is sent. */
  sent(): void {
    if (this.#refusedMs === null) return
    this.#sinceStep += 1
    if (this.#sinceStep < stepAfter) return
    this.#sinceStep = 0
    const faster = 1000 / this.#intervalMs + (step * 1000) / this.#refusedMs
    const intervalMs = Math.max(
      1000 / faster,
      this.#refusedMs / most,
      throttledIntervalMs,
      this.#configuredMs,
    )
    this.#intervalMs = Math.min(this.#intervalMs, intervalMs)
  }

  /** The target throttled a request. */
  refused(): void {
    this.#refusedMs = Math.max(this.#intervalMs, throttledIntervalMs / 2)
    // A pace that is configured to be slower stays as it is.
    this.#intervalMs = Math.max(Math.min(2 * this.#refusedMs, slowestIntervalMs), this.#configuredMs)
    this.#sinceStep = 0
  }

  /** Goes back to the configured pace. */
  recover(): void {
    this.#intervalMs = this.#configuredMs
    this.#refusedMs = null
  }
}
