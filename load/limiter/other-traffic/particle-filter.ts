import { type DataPoint, retryAfterStepMs } from '../data-points.ts'
import { limiterKinds, windowOf } from '../models/kinds.ts'
import type { LimiterParameters, Model, Simulation } from '../models/model.ts'

/** A limiter with other traffic: requests of other clients that count towards the same limit. */
export interface LimiterWithOtherTraffic {
  readonly model: Model
  readonly parameters: LimiterParameters
  /** Rate of these other requests, as a share of the rate of the limiter. */
  readonly others: number
}

/** One possible past: the state of the limiter after the probe's requests and other requests at random times. */
interface Path {
  state: Simulation
  /** How well this past explains the responses, compared with the other paths. */
  weight: number
}

/** Other requests that are older than this many windows no longer matter. */
const memoryWindows = 2.2

/** Likelihood of an admission that a path excludes. It is low: other requests may cause refusals, but no admission. */
const unexpectedAdmission = 1e-3

/** Smallest likelihood of a Retry-After that contradicts a path: another component may have set it. */
const contradictedRetryAfter = 0.1

/** Smallest likelihood of a refusal, so that the search can still improve a limiter that is nearly right. */
const leastLikelihood = 1e-12

/** Probability that the limiter counted a request without a response. */
const countedWithoutResponse = 0.75

/**
 * Tolerance for Retry-After in addition to its rounding, as a share of the window. A larger deviation is less likely.
 */
const windowError = 0.002

/**
 * Estimates how likely the data points (the probe's requests and their outcomes) are with this limiter and Poisson
 * arrivals of other requests. It follows several possible pasts ("paths"). An unexpected refusal is as likely as the
 * other requests that would explain it.
 */
export class ParticleFilter {
  readonly limiter: LimiterWithOtherTraffic
  /** Time in which the used-up limiter becomes fresh again, in milliseconds. */
  readonly window: number
  logLikelihood = 0
  /** Number of admitted requests that every path would have refused. */
  unexplained = 0
  readonly #random: () => number
  readonly #othersPerMs: number
  #paths: Path[]
  #read = 0
  /** Estimated time of the latest decision. */
  #at = Number.NEGATIVE_INFINITY

  constructor(limiter: LimiterWithOtherTraffic, paths: number, random: () => number) {
    const { model, parameters, others } = limiter
    this.limiter = limiter
    this.#random = random
    this.window = windowOf(model.kind, parameters.capacity, parameters.period)
    this.#othersPerMs = (others * parameters.capacity) / this.window
    this.#paths = Array.from({ length: paths }, () => ({ state: model.simulate(parameters), weight: 1 }))
  }

  /** The likeliest state after the data points. */
  get state(): Simulation {
    return this.#paths.reduce((best, path) => (path.weight > best.weight ? path : best)).state
  }

