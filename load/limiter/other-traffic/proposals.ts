import { firstBurst } from '../candidates.ts'
import { type DataPoint, longestRetryAfterMs, retryAfterStepMs } from '../data-points.ts'
import { nearest, roundCounts, roundTimesMs } from '../interval.ts'
import { limiterKinds, windowOf } from '../models/kinds.ts'
import { type Model, maxPeriodMs } from '../models/model.ts'
import type { LimiterWithOtherTraffic } from './particle-filter.ts'

/** Values that the data points (requests and their outcomes) suggest for a limiter; times in milliseconds. */
interface Suggestions {
  /** Number of requests before the first 429. */
  readonly burst: number
  /** Shortest possible interval between requests at the limiter's rate. */
  readonly spacing: number
  /** Shortest window to propose. */
  readonly leastWindow: number
  /** Lengths of a window: times from the start of a burst until a later Retry-After has elapsed. */
  readonly windows: readonly number[]
  /** Times at which the last four values of Retry-After elapse. A window may end just before such a time. */
  readonly ends: readonly number[]
}

/** Shortest proposed window, in milliseconds. */
const minWindowMs = 500

/**
 * Shortest proposed window, as a share of the longest wait (a Retry-After, or the time from the first 429 to the next
 * admission): a wait takes at most about two windows.
 */
const leastWindowShare = 0.45

/**
 * Smallest proposed capacity, as a share of the first burst (the requests before the first 429). It is smaller for a
 * model that admits bursts well above its capacity.
 */
const leastCapacityShare = 0.8
/** Burst for which `minCapacity` shows the share of such a model: so long that rounding does not matter. */
const longBurst = 1000

export function suggestionsOf(dataPoints: readonly DataPoint[]): Suggestions {
  const { requests, minSpacing } = firstBurst(dataPoints)
  const throttled = dataPoints[requests]
  const nextAdmitted = dataPoints.slice(requests).find(({ outcome }) => outcome === 'admitted')
  const waited =
    throttled === undefined || nextAdmitted === undefined ? 0 : nextAdmitted.sentAt - throttled.endedAt
  const ends = dataPoints.flatMap(({ endedAt, retryAfterMs }) =>
    retryAfterMs === undefined ? [] : [endedAt + retryAfterMs],
  )
  /** The requests that start a burst after a 429. */
  const starts = dataPoints.filter((_, index) => dataPoints[index - 1]?.outcome === 'throttled')
  const windows = ends.slice(0, 6).flatMap((end) => {
    const before = starts.filter(({ sentAt }) => sentAt < end).slice(-2)
    // The first burst starts with the second request, because a pause follows the first request.
    return [...dataPoints.slice(1, 2), ...before].map(({ sentAt }) => end - sentAt)
  })
  return {
    burst: Math.max(1, requests),
    spacing: minSpacing,
    leastWindow: Math.max(minWindowMs, leastWindowShare * Math.max(waited, longestRetryAfterMs(dataPoints))),
    windows: windows.filter((window) => window > minWindowMs),
    ends: ends.slice(-4),
  }
}

/**
 * Proposes random limiters with other traffic (requests of other clients that count towards the same limit). Their
 * values are near those that the data points suggest, or near those of a known limiter.
 */
export class Proposals {
  readonly #random: () => number
  readonly #epochOffset: number

  /** @param epochOffset epoch milliseconds minus the times of data points, for windows that are aligned to the clock */
  constructor(random: () => number, epochOffset: number) {
    this.#random = random
    this.#epochOffset = epochOffset
  }

  /** A limiter of this model, with values that the data points suggest. */
  any(model: Model, suggestions: Suggestions): LimiterWithOtherTraffic {
    const { burst, leastWindow, windows } = suggestions
    const leastShare = Math.min(leastCapacityShare, model.minCapacity(longBurst) / longBurst)
    const low = Math.max(1, Math.floor(burst * leastShare))
    const high = Math.ceil(burst * 1.6) + 1
    const round = roundCounts.filter((count) => count >= low && count <= high)
    const count = low + Math.floor(this.#random() * (high - low + 1))
    const capacity = (this.#random() < 0.6 ? this.#pick(round) : undefined) ?? count
    const suggested = this.#random() < 0.3 ? this.#pick(windows) : undefined
    const random = leastWindow * (this.#random() < 0.4 ? 3 : 100) ** this.#random()
    const window = this.#random() < 0.7 ? nearest(roundTimesMs, ratioTo(random)) : random
    // The requests of other clients use from 3 % to 60 % of the rate.
    const others = 0.03 * 20 ** this.#random()
    return this.#limiter(
      model,
      capacity,
      suggested === undefined ? window : suggested * (1 + 0.02 * this.#random()),
      others,
      suggestions,
    )
  }

  /** A limiter that is similar to a known limiter. */
  similar(
    { model, parameters, others }: LimiterWithOtherTraffic,
    suggestions: Suggestions,
  ): LimiterWithOtherTraffic {
    const { capacity, period, start } = parameters
    const spread = this.#pick([0, 0, 0.3, 0.03, 0.003]) ?? 0
    let window = windowOf(model.kind, capacity, period) * Math.exp(spread * this.#normal())
    if (this.#random() < 0.3) window = nearest(roundTimesMs, ratioTo(window))
    let count = capacity
    if (this.#random() < 0.5)
      count = Math.max(1, Math.round(capacity * Math.exp(0.1 * this.#normal()) + this.#normal()))
    if (this.#random() < 0.3) count = nearest(roundCounts, ratioTo(count))
    // For a limiter without windows, such as a token bucket, this keeps the rate and changes only the capacity.
    if (!limiterKinds[model.kind].hasWindow && this.#random() < 0.3) window *= count / capacity
    const similar = this.#limiter(model, count, window, others * Math.exp(0.4 * this.#normal()), suggestions)
    if (start === undefined || this.#random() < 0.3) return similar
    const shift = this.#pick([0, 300, 0.05 * window]) ?? 0
    return { ...similar, parameters: { ...similar.parameters, start: start + shift * this.#normal() } }
  }

  /** @param wantedWindow is lengthened if its rate would exceed the pace of the first burst */
  #limiter(
    model: Model,
    capacity: number,
    wantedWindow: number,
    others: number,
    { spacing, ends }: Suggestions,
  ): LimiterWithOtherTraffic {
    const window = Math.min(maxPeriodMs, Math.max(wantedWindow, spacing * capacity))
    const period = limiterKinds[model.kind].hasWindow ? window : window / capacity
    const parameters = { capacity, period, ...(model.hasGrid && { start: this.#start(window, ends) }) }
    return { model, parameters, others: Math.min(0.9, others) }
  }

  /** The start of one window of a grid: aligned to the clock, at the end of a Retry-After, or at any time. */
  #start(window: number, ends: readonly number[]): number {
    if (this.#random() < 0.5) return -(this.#epochOffset % window)
    const end = this.#random() < 0.8 ? this.#pick(ends) : undefined
    return end === undefined ? this.#random() * window : end - this.#random() * retryAfterStepMs
  }

  #pick<Value>(values: readonly Value[]): Value | undefined {
    return values[Math.floor(this.#random() * values.length)]
  }

  /** Normally distributed (Box–Muller). */
  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random())
  }
}

/** Returns a function that computes the distance of a value: of logarithms, since parameters vary by factors. */
const ratioTo = (wanted: number) => (value: number) => Math.abs(Math.log(value / wanted))
