import type { DecisionInterval } from '../data-points.ts'
import { hull, type Interval } from '../interval.ts'
import type { Kind, KindVariant } from './kinds.ts'

export interface LimiterParameters {
  readonly capacity: number
  /** The window or, for a token bucket, the time between two tokens, in milliseconds. */
  readonly period: number
  /** For windows on a grid: when one of them starts, in milliseconds on the experiment's clock. */
  readonly start?: number
}

/** Parameters that Retry-After suggests, in milliseconds. */
interface Suggested {
  readonly windows: readonly number[]
  /** Times at which a window may have ended. */
  readonly ends: readonly number[]
}

/** A limiter in virtual time. */
export interface Simulation {
  /** The first time from `at` on at which it would admit a request. */
  nextAdmission(at: number): number
  record(at: number, admitted: boolean): void
  copy(): Simulation
}

/**
 * All parameters of one model and capacity that explain the decisions. Each decision removes those that contradict it,
 * and no others.
 */
export interface Fit {
  readonly capacity: number
  /** @returns false: no parameters explain the decision, and the fit is unchanged */
  observe(decision: DecisionInterval): boolean
  /** The remaining periods. */
  periods(): Interval
  /** Prior probability of the remaining parameters, up to a constant factor: log-uniform over periods, uniform over phases. */
  share(): number
  /** Some of the remaining parameters, spread widely, including the suggested ones among them. */
  samples(suggested: Suggested): LimiterParameters[]
}

export interface Model {
  readonly kind: Kind
  readonly variant?: KindVariant
  /** The variant, if its windows are aligned to the clock. */
  readonly alignedVariant?: KindVariant
  /** Whether windows are on a grid, so that `start` matters; otherwise requests begin them. */
  readonly hasGrid: boolean
  /** Whether a refused request counts, which lengthens the wait; false where responses cannot show it. */
  readonly countsRefused: boolean
  /** The smallest capacity that admits `burst` requests in a row, sent at twice the limiter's own rate or faster. */
  minCapacity(burst: number): number
  /** @param periods those that are possible before the first decision */
  fit(capacity: number, periods: Interval): Fit
  simulate(parameters: LimiterParameters): Simulation
}

export const maxPeriodMs = 48 * 3_600_000

/** A history in which no request has counted yet. */
export const nothing: Interval = { low: 0, high: 0 }

/**
 * A fit that follows several histories ("branches"), since the decisions do not show which one happened.
 * @param next returns the branches after one more decision, or none if the decision contradicts all of them; it receives
 * undefined for the first decision
 */
export function branchFit<Branch>(
  capacity: number,
  next: (branches: readonly Branch[] | undefined, decision: DecisionInterval) => readonly Branch[],
  periods: (branch: Branch) => Interval,
  samples = (branch: Branch, suggested: Suggested) => samplesOf(capacity, periods(branch), suggested),
  share = (branch: Branch) => shareOf(periods(branch)),
): Fit {
  let branches: readonly Branch[] | undefined
  return {
    capacity,
    observe(decision) {
      const after = next(branches, decision)
      if (after.length === 0) return false
      branches = after
      return true
    },
    periods: () => hull((branches ?? []).map(periods)),
    share: () => (branches ?? []).reduce((sum, branch) => sum + share(branch), 0),
    samples: (suggested) => (branches ?? []).flatMap((branch) => samples(branch, suggested)),
  }
}

/** A log-uniform prior over periods. */
export function shareOf({ low, high }: Interval): number {
  return Math.log(high / low)
}

/** Parameters with some of these periods. */
export function samplesOf(capacity: number, periods: Interval, { windows }: Suggested): LimiterParameters[] {
  return spread(periods, windows).map((period) => ({ capacity, period }))
}

/** Values of an interval: at even ratios, near its upper bound, and the suggested ones. */
export function spread({ low, high }: Interval, suggested: readonly number[]): number[] {
  // Until a request is admitted again nothing bounds a window from above: values over 60 times the minimum come later.
  const top = Math.min(high, low * 60)
  const shares = high > low * 1.02 ? [0.05, 0.4, 0.75, 0.95] : [0.5]
  return [
    ...shares.map((share) => low * (top / low) ** share),
    ...(high > low * 1.1 && high < maxPeriodMs ? [high * 0.985, high * 0.93] : []),
    ...suggested.filter((value) => value > low && value < high),
  ]
}