  /** Reads the data points since the last call. Stops when the log-likelihood is no longer above `least`. */
  read(dataPoints: readonly DataPoint[], least = Number.NEGATIVE_INFINITY): void {
    for (; this.#read < dataPoints.length && this.logLikelihood > least; this.#read += 1)
      this.#observe(dataPoints[this.#read] as DataPoint)
  }

  #observe(dataPoint: DataPoint): void {
    const { sentAt, endedAt, outcome } = dataPoint
    const since = Math.max(this.#at, sentAt - memoryWindows * this.window)
    let total = 0
    for (const path of this.#paths) {
      const at = Math.max(since, sentAt + this.#random() * (endedAt - sentAt))
      const others = this.#addOthers(path.state, since, at)
      path.weight *= this.#likelihood(path, dataPoint, { since, at, others })
      total += path.weight
    }
    this.logLikelihood += Math.log(total / this.#paths.length)
    if (outcome === 'admitted' && total <= unexpectedAdmission * this.#paths.length) this.unexplained += 1
    this.#resample(total)
    this.#at = Math.max(since, (sentAt + endedAt) / 2)
  }

  /** Adds random other requests. @returns their number */
  #addOthers(state: Simulation, since: number, until: number): number {
    if (this.#othersPerMs === 0) return 0
    const gap = () => -Math.log(1 - this.#random()) / this.#othersPerMs
    let others = 0
    for (let at = since + gap(); at < until; at += gap()) {
      state.record(at, state.nextAdmission(at) <= at)
      others += 1
    }
    return others
  }

  /** Advances a path to the outcome of a request at `at`. @returns the likelihood of that outcome */
  #likelihood(path: Path, dataPoint: DataPoint, arrivals: Arrivals): number {
    const { outcome } = dataPoint
    const { at } = arrivals
    if (outcome === 'throttled') return this.#refuse(path, dataPoint, arrivals)
    const isAdmitted = path.state.nextAdmission(at) <= at
    if (outcome === 'unknown') {
      path.state.record(at, isAdmitted && this.#random() < countedWithoutResponse)
      return 1
    }
    // If a limiter is fresh after each window, an unexpected admission shows that a window has just ended.
    const { model, parameters } = this.limiter
    if (!isAdmitted && limiterKinds[model.kind].resets) path.state = model.simulate(parameters)
    path.state.record(at, true)
    return isAdmitted ? 1 : unexpectedAdmission
  }

  /** Adds the other requests that must have used up the limiter before a refusal. @returns the refusal's likelihood */
  #refuse({ state }: Path, dataPoint: DataPoint, { since, at, others }: Arrivals): number {
    const missing = useUp(state, at, this.limiter.parameters.capacity)
    const agreement = this.#agreement(state, dataPoint, at)
    const enough = missing === 0 ? 1 : poissonTail(this.#othersPerMs * (at - since), others + missing)
    const likelihood = enough * agreement
    state.record(at, false)
    return Math.max(likelihood, leastLikelihood)
  }

  /** Likelihood of the Retry-After of a refusal in this state; 1 without Retry-After. */
  #agreement(state: Simulation, { sentAt, endedAt, retryAfterMs }: DataPoint, at: number): number {
    if (retryAfterMs === undefined) return 1
    const slack = endedAt - sentAt
    const wait = state.nextAdmission(at) - at
    const least = retryAfterMs - retryAfterStepMs - slack - windowError * this.window
    const error = Math.max(0, least - wait, wait - retryAfterMs - slack)
    return Math.max(contradictedRetryAfter, Math.exp((-2 * error) / retryAfterStepMs))
  }

  /** Replaces unlikely paths by copies of likely paths. */
  #resample(total: number): void {
    const count = this.#paths.length
    for (const path of this.#paths) path.weight *= count / total
    const squares = this.#paths.reduce((sum, { weight }) => sum + weight ** 2, 0)
    // The weights are still similar enough.
    if (squares <= 2 * count) return
    const next: Path[] = []
    const offset = this.#random()
    let sum = 0
    for (const { state, weight } of this.#paths) {
      sum += weight
      for (let isFirst = true; next.length + offset < sum && next.length < count; isFirst = false)
        next.push({ state: isFirst ? state : state.copy(), weight: 1 })
    }
    this.#paths = next
  }
}

/** The other requests in a path before a request of the probe. */
interface Arrivals {
  /** Time of the previous request of the probe, but at most `memoryWindows` windows before this request. */
  readonly since: number
  /** Time of the decision on this request of the probe. */
  readonly at: number
  /** Number of other requests between these two times. */
  readonly others: number
}

/** Sends simulated requests until the limiter is used up. @returns their number */
function useUp(state: Simulation, at: number, capacity: number): number {
  let requests = 0
  for (; requests <= capacity && state.nextAdmission(at) <= at; requests += 1) state.record(at, true)
  return requests
}

/** Probability of at least `count` arrivals of a Poisson process. @param expected mean number of arrivals */
function poissonTail(expected: number, count: number): number {
  let exactly = Math.exp(-expected)
  let fewer = 0
  for (let arrivals = 0; arrivals < count; arrivals += 1) {
    fewer += exactly
    exactly *= expected / (arrivals + 1)
  }
  if (count <= expected) return Math.max(0, 1 - fewer)
  // A small probability is a sum, since `1 - fewer` would lose its digits.
  let tail = 0
  for (let arrivals = count; exactly > tail * 1e-3; arrivals += 1) {
    tail += exactly
    exactly *= expected / (arrivals + 1)
  }
  return tail
}
