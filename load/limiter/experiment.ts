import { durationOf, medianOf } from './times.ts'

/** A data point: one request and its outcome; times in milliseconds on the experiment's monotonic clock. */
export interface DataPoint {
  readonly sentAt: number
  readonly endedAt: number
  /** 'unknown': no response, or an unexpected status. The limiter may or may not have counted the request. */
  readonly outcome: 'admitted' | 'throttled' | 'unknown'
  /** Retry-After of a 429, if usable. */
  readonly retryAfterMs?: number
  /** Size of an admitted response. */
  readonly bytes?: number
  /** No request was sent: Retry-After states the outcome. */
  readonly isStated?: boolean
}

/** Retry-After has whole seconds (RFC 9110, 10.2.3), mostly rounded up. */
export const retryAfterStepMs = 1000

/** A data point as models read it: the limiter decided at some time between `from` and `to` (milliseconds). */
export interface Reading {
  readonly from: number
  readonly to: number
  readonly outcome: DataPoint['outcome']
  /** Requests, this one included, that may have been admitted before the next 429; Infinity: no 429 since. */
  readonly requestsUntil429: number
  /** No request was sent: Retry-After states that it would have been refused. */
  readonly isStated: boolean
}

/** Clocks that count whole milliseconds, here and at the limiter, shift a decision by at most this much. */
const clockErrorMs = 2

export function readings(dataPoints: readonly DataPoint[]): Reading[] {
  let requestsUntil429 = Number.POSITIVE_INFINITY
  const latestFirst = dataPoints.toReversed().map(({ sentAt, endedAt, outcome, isStated = false }) => {
    requestsUntil429 = outcome === 'throttled' ? 0 : requestsUntil429 + 1
    return { from: sentAt - clockErrorMs, to: endedAt + clockErrorMs, outcome, requestsUntil429, isStated }
  })
  return latestFirst.reverse()
}

/**
 * Servers round waits to this share of the longest, in addition to whole seconds. More than the particle filter of
 * `other-traffic/` allows: there a deviation makes a limiter less likely, here it counts like a wrong response.
 */
const longestWaitError = 0.005

/** Adds what Retry-After states: a request shortly before its end would be refused, too. */
export function withStated(dataPoints: readonly DataPoint[]): DataPoint[] {
  let longest = 0
  return dataPoints.flatMap((dataPoint): DataPoint[] => {
    const { endedAt, retryAfterMs } = dataPoint
    if (retryAfterMs === undefined) return [dataPoint]
    longest = Math.max(longest, retryAfterMs)
    const at = endedAt + retryAfterMs - retryAfterStepMs - longestWaitError * longest
    if (at <= endedAt) return [dataPoint]
    return [dataPoint, { sentAt: at, endedAt: at, outcome: 'throttled', isStated: true }]
  })
}

/** Sends the requests of a characterisation. */
export interface Experiment {
  /** Milliseconds on a monotonic clock. */
  now(): number
  /**
   * Sends one request, not before `at` and never before Retry-After has elapsed; one request is in flight at a time.
   * @returns undefined: the budget is spent or the probe was cancelled
   */
  send(at: number): Promise<DataPoint | undefined>
  /**
   * Sends several requests at once, after a pause so that LOAD_MAX_RATE delays none of them; fewer than `count` if the
   * caps do not allow more.
   */
  sendTogether?(count: number): Promise<readonly DataPoint[]>
  /** Clock time (epoch milliseconds) minus now(): for windows that are aligned to the clock. */
  readonly epochOffset: number
  /** Requests sent before, with outcome 'unknown': the limiter may have counted them. */
  readonly earlier?: readonly DataPoint[]
  /** false: requests of earlier probes may have used up a part of the limit. */
  readonly startsFresh?: boolean
}

export interface Limits {
  readonly maxRequests: number
  readonly maxMs: number
}

