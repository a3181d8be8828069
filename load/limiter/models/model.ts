import type { DecisionInterval } from '../data-points.ts'
import { hull, type Interval } from '../interval.ts'
import type { Kind, KindVariant } from './kinds.ts'

export interface LimiterParameters {
  readonly capacity: number
  /** Length of the window or, for a token bucket, time between two tokens, in milliseconds. */
  readonly period: number
  /** For windows on a grid (at regular times): when one of them starts, in milliseconds on the experiment's clock. */
  readonly start?: number
}

/** Values that Retry-After suggests for the parameters, in milliseconds. */
interface Suggested {
  /** Lengths of a window. */
  readonly windows: readonly number[]
  /** Times at which a window may have ended. */
  readonly ends: readonly number[]
}

/** A limiter in virtual time. Calls must be in order of time, in milliseconds. */
export interface Simulation {
  /** The earliest time, not before `at`, at which the limiter would admit a request. */
  nextAdmission(at: number): number
  /** Counts a request at this time. */
  record(at: number, admitted: boolean): void
  copy(): Simulation
}

/**
 * The parameters of one model and capacity that explain the decisions of the limiter. Each decision removes those
 * that contradict it. For example, after 30 requests at 0 s, a refusal at 9 s removes windows shorter than 9 s.
 */
export interface Fit {
  readonly capacity: number
  /** @returns false if no parameters explain the decision; the fit is then unchanged */
  observe(decision: DecisionInterval): boolean
  /** The range of the remaining periods. */
  periods(): Interval
  /**
   * Prior probability of the remaining parameters, up to a constant factor: log-uniform over periods, uniform over the
   * starts of windows.
   */
  share(): number
  /** Some of the remaining parameters: values from the whole range, and suggested values. */
  samples(suggested: Suggested): LimiterParameters[]
}

/** An algorithm that limits requests, such as a token bucket, for any parameters. */
export interface Model {
  readonly kind: Kind
  readonly variant?: KindVariant
  /** The variant to report if the windows are aligned to the clock. */
  readonly alignedVariant?: KindVariant
  /** Whether windows are on a grid, so that `start` matters. */
  readonly hasGrid: boolean
  /** Whether refused requests count, so that they lengthen the wait; false if responses cannot show this. */
  readonly countsRefused: boolean
  /**
   * The smallest capacity that admits `burst` requests in a row, sent at twice the limiter's rate or faster. For
   * example, a token bucket of 15 admits 30 such requests, since up to 15 tokens return meanwhile.
   */
  minCapacity(burst: number): number
  /** @param periods possible periods before the first decision */
  fit(capacity: number, periods: Interval): Fit
  /** A fresh limiter with these parameters. */
  simulate(parameters: LimiterParameters): Simulation
}

/** Longest window, or time between two tokens, that models consider, in milliseconds: 48 h. */
export const maxPeriodMs = 48 * 3_600_000

/** The range of a count, if no request has counted yet. */
export const noneCounted: Interval = { low: 0, high: 0 }

/**
 * A fit that follows all possible histories ("branches"): for example, which of the requests started the window.
 * @param next returns the branches after one more decision; none if the decision contradicts all of them. Before the
 * first decision, `branches` is undefined.
 * @param periods returns the possible periods of a branch
 * @param samples `Fit.samples` of one branch
 * @param share `Fit.share` of one branch
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

/** `Fit.share` of all periods of an interval: log-uniform. */
export function shareOf({ low, high }: Interval): number {
  return Math.log(high / low)
}

export function samplesOf(capacity: number, periods: Interval, { windows }: Suggested): LimiterParameters[] {
  return spread(periods, windows).map((period) => ({ capacity, period }))
}

/** Some values of an interval: from its whole range, near its upper bound, and the suggested values within it. */
export function spread({ low, high }: Interval, suggested: readonly number[]): number[] {
  // Without a known upper bound, values above 60 times the lower bound matter only after smaller values are ruled out.
  const top = Math.min(high, low * 60)
  const shares = high > low * 1.02 ? [0.05, 0.4, 0.75, 0.95] : [0.5]
  return [
    ...shares.map((share) => low * (top / low) ** share),
    ...(high > low * 1.1 && high < maxPeriodMs ? [high * 0.985, high * 0.93] : []),
    ...suggested.filter((value) => value > low && value < high),
  ]
}
