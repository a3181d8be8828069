import { admittedOf, type DataPoint } from './data-points.ts'

/** Refusals by a second, wider limit. */
export interface SetAside {
  /** Requests admitted before them, and since the start of the experiment. */
  readonly admitted: number
  readonly elapsedMs: number
  /** Their duration, the last Retry-After included. */
  readonly refusedMs: number
}

/**
 * The data points of an experiment. Each reader has its view:
 * - `current`: one limiter without other traffic, with the trials, polls and idle bursts that identify it
 * - `kept`: several grids, and a limiter with other traffic, which explain what one limiter alone does not
 * - `sent`: a queue, the size and the duration of responses, and what a finding states as a fact
 */
export class ExperimentRecord {
  /** One for each request sent. */
  readonly sent: DataPoint[] = []
  /** The earlier data points and those sent, without those that `discardCurrent` or `discardAll` removed. */
  current: readonly DataPoint[]
  /** Refusals that do not count as data points. */
  readonly setAside: SetAside[] = []
  /** Number of trials chosen since the last `discardAll`, by family (`trials.ts`). */
  readonly trials = new Map<string, number>()
  #earlier: readonly DataPoint[]
  readonly #startedAt: number
  /** Requests sent before the last `discardAll`. */
  #discarded = 0

  /**
   * @param earlier requests sent before the experiment
   * @param startedAt in milliseconds on the clock of the experiment
   */
  constructor(earlier: readonly DataPoint[], startedAt: number) {
    this.#earlier = earlier
    this.#startedAt = startedAt
    this.current = [...earlier]
  }

  /** The earlier data points and those sent, without those that `discardAll` removed. */
  get kept(): readonly DataPoint[] {
    return [...this.#earlier, ...this.sentSinceFresh]
  }

  /** Those sent since the limiter was fresh: since the last `discardAll`, or all. */
  get sentSinceFresh(): readonly DataPoint[] {
    return this.sent.slice(this.#discarded)
  }

  get last(): DataPoint | undefined {
    return this.current.at(-1)
  }

  get hasRetryAfter(): boolean {
    return this.current.some(({ retryAfterMs }) => retryAfterMs !== undefined)
  }

  /** Duration of the latest run of refusals, its last Retry-After included (milliseconds). */
  get throttledMs(): number {
    const { last } = this
    if (last?.outcome !== 'throttled') return 0
    const first = this.current[this.#latestRefusals]
    return last.endedAt + (last.retryAfterMs ?? 0) - (first?.endedAt ?? last.endedAt)
  }

  add(...sent: readonly DataPoint[]): void {
    this.sent.push(...sent)
    this.current = [...this.current, ...sent]
  }

  /** Before a restart: one limiter without other traffic need not explain the responses so far. */
  discardCurrent(): void {
    this.current = []
    this.setAside.length = 0
  }

  /** Before a restart of a limiter that was not fresh: nothing has to explain the responses so far. */
  discardAll(): void {
    this.discardCurrent()
    this.#earlier = []
    this.#discarded = this.sent.length
    this.trials.clear()
  }

  /** The latest refusals are those of another limit: this one may or may not have counted the requests. */
  setRefusalsAside(): void {
    const refused = this.current.slice(this.#latestRefusals)
    this.setAside.push({
      admitted: admittedOf(this.sent),
      elapsedMs: (refused[0]?.sentAt ?? 0) - this.#startedAt,
      refusedMs: this.throttledMs,
    })
    const unknown = refused.map(({ sentAt, endedAt }) => ({ sentAt, endedAt, outcome: 'unknown' as const }))
    this.current = [...this.current.slice(0, this.#latestRefusals), ...unknown]
    this.sent.splice(-refused.length, refused.length, ...unknown)
  }

  /** Index of the first of the latest refusals in `current`. */
  get #latestRefusals(): number {
    return this.current.findLastIndex(({ outcome }) => outcome !== 'throttled') + 1
  }
}
