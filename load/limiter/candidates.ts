import {
  type DataPoint,
  type DecisionInterval,
  decisionIntervals,
  longestRetryAfterMs,
  retryAfterStepMs,
  withStated,
} from './data-points.ts'
import { hull, type Interval } from './interval.ts'
import { limiterModels } from './models/index.ts'
import { type Kind, requestsPerPeriod, windowOf } from './models/kinds.ts'
import { type Fit, type Model, maxPeriodMs } from './models/model.ts'
import { medianOf } from './times.ts'

/** A model with one capacity. */
export interface Candidate {
  readonly model: Model
  readonly fit: Fit
  /** Data points that it does not explain. */
  readonly unexplained: number
}

/** A candidate is ruled out by this many unexplained data points more than the best: one may be due to other traffic. */
export const unexplainedToRuleOut = 2

/** Candidates with a smaller share of all remaining parameters need a coincidence, such as a window that ends just then. */
const minShare = 0.003

/**
 * Greatest rate of a limiter, as a share of the rate of the first burst: nearer to it, jitter decides what is refused.
 */
const maxRateShare = 0.5

/** A correct Retry-After exceeds the window by at most this factor, rounding aside. */
const maxRetryAfterFactor = 1.1

/** The Retry-After that excludes windows shorter than this, both in milliseconds. */
export function excludingRetryAfter(minWindowMs: number): number {
  return minWindowMs * maxRetryAfterFactor + retryAfterStepMs
}

/** The candidates that the data points do not rule out. */
export class Candidates {
  #remaining: readonly Candidate[] = []
  #plausible: readonly Candidate[] = []
  #read = 0
  #trustsRetryAfter = true
  #minWindowMs = 0

  /** Shorter windows are excluded while Retry-After is trusted; 0 excludes none. */
  get minWindowMs(): number {
    return this.#minWindowMs
  }

  /** Whether a Retry-After that a candidate contradicts counts against it. */
  get trustsRetryAfter(): boolean {
    return this.#trustsRetryAfter
  }

  /** The candidates that are not ruled out, without those that need a coincidence. */
  get plausible(): readonly Candidate[] {
    return this.#plausible
  }

  /** The candidates that explain most. */
  get best(): readonly Candidate[] {
    const { unexplained } = this
    return this.#plausible.filter((candidate) => candidate.unexplained === unexplained)
  }

  /** Data points that even the best candidates do not explain. */
  get unexplained(): number {
    return this.#remaining.reduce(
      (min, { unexplained }) => Math.min(min, unexplained),
      Number.POSITIVE_INFINITY,
    )
  }

  /** Reads the data points since the last update. The first update needs the first 429. */
  update(dataPoints: readonly DataPoint[]): void {
    const longest = Math.max(0, longestRetryAfterMs(dataPoints) - retryAfterStepMs)
    const minWindowMs = this.#trustsRetryAfter ? longest / maxRetryAfterFactor : 0
    if (this.#read === 0 || minWindowMs > this.#minWindowMs * 1.5) this.#restart(dataPoints, minWindowMs)
    this.#readNew(dataPoints)
  }

  /**
   * Adds the windows that are much shorter than Retry-After, and ignores what Retry-After states.
   * @returns whether that makes a difference
   */
  distrustRetryAfter(dataPoints: readonly DataPoint[]): boolean {
    const matters = this.#trustsRetryAfter && longestRetryAfterMs(dataPoints) > 0
    this.#trustsRetryAfter = false
    if (matters) {
      this.#restart(dataPoints, 0)
      this.#readNew(dataPoints)
    }
    return matters
  }

  /** At the end of a budget: if Retry-After is trusted, assumes that a request after the last one would be admitted. */
  assumeAdmittedAfterRetryAfter(dataPoints: readonly DataPoint[]): void {
    const last = dataPoints.at(-1)
    if (!this.#trustsRetryAfter || last?.retryAfterMs === undefined) return
    const sentAt = last.endedAt + last.retryAfterMs
    this.#readNew([...dataPoints, { sentAt, endedAt: sentAt, outcome: 'admitted', isStated: true }])
  }

  /** How many of these data points a model explains. */
  explainedBy(model: Model, capacity: number, dataPoints: readonly DataPoint[]): number {
    const fit = newFit(model, capacity, firstBurst(dataPoints).minSpacing, this.#minWindowMs)
    return decisionIntervals(dataPoints).reduce((sum, decision) => sum + 1 - unexplainedBy(fit, decision), 0)
  }

  #restart(dataPoints: readonly DataPoint[], minWindowMs: number): void {
    this.#minWindowMs = minWindowMs
    this.#read = 0
    const { requests, unknown, minSpacing } = firstBurst(dataPoints)
    this.#remaining = limiterModels.flatMap((model) => {
      // The first request may have been in a window of its own: the burst begins with the second.
      const min = Math.max(1, model.minCapacity(requests - unknown - 1))
      return Array.from({ length: Math.max(0, requests - min + 1) }, (_, index) => {
        const capacity = requests - index
        return { model, fit: newFit(model, capacity, minSpacing, minWindowMs), unexplained: 0 }
      })
    })
  }

  #readNew(dataPoints: readonly DataPoint[]): void {
    const all = decisionIntervals(this.#trustsRetryAfter ? withStated(dataPoints) : dataPoints)
    for (const decision of all.slice(this.#read)) {
      this.#remaining = this.#remaining.map(({ model, fit, unexplained }) => ({
        model,
        fit,
        unexplained: unexplained + unexplainedBy(fit, decision),
      }))
      const ruledOutAt = this.unexplained + unexplainedToRuleOut
      this.#remaining = this.#remaining.filter(({ unexplained }) => unexplained < ruledOutAt)
    }
    this.#read = all.length
    const { unexplained } = this
    const shares = new Map(this.#remaining.map((candidate) => [candidate, candidate.fit.share()]))
    const best = this.#remaining.filter((candidate) => candidate.unexplained === unexplained)
    const least = minShare * best.reduce((sum, candidate) => sum + (shares.get(candidate) ?? 0), 0)
    this.#plausible = this.#remaining.filter((candidate) => (shares.get(candidate) ?? 0) >= least)
  }
}

