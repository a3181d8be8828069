import type { Reading } from '../observation.ts'
import { type Interval, union } from '../region.ts'
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
 * `capacity` tokens, one more each `period` milliseconds, one taken by each request. A leaky bucket as a meter and the
 * generic cell rate algorithm (ITU-T I.371) admit exactly the same requests.
 */
export const tokenBucket: Model = {
  kind: 'token-bucket',
  variant: '',
  leastCapacity: (burst) => Math.ceil(burst / 2),
  fit: (capacity, leastSpacing) => new TokenBucketFit(capacity, leastSpacing),
  simulate: (values) => simulate(values, Number.NEGATIVE_INFINITY),
}

/** One history: the bucket was last full just before the request `full`, and `taken` tokens have been taken since. */
interface Branch {
  readonly full: { readonly from: number; readonly to: number }
  readonly taken: Interval
  readonly period: Interval
}

class TokenBucketFit implements Fit {
  readonly capacity: number
  #branches: readonly Branch[] | undefined

  readonly #leastSpacing: number

  constructor(capacity: number, leastSpacing: number) {
    this.capacity = capacity
    this.#leastSpacing = leastSpacing
  }

  observe(reading: Reading): boolean {
    const before: readonly Branch[] = this.#branches ?? [
      {
        full: reading,
        taken: { low: 0, high: 0 },
        period: { low: this.#leastSpacing, high: LONGEST_PERIOD_MS },
      },
    ]
    const after: Branch[] = []
    const fullPeriods: Interval[] = []
    for (const branch of before) {
      const busy = this.#notFull(branch, reading)
      if (busy !== undefined) after.push(busy)
      const period = this.#fullAgain(branch, reading)
      if (period !== undefined) fullPeriods.push(period)
    }
    const taken = { low: reading.outcome === 'admitted' ? 1 : 0, high: 1 }
    for (const period of union(fullPeriods)) after.push({ full: reading, taken, period })
    if (after.length === 0) return false
    this.#branches = after
    return true
  }

  #notFull({ full, taken, period }: Branch, reading: Reading): Branch | undefined {
    if (taken.high === 0) return undefined
    let low = Math.max(period.low, (reading.from - full.to) / taken.high)
    let high = period.high
    let least = taken.low
    let most = taken.high
    if (reading.outcome === 'admitted') {
      if (least >= this.capacity)
        high = Math.min(high, (reading.to - full.from) / (least - this.capacity + 1))
      least += 1
      most += 1
    } else if (reading.outcome === 'throttled') {
      if (most < this.capacity) return undefined
      low = Math.max(low, (reading.from - full.to) / (most - this.capacity + 1))
      least = Math.max(least, this.capacity)
    } else {
      most += 1
    }
    return low < high ? { full, taken: { low: least, high: most }, period: { low, high } } : undefined
  }

  /** The periods with which the bucket is full again. */
  #fullAgain({ full, taken, period }: Branch, reading: Reading): Interval | undefined {
    // A full bucket admits, and takes `capacity` requests to be empty.
    if (reading.outcome === 'throttled' || reading.untilThrottled < this.capacity) return undefined
    const high = taken.low === 0 ? period.high : Math.min(period.high, (reading.to - full.from) / taken.low)
    return period.low < high ? { low: period.low, high } : undefined
  }

  periods(): Interval {
    const periods = (this.#branches ?? []).map(({ period }) => period)
    return {
      low: Math.min(...periods.map(({ low }) => low)),
      high: Math.max(...periods.map(({ high }) => high)),
    }
  }

  samples({ windows }: Suggested): Values[] {
    return (this.#branches ?? []).flatMap(({ period }) =>
      spread(
        period,
        windows.map((window) => window / this.capacity),
      ).map((value) => ({ capacity: this.capacity, period: value })),
    )
  }
}

/** @param fullAt when the bucket will be full again if nothing is asked (the theoretical arrival time) */
function simulate(values: Values, fullAt: number): Simulation {
  const { capacity, period } = values
  let full = fullAt
  return {
    nextAdmission: (at) => Math.max(at, full - (capacity - 1) * period),
    record(at, admitted) {
      if (admitted) full = Math.max(full, at) + period
    },
    copy: () => simulate(values, full),
  }
}
