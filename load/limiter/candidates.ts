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

/** A possible limiter: a model (one kind of limiter in one variant) with one capacity. */
export interface Candidate {
  readonly model: Model
  /** The periods that the data points permit: window lengths or, for a token bucket, times between two tokens. */
  readonly fit: Fit
  /** Number of data points (requests, and refusals that Retry-After predicts) that the candidate does not explain. */
  readonly unexplained: number
}

/**
 * A candidate with this many more unexplained data points than the best candidate is ruled out. A single
 * unexplained data point may be due to a request of another client.
 */
export const surplusToRuleOut = 2

/**
 * A candidate is plausible if its fit still permits at least this share of the values that all best candidates
 * together permit. A smaller share would need a coincidence, such as a window that ends exactly at a request.
 */
const minShare = 0.003

/**
 * Largest rate of a limiter, as a share of the rate of the first burst: 50 requests/s after a burst at 100
 * requests/s. With a higher rate, jitter would decide which requests are refused.
 */
const maxRateShare = 0.5

/**
 * Largest factor by which a correct Retry-After exceeds the window, apart from rounding. For example, Retry-After 8 s
 * excludes windows shorter than (8 s - 1 s) / 1.1 = 6.4 s.
 */
const maxRetryAfterFactor = 1.1

/** The candidates that the data points do not rule out. */
export class Candidates {
  #remaining: readonly Candidate[] = []
  #plausible: readonly Candidate[] = []
  /** Number of data points that the fits have observed. */
  #read = 0
  #trustsRetryAfter = true
  #minWindowMs = 0

  /** The shortest possible window according to Retry-After, in milliseconds; 0 if Retry-After excludes none. */
  get minWindowMs(): number {
    return this.#minWindowMs
  }

  /** Whether a Retry-After that contradicts a candidate counts against it. */
  get trustsRetryAfter(): boolean {
    return this.#trustsRetryAfter
  }

  /** The candidates that are not ruled out and need no coincidence (`minShare`). */
  get plausible(): readonly Candidate[] {
    return this.#plausible
  }

  /** The plausible candidates that explain the most data points. */
  get best(): readonly Candidate[] {
    const { unexplained } = this
    return this.#plausible.filter((candidate) => candidate.unexplained === unexplained)
  }

  /** Number of data points that even the best candidates do not explain. */
  get unexplained(): number {
    return this.#remaining.reduce(
      (min, { unexplained }) => Math.min(min, unexplained),
      Number.POSITIVE_INFINITY,
    )
  }

  /** Reads the data points since the last update. The first update must include the first 429. */
  update(dataPoints: readonly DataPoint[]): void {
    const longest = Math.max(0, longestRetryAfterMs(dataPoints) - retryAfterStepMs)
    const minWindowMs = this.#trustsRetryAfter ? longest / maxRetryAfterFactor : 0
    // If Retry-After excludes many more windows than before, new fits without these windows save time.
    if (this.#read === 0 || minWindowMs > this.#minWindowMs * 1.5) this.#restart(dataPoints, minWindowMs)
    this.#readNew(dataPoints)
  }

  /**
   * Stops trusting Retry-After, so that much shorter windows become possible.
   * @returns whether this changes the candidates
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

  /**
   * Assumes that a request after the last Retry-After would be admitted, if Retry-After is trusted. The budget does
   * not permit this request.
   */
  assumeAdmittedAfterRetryAfter(dataPoints: readonly DataPoint[]): void {
    const last = dataPoints.at(-1)
    if (!this.#trustsRetryAfter || last?.retryAfterMs === undefined) return
    const sentAt = last.endedAt + last.retryAfterMs
    this.#readNew([...dataPoints, { sentAt, endedAt: sentAt, outcome: 'admitted', isStated: true }])
  }

  /** Number of these data points that a model with this capacity explains. */
  explainedBy(model: Model, capacity: number, dataPoints: readonly DataPoint[]): number {
    const fit = newFit(model, capacity, firstBurst(dataPoints).minSpacing, this.#minWindowMs)
    return decisionIntervals(dataPoints).reduce((sum, decision) => sum + 1 - observe(fit, decision), 0)
  }

  #restart(dataPoints: readonly DataPoint[], minWindowMs: number): void {
    this.#minWindowMs = minWindowMs
    this.#read = 0
    const { requests, unknown, minSpacing } = firstBurst(dataPoints)
    this.#remaining = limiterModels.flatMap((model) => {
      // The first request may be in an earlier window, so the smallest capacity admits only the requests after it.
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
        unexplained: unexplained + observe(fit, decision),
      }))
      const ruledOutAt = this.unexplained + surplusToRuleOut
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

/**
 * Restricts the fit to the periods that explain the decision of the limiter. If no period does, the fit ignores the
 * outcome of this decision.
 * @returns number of unexplained data points: 1 if no period explains the decision
 */
function observe(fit: Fit, decision: DecisionInterval): 0 | 1 {
  if (fit.observe(decision)) return 0
  fit.observe({ ...decision, outcome: 'unknown', requestsUntil429: Number.POSITIVE_INFINITY })
  return 1
}

/** A fit of all periods that the pace of the first burst (`minSpacing`) and the values of Retry-After permit. */
function newFit(model: Model, capacity: number, minSpacing: number, minWindowMs: number): Fit {
  const spacing = Math.max(minSpacing, minWindowMs / (capacity + 1))
  return model.fit(capacity, {
    low: spacing * requestsPerPeriod(model.kind, capacity),
    high: maxPeriodMs,
  })
}

/**
 * The requests before the first 429: their number is an upper bound of the capacity, and their pace bounds the rate.
 * @returns `minSpacing` is the shortest possible interval between requests at the limiter's rate, in milliseconds
 */
export function firstBurst(dataPoints: readonly DataPoint[]) {
  const end = dataPoints.findIndex(({ outcome }) => outcome === 'throttled')
  const burst = dataPoints.slice(0, end === -1 ? undefined : end)
  // Skips the first request, because a pause follows it.
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

/** The candidates of one kind, and the ranges of their values. */
export interface LimiterEstimate {
  readonly kind: Kind
  readonly candidates: readonly Candidate[]
  readonly capacity: Interval
  /** Time after which the used-up limiter no longer counts earlier requests, in milliseconds. */
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
