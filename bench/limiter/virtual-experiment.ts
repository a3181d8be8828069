import type { DataPoint, Experiment } from '../../load/limiter/index.ts'
import type { VirtualLimiter } from './virtual-limiters.ts'

export interface Conditions {
  /** Typical response time in milliseconds, varying by -40 % to +60 %. One response in 50 takes three times as long. */
  readonly latencyMs: number
  readonly retryAfter: boolean
  /** Share of lost responses. In half of these cases, the limiter does not count the request. */
  readonly lost: number
  /** Requests/s of other clients on the same key. */
  readonly othersPerSecond: number
  /** Whether the requests of other clients are evenly spaced; random (Poisson) by default. */
  readonly othersAreRegular?: boolean
}

/** A limiter behind a network, in virtual time. */
export class VirtualExperiment implements Experiment {
  readonly epochOffset: number
  readonly #limiter: VirtualLimiter
  readonly #conditions: Conditions
  readonly #random: () => number
  #now = 1000
  #notBefore = 0
  #nextOther: number
  requests = 0
  /** Number of requests that were due before Retry-After had elapsed. */
  early = 0

  constructor(limiter: VirtualLimiter, conditions: Conditions, random: () => number) {
    this.#limiter = limiter
    this.#conditions = conditions
    this.#random = random
    this.epochOffset = 1_790_000_000_000 + Math.floor(random() * 86_400_000)
    this.#nextOther = this.#untilNextOther()
  }

  now(): number {
    return this.#now
  }

  send(at: number): Promise<DataPoint | undefined> {
    const { latencyMs, lost, retryAfter } = this.#conditions
    if (Math.max(at, this.#now) < this.#notBefore) this.early += 1
    const sentAt = Math.max(at, this.#now, this.#notBefore) + this.#random() * 0.5
    const spike = this.#random() < 0.02 ? 3 : 1
    const latency = latencyMs * (0.6 + this.#random()) * spike
    const decidedAt = sentAt + latency * (0.2 + 0.6 * this.#random())
    this.requests += 1
    this.#sendOthers(decidedAt)
    const isLost = this.#random() < lost
    if (isLost && this.#random() < 0.5) return this.#respond(sentAt, latency, 'unknown')
    const {
      admitted,
      waitMs,
      delayMs,
      bytes = 1000,
    } = this.#limiter.decide(Math.floor(this.epochOffset + decidedAt))
    if (isLost) return this.#respond(sentAt, latency + delayMs, 'unknown')
    if (admitted) return this.#respond(sentAt, latency + delayMs, 'admitted', { bytes })
    const seconds = Math.max(1, Math.ceil(waitMs / 1000))
    return this.#respond(sentAt, latency, 'throttled', retryAfter ? { retryAfterMs: seconds * 1000 } : {})
  }

  #respond(
    sentAt: number,
    durationMs: number,
    outcome: DataPoint['outcome'],
    rest: Pick<DataPoint, 'bytes' | 'retryAfterMs'> = {},
  ): Promise<DataPoint> {
    this.#now = sentAt + durationMs
    if (rest.retryAfterMs !== undefined) this.#notBefore = this.#now + rest.retryAfterMs
    return Promise.resolve({ sentAt, endedAt: this.#now, outcome, ...rest })
  }

  #sendOthers(until: number): void {
    while (this.#nextOther < until) {
      this.#limiter.decide(Math.floor(this.epochOffset + this.#nextOther))
      this.#nextOther += this.#untilNextOther()
    }
  }

  #untilNextOther(): number {
    const { othersPerSecond, othersAreRegular = false } = this.#conditions
    if (othersPerSecond === 0) return Number.POSITIVE_INFINITY
    return ((othersAreRegular ? 1 : -Math.log(1 - this.#random())) / othersPerSecond) * 1000
  }
}