/** Requests sent one after another until the first 429: `lead` from `startAt` on, then a burst (milliseconds). */
export interface Trial {
  readonly startAt: number
  readonly lead: number
  readonly burstAt: number
  /** Requests of the burst at most. */
  readonly burst: number
}

/** What the next requests have to respect. */
export interface Constraints {
  /** Earliest time of the next request: after any Retry-After. */
  readonly earliest: number
  /** Median duration of a request, in milliseconds. */
  readonly serviceMs: number
  readonly requestsLeft: number
  readonly msLeft: number
  /** When the time is spent. */
  readonly endsAt: number
}

/** What an experiment has cost so far. */
export interface Cost {
  readonly requests: number
  readonly elapsedMs: number
}

/** Refusals by a second, wider limit. */
export interface SetAside {
  /** Requests admitted before them, and since the start of the experiment. */
  readonly admitted: number
  readonly elapsedMs: number
  /** Their duration, the last Retry-After included. */
  readonly refusedMs: number
}

/** The data points of an experiment, and the rest of its budget. */
export class ExperimentLog {
  /** One for each request sent. */
  readonly sent: DataPoint[] = []
  /** Those to explain without other traffic: the earlier ones and those sent, or those sent since the last `dropDataPoints`. */
  dataPoints: readonly DataPoint[]
  readonly #experiment: Experiment
  readonly #limits: Limits
  readonly #startedAt: number
  #ended = false
  #notBefore = 0
  /** Refusals that do not count as data points. */
  readonly setAside: SetAside[] = []
  #begunAt = 0
  /** A wait that exceeded the remaining time, in milliseconds. */
  unaffordableWaitMs: number | undefined

  constructor(experiment: Experiment, limits: Limits) {
    this.#experiment = experiment
    this.#limits = limits
    this.#startedAt = experiment.now()
    this.dataPoints = [...(experiment.earlier ?? [])]
  }