/** A decision that contradicts the fit is set aside: it counts as one of unknown outcome. */
function unexplainedBy(fit: Fit, decision: DecisionInterval): 0 | 1 {
  if (fit.observe(decision)) return 0
  fit.observe({ ...decision, outcome: 'unknown', requestsUntil429: Number.POSITIVE_INFINITY })
  return 1
}

function newFit(model: Model, capacity: number, minSpacing: number, minWindowMs: number): Fit {
  const spacing = Math.max(minSpacing, minWindowMs / (capacity + 1))
  return model.fit(capacity, {
    low: spacing * requestsPerPeriod(model.kind, capacity),
    high: maxPeriodMs,
  })
}

/**
 * The requests before the first 429 bound the capacity from above, and their pace bounds the rate.
 * @returns `minSpacing`: the least time between two requests at the rate of the limiter, in milliseconds
 */
export function firstBurst(dataPoints: readonly DataPoint[]) {
  const end = dataPoints.findIndex(({ outcome }) => outcome === 'throttled')
  const burst = dataPoints.slice(0, end === -1 ? undefined : end)
  // After the first request there is a pause.
  const times = dataPoints.slice(1, burst.length + 1).filter(({ outcome }) => outcome !== 'unknown')
  const gaps = times.slice(1).map(({ sentAt }, index) => sentAt - (times[index]?.sentAt ?? 0))
  const median = medianOf(gaps)
  const gap = median ?? (dataPoints[end]?.sentAt ?? 0) - (dataPoints[0]?.sentAt ?? 0)
  return {
    requests: burst.length,
    unknown: burst.filter(({ outcome }) => outcome === 'unknown').length,
    minSpacing: gap / maxRateShare,
  }
}

/** What the candidates of one kind have in common. */
export interface LimiterEstimate {
  readonly kind: Kind
  readonly candidates: readonly Candidate[]
  readonly capacity: Interval
  /** Time in which the limiter becomes fresh again, in milliseconds. */
  readonly window: Interval
  /** Requests per second in the long run. */
  readonly rate: Interval
}

/** One estimate for each kind among the candidates. */
export function estimates(candidates: readonly Candidate[]): LimiterEstimate[] {
  return [...Map.groupBy(candidates, ({ model }) => model.kind)].map(([kind, group]) => {
    const capacity = hull(group.map(({ fit }) => ({ low: fit.capacity, high: fit.capacity })))
    const period = hull(group.map(({ fit }) => fit.periods()))
    const rates = group.map(({ fit }) => {
      const { low, high } = fit.periods()
      const requests = requestsPerPeriod(kind, fit.capacity)
      return { low: (requests * 1000) / high, high: (requests * 1000) / low }
    })
    const window = {
      low: windowOf(kind, capacity.low, period.low),
      high: windowOf(kind, capacity.high, period.high),
    }
    return { kind, candidates: group, capacity, window, rate: hull(rates) }
  })
}
