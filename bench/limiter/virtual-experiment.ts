import type { Experiment, Observation } from '../../load/limiter/index.ts'
import type { VirtualLimiter } from './virtual-limiters.ts'

export interface Conditions {
  /** Milliseconds that an answer takes; each takes up to 40 % less or 60 % more, one in fifty three times as long. */
  readonly latencyMs: number
  readonly retryAfter: boolean
  /** Share of answers that are lost, half of them before the request counted. */
  readonly lost: number
  /** Requests per second of others on the same key. */
  readonly othersPerSecond: number
}

/** A limiter behind a network, in virtual time: hours pass in milliseconds. */
export class VirtualExperiment implements Experiment {
  readonly epochOffset: number
  readonly #limiter: VirtualLimiter
  readonly #conditions: Conditions
  readonly #random: () => number
  #now = 1000
  #notBefore = 0
  #nextOther: number
  requests = 0
  /** Requests that came back while Retry-After still asked to wait. */
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

  send(at: number): Promise<Observation | undefined> {
    const { latencyMs, lost, retryAfter } = this.#conditions
    if (Math.max(at, this.#now) < this.#notBefore) this.early += 1
    const sentAt = Math.max(at, this.#now, this.#notBefore) + this.#random() * 0.5
    const spike = this.#random() < 0.02 ? 3 : 1
    const latency = latencyMs * (0.6 + this.#random()) * spike
    const decidedAt = sentAt + latency * (0.2 + 0.6 * this.#random())
    this.requests += 1
    this.#others(decidedAt)
    const isLost = this.#random() < lost
    if (isLost && this.#random() < 0.5) return this.#answer(sentAt, latency, 'unknown')
    const { admitted, waitMs, delayMs } = this.#limiter.decide(Math.floor(this.epochOffset + decidedAt))
    if (isLost) return this.#answer(sentAt, latency + delayMs, 'unknown')
    if (admitted) return this.#answer(sentAt, latency + delayMs, 'admitted')
    const seconds = Math.max(1, Math.ceil(waitMs / 1000))
    return this.#answer(sentAt, latency, 'throttled', retryAfter ? seconds * 1000 : undefined)
  }

  #answer(
    sentAt: number,
    lasts: number,
    outcome: Observation['outcome'],
    retryAfterMs?: number,
  ): Promise<Observation> {
    this.#now = sentAt + lasts
    if (retryAfterMs !== undefined) this.#notBefore = this.#now + retryAfterMs
    return Promise.resolve({
      sentAt,
      endedAt: this.#now,
      outcome,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    })
  }

  #others(until: number): void {
    while (this.#nextOther < until) {
      this.#limiter.decide(Math.floor(this.epochOffset + this.#nextOther))
      this.#nextOther += this.#untilNextOther()
    }
  }

  #untilNextOther(): number {
    const { othersPerSecond } = this.#conditions
    return othersPerSecond === 0
      ? Number.POSITIVE_INFINITY
      : (-Math.log(1 - this.#random()) / othersPerSecond) * 1000
  }
}
