import { admittedOf, type DataPoint } from './data-points.ts'

/** A run of refusals by a second, wider limit, such as 1000 requests per hour besides 30 per 10 s. */
export interface SetAside {
  /** Number of requests admitted since the start of the experiment. */
  readonly admitted: number
  /** Time from the start of the experiment to the first of these refusals, in milliseconds. */
  readonly elapsedMs: number
  /** Duration of these refusals, including the last Retry-After, in milliseconds. */
  readonly refusedMs: number
}

/**
 * The data points of an experiment: requests with their outcomes. Each stage reads one of these lists:
 * - `current`: the search for one limiter without other traffic (requests of other clients on the same key)
 * - `kept`: the searches for several grids (limits whose windows start at different times), and for other traffic
 * - `sent`: the search for a queue (a limiter that delays requests), the size and duration of responses, and the
 *   facts in a finding
 */
export class ExperimentRecord {
  /** One data point for each request of the experiment. */
  readonly sent: DataPoint[] = []
  /** Data points before and during the experiment that neither `discardCurrent` nor `discardAll` removed. */
  current: readonly DataPoint[]
  /** Runs of refusals that `setRefusalsAside` attributed to the wider limit. */
  readonly setAside: SetAside[] = []
  /** Number of trials (a few requests, a pause, a burst) since the last `discardAll`, by family of similar trials. */
  readonly trials = new Map<string, number>()
  #earlier: readonly DataPoint[]
  readonly #startedAt: number
  /** Number of requests sent before the last `discardAll`. */
  #discarded = 0

  /**
   * @param earlier requests sent before the experiment
   * @param startedAt start of the experiment, in milliseconds on its clock
   */
  constructor(earlier: readonly DataPoint[], startedAt: number) {
    this.#earlier = earlier
    this.#startedAt = startedAt
    this.current = [...earlier]
  }

  /** Data points before and during the experiment that `discardAll` did not remove. */
  get kept(): readonly DataPoint[] {
    return [...this.#earlier, ...this.sentSinceFresh]
  }

  /** Data points of the requests sent since the limiter was fresh: since the last `discardAll`, or all. */
  get sentSinceFresh(): readonly DataPoint[] {
    return this.sent.slice(this.#discarded)
  }

  /** The latest data point of `current`. */
  get last(): DataPoint | undefined {
    return this.current.at(-1)
  }

  get hasRetryAfter(): boolean {
    return this.current.some(({ retryAfterMs }) => retryAfterMs !== undefined)
  }

  /** Duration of the latest refusals in a row, including the last Retry-After, in milliseconds. */
  get throttledMs(): number {
    const { last } = this
    if (last?.outcome !== 'throttled') return 0
    const first = this.current[this.#latestRefusalsIndex]
    return last.endedAt + (last.retryAfterMs ?? 0) - (first?.endedAt ?? last.endedAt)
  }

  add(...sent: readonly DataPoint[]): void {
    this.sent.push(...sent)
    this.current = [...this.current, ...sent]
  }

  /** Before an idle period and new bursts: `current` and `setAside` then omit the responses so far. */
  discardCurrent(): void {
    this.current = []
    this.setAside.length = 0
  }

  /** The same if the limiter was not fresh (it still counted earlier requests): `kept` omits the responses too. */
  discardAll(): void {
    this.discardCurrent()
    this.#earlier = []
    this.#discarded = this.sent.length
    this.trials.clear()
  }

  /**
   * Attributes the latest refusals to a wider limit. The narrower limit may or may not have counted these requests,
   * so their outcome becomes 'unknown', in `current` and in `sent`.
   */
  setRefusalsAside(): void {
    const refused = this.current.slice(this.#latestRefusalsIndex)
    this.setAside.push({
      admitted: admittedOf(this.sent),
      elapsedMs: (refused[0]?.sentAt ?? 0) - this.#startedAt,
      refusedMs: this.throttledMs,
    })
    const unknown = refused.map(({ sentAt, endedAt }) => ({ sentAt, endedAt, outcome: 'unknown' as const }))
    this.current = [...this.current.slice(0, this.#latestRefusalsIndex), ...unknown]
    this.sent.splice(-refused.length, refused.length, ...unknown)
  }

  /** Index of the first of the latest refusals in `current`. */
  get #latestRefusalsIndex(): number {
    return this.current.findLastIndex(({ outcome }) => outcome !== 'throttled') + 1
  }
}
