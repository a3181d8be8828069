import type { DataPoint } from './data-points.ts'
import { ExperimentRecord } from './experiment-record.ts'
import { durationOf, medianOf } from './times.ts'

/** Sends the requests with which `characterise` identifies a limiter. */
export interface Experiment {
  /** Milliseconds on a monotonic clock. */
  now(): number
  /**
   * Sends one request, not before `at` and not before Retry-After has elapsed, and waits for its response.
   * @returns undefined if the budget is spent or the probe was cancelled
   */
  send(at: number): Promise<DataPoint | undefined>
  /**
   * Sends `count` requests at once, or fewer if the caps require it. A pause comes first, so that LOAD_MAX_RATE (the
   * maximum rate of requests) delays none of these requests.
   */
  sendTogether?(count: number): Promise<readonly DataPoint[]>
  /** Epoch milliseconds minus `now()`, for windows that are aligned to the clock. */
  readonly epochOffset: number
  /** Requests sent before the experiment, with outcome 'unknown': the limiter may have counted them. */
  readonly earlier?: readonly DataPoint[]
  /** If false, requests of earlier probes may have used up a part of the limit. */
  readonly startsFresh?: boolean
}

/** The budget of an experiment. */
export interface Limits {
  readonly maxRequests: number
  readonly maxMs: number
}

/**
 * Requests sent one after another, until the first 429: `lead` requests from `startAt` on, and a burst from `burstAt`
 * on. For example, one request at 0 s, and a burst of up to 31 requests at 6 s. Times are in milliseconds.
 */
export interface Trial {
  readonly startAt: number
  readonly lead: number
  readonly burstAt: number
  /** Largest number of requests of the burst. */
  readonly burst: number
}

/** Constraints on the next requests; times in milliseconds. */
export interface Constraints {
  /** Earliest time of the next request: now, or when Retry-After has elapsed. */
  readonly earliest: number
  /** Median duration of a request. */
  readonly serviceMs: number
  readonly requestsLeft: number
  readonly msLeft: number
  /** When the time of the experiment is spent. */
  readonly endsAt: number
}

/** The budget that an experiment has spent so far. */
export interface Cost {
  readonly requests: number
  readonly elapsedMs: number
}

/** Sends the requests of an experiment within its limits, and records each with its outcome as a data point. */
export class BudgetedExperiment {
  readonly record: ExperimentRecord
  readonly #experiment: Experiment
  readonly #limits: Limits
  readonly #startedAt: number
  #ended = false
  /** When the latest Retry-After has elapsed. */
  #notBefore = 0
  /** The wait before a request that was not sent, since the wait exceeds the remaining time; in milliseconds. */
  unaffordableWaitMs: number | undefined

  constructor(experiment: Experiment, limits: Limits) {
    this.#experiment = experiment
    this.#limits = limits
    this.#startedAt = experiment.now()
    this.record = new ExperimentRecord(experiment.earlier ?? [], this.#startedAt)
  }

  get epochOffset(): number {
    return this.#experiment.epochOffset
  }

  get canSendTogether(): boolean {
    return this.#experiment.sendTogether !== undefined
  }

  get cost(): Cost {
    return { requests: this.record.sent.length, elapsedMs: this.#experiment.now() - this.#startedAt }
  }

  /** Whether no further request is possible. */
  get isOver(): boolean {
    const { requests, elapsedMs } = this.cost
    return this.#ended || requests >= this.#limits.maxRequests || elapsedMs >= this.#limits.maxMs
  }

  /** Whether fewer requests than this number, or less than a twentieth of the time, remain. */
  isNearlyOver(requests: number): boolean {
    const { maxRequests, maxMs } = this.#limits
    const { requests: spent, elapsedMs } = this.cost
    return spent + requests > maxRequests || elapsedMs > 0.95 * maxMs
  }

  constraints(): Constraints {
    const { requests, elapsedMs } = this.cost
    return {
      earliest: this.#earliest(),
      serviceMs: Math.max(1, medianOf(this.record.sent.map(durationOf)) ?? 1),
      requestsLeft: this.#limits.maxRequests - requests,
      msLeft: Math.max(1, this.#limits.maxMs - elapsedMs),
      endsAt: this.#startedAt + this.#limits.maxMs,
    }
  }

  #earliest(): number {
    return Math.max(this.#experiment.now(), this.#notBefore)
  }

  /** Sends one request, not before `at`. @returns undefined if the budget is spent or the probe was cancelled */
  async send(at: number): Promise<DataPoint | undefined> {
    const when = Math.max(at, this.#earliest())
    if (when - this.#startedAt > this.#limits.maxMs) {
      this.#end(when)
      return undefined
    }
    const dataPoint = await this.#experiment.send(when)
    if (dataPoint === undefined) this.#ended = true
    else {
      this.record.add(dataPoint)
      this.#notBefore = dataPoint.endedAt + (dataPoint.retryAfterMs ?? 0)
    }
    return dataPoint
  }

  /** Sends several requests at once. @returns an empty list if the experiment cannot do this (`canSendTogether`) */
  async sendTogether(count: number): Promise<readonly DataPoint[]> {
    const together = (await this.#experiment.sendTogether?.(count)) ?? []
    this.record.add(...together)
    return together
  }

  /** Sends the requests of a trial, up to the first 429. */
  async sendTrial({ startAt, lead, burstAt, burst }: Trial): Promise<void> {
    for (let sent = 0; sent < lead + burst && !this.isOver; sent += 1) {
      const dataPoint = await this.send(sent < lead ? startAt : burstAt)
      if (dataPoint?.outcome === 'throttled') return
    }
  }

  /** Sends the requests of a trial, or ends the experiment if the budget left is too small for a useful trial. */
  async sendTrialOrEnd(trial: Trial & { readonly isAffordable: boolean }): Promise<void> {
    if (trial.isAffordable) await this.sendTrial(trial)
    else this.#end(trial.burstAt)
  }

  /**
   * Ends the experiment, because the remaining budget is too small.
   * @param wantedAt planned time of the next request
   */
  #end(wantedAt: number): void {
    this.#ended = true
    if (wantedAt - this.#startedAt > this.#limits.maxMs)
      this.unaffordableWaitMs = wantedAt - this.#experiment.now()
  }
}
