import { latencyMs, type Shot, serviceTimeMs } from '../engine/shot.ts'
import { isAccepted } from './outcome.ts'

/** Exact percentiles, in milliseconds. */
export interface Percentiles {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/** Parts in a thousand, so that ranks are reckoned in whole numbers. */
const perMille = { p50: 500, p90: 900, p99: 990, p999: 999, max: 1000 } as const

/**
 * Percentiles by nearest rank: the least value that at least so many of all values do not exceed. Never between two
 * values, so each is a time that was measured.
 * @param sorted ascending
 * @returns null where there are no values
 */
export function percentilesOf(sorted: Float64Array): Percentiles | null {
  if (sorted.length === 0) return null
  const at = (part: number) => sorted[Math.ceil((sorted.length * part) / 1000) - 1] as number
  return {
    p50: at(perMille.p50),
    p90: at(perMille.p90),
    p99: at(perMille.p99),
    p999: at(perMille.p999),
    max: at(perMille.max),
  }
}

/** How long answers took. */
export interface Times {
  readonly count: number
  /** From the intended start, which a target that stalls cannot hide (coordinated omission). */
  readonly latencyMs: Percentiles | null
  /** From the real start. */
  readonly serviceTimeMs: Percentiles | null
}

/** Times by outcome: a refusal is often quick, and would flatter the requests that were let through. */
export interface TimesByOutcome {
  readonly accepted: Times
  readonly throttled: Times
  /** Whatever was answered, also with other errors. */
  readonly answered: Times
  /** Requests without a whole answer, which are in no percentile. */
  readonly unanswered: number
}

export function timesByOutcome(shots: readonly Shot[]): TimesByOutcome {
  const answered = shots.filter(({ status }) => status !== undefined)
  return {
    accepted: timesOf(answered.filter(isAccepted)),
    throttled: timesOf(answered.filter(({ status }) => status === 429)),
    answered: timesOf(answered),
    unanswered: shots.length - answered.length,
  }
}

function timesOf(shots: readonly Shot[]): Times {
  return {
    count: shots.length,
    latencyMs: percentilesOf(Float64Array.from(shots, latencyMs).sort()),
    serviceTimeMs: percentilesOf(Float64Array.from(shots, serviceTimeMs).sort()),
  }
}
