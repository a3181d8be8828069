import { latencyMs, type Shot } from '../engine/shot.ts'
import type { ProbeResult, Span } from '../result.ts'
import { countByOutcome, isAccepted, type Outcome, outcomeOf, outcomes } from './outcome.ts'
import { nearestRank } from './percentiles.ts'

/** When the first 429 came, in milliseconds since the probe began; undefined where none came. */
export function firstThrottledAt(shots: readonly Shot[]): number | undefined {
  const ends = shots.filter(({ status }) => status === 429).map(({ endedAt }) => endedAt)
  return ends.length === 0 ? undefined : ends.reduce((one, other) => Math.min(one, other))
}

/** Until when a chart has to reach to show all that happened, in milliseconds. */
export function lastMoment({ shots, holds, stages }: ProbeResult): number {
  const begun = stages.reduce((last, { from }) => Math.max(last, from), 0)
  const active = shots.reduce((last, { endedAt }) => Math.max(last, endedAt), Math.max(1000, begun))
  // A wait that nobody waited out may be hours: its beginning is enough.
  const waited = holds.reduce((last, { until }) => Math.max(last, Math.min(until, active * 1.25)), 0)
  return Math.max(active, waited)
}

/** Waits as they are drawn: in order, without overlaps, up to `end`. */
export function waits(holds: readonly Span[], end: number): Span[] {
  const joined: { from: number; until: number }[] = []
  for (const { from, until } of holds.toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1)
    if (last && from <= last.until) last.until = Math.max(last.until, Math.min(until, end))
    else if (from < end) joined.push({ from, until: Math.min(until, end) })
  }
  return joined
}

/** How long the target asked to be left alone in all, in milliseconds, whether or not anybody waited. */
export function askedToWaitMs(holds: readonly Span[]): number {
  return waits(holds, Number.POSITIVE_INFINITY).reduce((sum, { from, until }) => sum + until - from, 0)
}

/** Widths of bars, in seconds. */
const widths = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600]
const mostBars = 60

/** The width of bars in which all of `end` milliseconds is readable, in seconds. */
export function barSeconds(end: number): number {
  return widths.find((width) => end / 1000 / width <= mostBars) ?? Math.ceil(end / 1000 / mostBars)
}

export interface Bar {
  /** Seconds since the probe began. */
  readonly from: number
  readonly until: number
  readonly outcome: Outcome
  /** Requests that were sent, a second. */
  readonly rate: number
}

export function bars(shots: readonly Shot[], width: number): Bar[] {
  const counts = new Map<number, Record<Outcome, number>>()
  for (const [index, some] of Map.groupBy(shots, ({ sentAt }) => Math.floor(sentAt / 1000 / width)))
    counts.set(index, countByOutcome(some))
  return [...counts].flatMap(([index, byOutcome]) =>
    outcomes
      .filter((outcome) => byOutcome[outcome] > 0)
      .map((outcome) => ({
        from: index * width,
        until: (index + 1) * width,
        outcome,
        rate: byOutcome[outcome] / width,
      })),
  )
}

/** Latencies below are drawn there: a log axis has no zero. In milliseconds. */
const leastLatencyMs = 0.1

export interface Dot {
  /** When it was meant to be sent, in seconds since the probe began. */
  readonly at: number
  readonly latency: number
  readonly outcome: Outcome
}

const mostDots = 1500

/**
 * One dot for each shot. Where they are many, those that would lie upon each other become one, so that the chart
 * stays small however long a probe was, and what stands out is still there.
 */
export function dots(shots: readonly Shot[], end: number): Dot[] {
  const all = shots.map((shot) => ({
    at: shot.intendedAt / 1000,
    latency: Math.max(leastLatencyMs, latencyMs(shot)),
    outcome: outcomeOf(shot),
  }))
  let kept: Dot[] = all
  for (let columns = 320; kept.length > mostDots; columns /= 2) {
    const column = end / 1000 / columns
    const cells = new Map(
      kept.map((dot) => [
        // About as high as wide: 30 rows to the usual three decades, 320 columns beside.
        [
          Math.floor(dot.at / column),
          Math.floor((Math.log10(dot.latency) * columns) / 32),
          dot.outcome,
        ].join(),
        dot,
      ]),
    )
    kept = [...cells.values()]
  }
  return kept
}

export interface Median {
  /** Seconds since the probe began. */
  readonly from: number
  readonly until: number
  readonly latency: number
}

/** Median latency of the requests of each bar that were accepted. */
export function medians(shots: readonly Shot[], width: number): Median[] {
  return [
    ...Map.groupBy(shots.filter(isAccepted), ({ intendedAt }) => Math.floor(intendedAt / 1000 / width)),
  ].map(([index, some]) => ({
    from: index * width,
    until: (index + 1) * width,
    latency: Math.max(leastLatencyMs, nearestRank(Float64Array.from(some, latencyMs).sort(), 500)),
  }))
}
