import type { DecisionInterval } from '../data-points.ts'
import { type Interval, union } from '../interval.ts'
import {
  branchFit,
  type LimiterParameters,
  type Model,
  noneCounted,
  type Simulation,
  samplesOf,
} from './model.ts'

/**
 * A bucket of `capacity` tokens: each admitted request takes one token, and one returns every `period` milliseconds.
 * The generic cell rate algorithm (GCRA, ITU-T I.371), a leaky bucket as a meter, admits exactly the same requests.
 */
export const tokenBucket: Model = {
  kind: 'token-bucket',
  hasGrid: false,
  countsRefused: false,
  // During a burst at twice the rate, as many tokens return as the bucket holds.
  minCapacity: (burst) => Math.ceil(burst / 2),
  fit: (capacity, period) =>
    branchFit<Branch>(
      capacity,
      (branches, decision) =>
        advance(branches ?? [{ full: decision, taken: noneCounted, period }], decision, capacity),
      (branch) => branch.period,
      (branch, { windows, ends }) =>
        samplesOf(capacity, branch.period, { windows: windows.map((window) => window / capacity), ends }),
    ),
  simulate,
}

/** One possible history: when the bucket was last full, and how many tokens requests have taken since. */
interface Branch {
  /** When the limiter decided on the first request after that: between `from` and `to`, in milliseconds. */
  readonly full: { readonly from: number; readonly to: number }
  readonly taken: Interval
  /** Possible times between the returns of two tokens, in milliseconds. */
  readonly period: Interval
}

/** Continues each history in two ways: the bucket was full again before the request, or not. */
function advance(branches: readonly Branch[], decision: DecisionInterval, capacity: number): Branch[] {
  const notFull = branches
    .map((branch) => whileNotFull(branch, decision, capacity))
    .filter((branch) => branch !== undefined)
  // A full bucket would admit `capacity` requests. If a 429 follows sooner, the bucket was not full.
  if (decision.requestsUntil429 < capacity) return notFull
  const fullAgain = branches
    .map(({ full, taken, period: { low, high } }) => ({
      low,
      high: taken.low === 0 ? high : Math.min(high, (decision.to - full.from) / taken.low),
    }))
    .filter(({ low, high }) => low < high)
  const taken = { low: decision.outcome === 'admitted' ? 1 : 0, high: 1 }
  return [...notFull, ...union(fullAgain).map((period) => ({ full: decision, taken, period }))]
}

/** The history in which the bucket was not full again before the request; undefined if this is impossible. */
function whileNotFull(
  { full, taken, period }: Branch,
  decision: DecisionInterval,
  capacity: number,
): Branch | undefined {
  if (taken.high === 0) return undefined
  const { from, to, outcome } = decision
  // If tokens return faster than this, all have returned, so that the bucket is full.
  let low = Math.max(period.low, (from - full.to) / taken.high)
  let { high } = period
  let after: Interval = { low: taken.low, high: taken.high + 1 }
  if (outcome === 'admitted') {
    if (taken.low >= capacity) high = Math.min(high, (to - full.from) / (taken.low - capacity + 1))
    after = { low: taken.low + 1, high: taken.high + 1 }
  } else if (outcome === 'throttled') {
    if (taken.high < capacity) return undefined
    low = Math.max(low, (from - full.to) / (taken.high - capacity + 1))
    after = { low: Math.max(taken.low, capacity), high: taken.high }
  }
  return low < high ? { full, taken: after, period: { low, high } } : undefined
}

/** @param fullAt when the bucket will be full if no request follows (the theoretical arrival time of GCRA) */
function simulate(parameters: LimiterParameters, fullAt = Number.NEGATIVE_INFINITY): Simulation {
  const { capacity, period } = parameters
  let full = fullAt
  return {
    nextAdmission: (at) => Math.max(at, full - (capacity - 1) * period),
    record(at, admitted) {
      if (admitted) full = Math.max(full, at) + period
    },
    copy: () => simulate(parameters, full),
  }
}
