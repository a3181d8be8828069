import type { Reading } from '../observation.ts'
import type { Interval } from '../region.ts'

export type Kind = 'fixed-window' | 'sliding-log' | 'sliding-counter' | 'token-bucket' | 'leaky-bucket'

/** Values of a model that explain what was seen. */
export interface Values {
  readonly capacity: number
  /** Milliseconds: the window, or of a bucket the time between two tokens. */
  readonly period: number
  /** Of windows on a grid: when one of them begins, in milliseconds on the probe's clock. */
  readonly start?: number
}

/** What the promises of Retry-After suggest, in milliseconds. */
export interface Suggested {
  readonly windows: readonly number[]
  /** Times at which a window may have ended. */
  readonly ends: readonly number[]
}

/** A limiter that can be asked what it would do, to compare plans and to reckon ahead. */
export interface Simulation {
  /** The first time from `at` on at which one request would be admitted. */
  nextAdmission(at: number): number
  /** Counts one request. */
  record(at: number, admitted: boolean): void
  copy(): Simulation
}

/**
 * One model with one capacity, and everything that its other values could still be. Each reading cuts away what does
 * not explain it. The cut is exact but for requests of unknown outcome, which leave both possibilities open.
 */
export interface Fit {
  readonly capacity: number
  /** Takes one more reading in. false: nothing explains it, and the fit is as it was. */
  observe(reading: Reading): boolean
  /** The periods left. */
  periods(): Interval
  /** Some of what is left, well spread. @param suggested values to take in if they are left */
  samples(suggested: Suggested): Values[]
}

export interface Model {
  readonly kind: Kind
  /** What sets it apart from other models of its kind. */
  readonly variant: string
  /** The least capacity that admits `burst` requests in a row, asked at twice the limiter's own rate or more. */
  leastCapacity(burst: number): number
  /** @param leastSpacing milliseconds for each request that the limiter allows in the long run, at the least */
  fit(capacity: number, leastSpacing: number): Fit
  simulate(values: Values): Simulation
}

export const LONGEST_PERIOD_MS = 48 * 3_600_000

/** Values of an interval: over its whole range by their ratio, near its upper end, and those that were suggested. */
export function spread({ low, high }: Interval, suggested: readonly number[]): number[] {
  // Nothing bounds a window from above until something came back: more than sixty times the least is left for later.
  const top = Math.min(high, low * 60)
  const inside = suggested.filter((value) => value > low && value < high)
  const shares = high > low * 1.02 ? [0.05, 0.4, 0.75, 0.95] : [0.5]
  return [
    ...shares.map((share) => low * (top / low) ** share),
    ...(high > low * 1.1 && high < LONGEST_PERIOD_MS ? [high * 0.985, high * 0.93] : []),
    ...inside,
  ]
}