  /** The earlier data points, and all those sent; after `beginAgain`, only those sent since. */
  get all(): readonly DataPoint[] {
    if (this.#begunAt > 0) return this.sent.slice(this.#begunAt)
    return [...(this.#experiment.earlier ?? []), ...this.sent]
  }

  get last(): DataPoint | undefined {
    return this.dataPoints.at(-1)
  }

  get hasRetryAfter(): boolean {
    return this.dataPoints.some(({ retryAfterMs }) => retryAfterMs !== undefined)
  }

  get cost(): Cost {
    return { requests: this.sent.length, elapsedMs: this.#experiment.now() - this.#startedAt }
  }

  get epochOffset(): number {
    return this.#experiment.epochOffset
  }

  /** Whether no further request is possible. */
  get isOver(): boolean {
    const { requests, elapsedMs } = this.cost
    return this.#ended || requests >= this.#limits.maxRequests || elapsedMs >= this.#limits.maxMs
  }

  /** Duration of the latest run of refusals, its last Retry-After included (milliseconds). */
  get throttledMs(): number {
    const { last } = this
    if (last?.outcome !== 'throttled') return 0
    const first = this.dataPoints[this.dataPoints.findLastIndex(({ outcome }) => outcome !== 'throttled') + 1]
    return last.endedAt + (last.retryAfterMs ?? 0) - (first?.endedAt ?? last.endedAt)
  }

  /** Sends one request, not before `at`. @returns undefined: the budget is spent or the probe was cancelled */
  async send(at: number): Promise<DataPoint | undefined> {
    const when = Math.max(at, this.#earliest())
    if (when - this.#startedAt > this.#limits.maxMs) {
      this.end(when)
      return undefined
    }
    const dataPoint = await this.#experiment.send(when)
    if (dataPoint === undefined) this.#ended = true
    else {
      this.#add(dataPoint)
      this.#notBefore = dataPoint.endedAt + (dataPoint.retryAfterMs ?? 0)
    }
    return dataPoint
  }

  /** Ends the experiment, since what is left of the budget decides nothing. @param wantedAt when a request would decide */
  end(wantedAt: number): void {
    this.#ended = true
    if (wantedAt - this.#startedAt > this.#limits.maxMs)
      this.unaffordableWaitMs = wantedAt - this.#experiment.now()
  }

  /** Sends several requests at once. @returns none if that is not possible */
  async sendTogether(count: number): Promise<readonly DataPoint[]> {
    const together = (await this.#experiment.sendTogether?.(count)) ?? []
    this.#add(...together)
    return together
  }

  #add(...sent: readonly DataPoint[]): void {
    this.sent.push(...sent)
    this.dataPoints = [...this.dataPoints, ...sent]
  }

  /** Sends the requests of the trial, unless the budget left is too small for it to decide anything. */
  async tryOut(trial: Trial & { readonly isAffordable: boolean }): Promise<void> {
    if (trial.isAffordable) await this.carryOut(trial)
    else this.end(trial.burstAt)
  }

  /** Leaves the data points so far out of the explanation without other traffic. */
  dropDataPoints(): void {
    this.dataPoints = []
    this.setAside.length = 0
  }

  /** Leaves the data points so far out of any explanation. */
  beginAgain(): void {
    this.dropDataPoints()
    this.#begunAt = this.sent.length
  }

  /** Whether fewer requests remain than these, or less than a twentieth of the time. */
  hasLessThan(requests: number): boolean {
    const { maxRequests, maxMs } = this.#limits
    const { requests: spent, elapsedMs } = this.cost
    return spent + requests > maxRequests || elapsedMs > 0.95 * maxMs
  }

  get canSendTogether(): boolean {
    return this.#experiment.sendTogether !== undefined
  }

  /** Sends the requests of a trial, up to the first 429. */
  async carryOut({ startAt, lead, burstAt, burst }: Trial): Promise<void> {
    for (let sent = 0; sent < lead + burst && !this.isOver; sent += 1) {
      const dataPoint = await this.send(sent < lead ? startAt : burstAt)
      if (dataPoint?.outcome === 'throttled') return
    }
  }

  /** The latest refusals are those of another limit: this one may or may not have counted the requests. */
  setRefusalsAside(): void {
    const first = this.dataPoints.findLastIndex(({ outcome }) => outcome !== 'throttled') + 1
    const refused = this.dataPoints.slice(first)
    this.setAside.push({
      admitted: this.sent.filter(({ outcome }) => outcome === 'admitted').length,
      elapsedMs: (refused[0]?.sentAt ?? 0) - this.#startedAt,
      refusedMs: this.throttledMs,
    })
    const unknown = refused.map(({ sentAt, endedAt }) => ({ sentAt, endedAt, outcome: 'unknown' as const }))
    this.dataPoints = [...this.dataPoints.slice(0, first), ...unknown]
    this.sent.splice(-refused.length, refused.length, ...unknown)
  }

  #earliest(): number {
    return Math.max(this.#experiment.now(), this.#notBefore)
  }

  constraints(): Constraints {
    const { requests, elapsedMs } = this.cost
    return {
      earliest: this.#earliest(),
      serviceMs: Math.max(1, medianOf(this.sent.map(durationOf)) ?? 1),
      requestsLeft: this.#limits.maxRequests - requests,
      msLeft: Math.max(1, this.#limits.maxMs - elapsedMs),
      endsAt: this.#startedAt + this.#limits.maxMs,
    }
  }
}

/** The requests sent when Retry-After had elapsed. */
export function afterRetryAfter(dataPoints: readonly DataPoint[]): readonly DataPoint[] {
  return dataPoints.filter((_, index) => dataPoints[index - 1]?.retryAfterMs !== undefined)
}

export function admittedOf(dataPoints: readonly DataPoint[]): number {
  return dataPoints.filter(({ outcome }) => outcome === 'admitted').length
}
