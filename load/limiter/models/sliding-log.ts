import type { Reading } from '../observation.ts'
import type { Interval } from '../region.ts'
import {
  type Fit,
  LONGEST_PERIOD_MS,
  type Model,
  type Simulation,
  type Suggested,
  spread,
  type Values,
} from './model.ts'

/**
 * Admits while fewer than `capacity` requests lie within the last `window`.
 * @param countsRejected whether a refused request lengthens the wait, as where each request is logged before counting
 */
export function slidingLog(countsRejected: boolean): Model {
  return {
    kind: 'sliding-log',
    variant: countsRejected ? 'refused requests count too' : '',
    leastCapacity: (burst) => burst,
    fit: (capacity, leastSpacing) => new SlidingLogFit(capacity, leastSpacing, countsRejected),
    simulate: (values) => simulate(values, countsRejected, []),
  }
}

class SlidingLogFit implements Fit {
  readonly capacity: number
  readonly #countsRejected: boolean
  /** Requests that counted for sure, and those that may have. */
  readonly #sure: Reading[] = []
  readonly #possible: Reading[] = []
  #window: Interval

  constructor(capacity: number, leastSpacing: number, countsRejected: boolean) {
    this.#window = { low: capacity * leastSpacing, high: LONGEST_PERIOD_MS }
    this.capacity = capacity
    this.#countsRejected = countsRejected
  }

  observe(reading: Reading): boolean {
    let { low, high } = this.#window
    if (reading.outcome === 'admitted') {
      const oldest = this.#sure.at(-this.capacity)
      if (oldest !== undefined) high = Math.min(high, reading.to - oldest.from)
    }
    if (reading.outcome === 'throttled') {
      const oldest = this.#possible.at(-this.capacity)
      if (oldest === undefined) return false
      low = Math.max(low, reading.from - oldest.to)
    }
    if (low >= high) return false
    this.#window = { low, high }
    if (reading.outcome === 'throttled' && !this.#countsRejected) return true
    this.#possible.push(reading)
    if (reading.outcome !== 'unknown') this.#sure.push(reading)
    return true
  }

  periods(): Interval {
    return this.#window
  }

  samples({ windows }: Suggested): Values[] {
    return spread(this.#window, windows).map((period) => ({ capacity: this.capacity, period }))
  }
}

function simulate(values: Values, countsRejected: boolean, counted: readonly number[]): Simulation {
  const { capacity, period } = values
  const log = [...counted]
  return {
    nextAdmission: (at) => Math.max(at, (log.at(-capacity) ?? Number.NEGATIVE_INFINITY) + period),
    record(at, admitted) {
      if (admitted || countsRejected) log.push(at)
    },
    copy: () => simulate(values, countsRejected, log.slice(-capacity)),
  }
}
