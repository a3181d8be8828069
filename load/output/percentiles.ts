import { milliseconds } from '../../src/text/format.ts'
import { is429, latencyMs, type Shot, serviceTimeMs } from '../engine/shot.ts'
import { isAccepted } from './outcome.ts'

/**
 * Exact percentiles, in milliseconds; null with too few values. For example, the p99 of 40 values would be their
 * maximum, which does not estimate the slowest 1 %.
 */
export interface Percentiles {
  readonly p50: number | null
  readonly p90: number | null
  readonly p99: number | null
  readonly p999: number | null
  readonly max: number
}

type PercentileName = Exclude<keyof Percentiles, 'max'>

/** In thousandths, so that ranks are integers. */
const perMille = { p50: 500, p90: 900, p99: 990, p999: 999 } as const
const percentileNames = Object.keys(perMille) as PercentileName[]

/** Number of values that a percentile needs: 2, 10, 100, 1000. */
function valuesNeeded(name: PercentileName): number {
  return 1000 / (1000 - perMille[name])
}

/** Percentiles by nearest rank. @returns null without values */
export function percentilesOf(values: Iterable<number>): Percentiles | null {
  const sorted = Float64Array.from(values).sort()
  if (sorted.length === 0) return null
  const at = (name: PercentileName) =>
    sorted.length < valuesNeeded(name) ? null : nearestRank(sorted, perMille[name])
  return { p50: at('p50'), p90: at('p90'), p99: at('p99'), p999: at('p999'), max: nearestRank(sorted, 1000) }
}

/**
 * A percentile by nearest rank: the smallest value that at least `perMille` thousandths of all values do not exceed.
 * @param sorted ascending
 * @returns NaN without values
 */
export function nearestRank(sorted: Float64Array, perMille: number): number {
  return sorted[Math.ceil((sorted.length * perMille) / 1000) - 1] ?? Number.NaN
}

interface Times {
  readonly count: number
  /** From the intended start, to avoid coordinated omission. */
  readonly latencyMs: Percentiles | null
  /** From the actual start. */
  readonly serviceTimeMs: Percentiles | null
  /** Why percentiles are null, by name. */
  readonly tooFew: Readonly<Partial<Record<PercentileName, string>>>
}

/** Times by outcome, because a 429 is often fast and would distort the times of accepted requests. */
export interface TimesByOutcome {
  readonly accepted: Times
  readonly throttled: Times
  /** All responses, including other errors. */
  readonly answered: Times
  /** Requests without a complete response, which are in no percentile. */
  readonly unanswered: number
}

export function timesByOutcome(shots: readonly Shot[]): TimesByOutcome {
  const answered = shots.filter(({ status }) => status !== undefined)
  return {
    accepted: timesOf(answered.filter(isAccepted)),
    throttled: timesOf(answered.filter(is429)),
    answered: timesOf(answered),
    unanswered: shots.length - answered.length,
  }
}

function timesOf(shots: readonly Shot[]): Times {
  return {
    count: shots.length,
    latencyMs: percentilesOf(shots.map(latencyMs)),
    serviceTimeMs: percentilesOf(shots.map(serviceTimeMs)),
    tooFew: Object.fromEntries(
      percentileNames
        .filter((name) => shots.length < valuesNeeded(name))
        .map((name) => [name, `${shots.length} of ${valuesNeeded(name)} required values`]),
    ),
  }
}

export function percentileText(ms: number | null): string {
  return ms === null ? 'too few' : milliseconds(ms)
}

/** `p50 12.3 ms, p99 too few (66 of 100 required values)` */
export function latencyText({ latencyMs, tooFew }: Times): string {
  return (['p50', 'p99'] as const)
    .map((name) => {
      const why = tooFew[name] === undefined ? '' : ` (${tooFew[name]})`
      return `${name} ${percentileText(latencyMs?.[name] ?? null)}${why}`
    })
    .join(', ')
}

/** A time as an observation, in whole milliseconds; null with too few values. */
export function wholeMs(ms: number | null | undefined): number | null {
  return typeof ms === 'number' ? Math.round(ms) : null
}
