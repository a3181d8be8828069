import { is429, latencyMs, type Shot } from '../engine/shot.ts'
import type { ProbeResult, Span } from '../result.ts'
import { countByOutcome, isAccepted, outcomes, type ShotOutcome, shotOutcome } from './outcome.ts'
import { nearestRank } from './percentiles.ts'

/** Time of the first 429, in milliseconds since the probe began to send; undefined if there was none. */
export function firstThrottledAt(shots: readonly Shot[]): number | undefined {
  const ends = shots.filter(is429).map(({ endedAt }) => endedAt)
  return ends.length === 0 ? undefined : ends.reduce((one, other) => Math.min(one, other))
}

/** The end of the time axis, in milliseconds. */
export function lastMoment({ shots, waits, stages }: ProbeResult): number {
  const begun = stages.reduce((last, { from }) => Math.max(last, from), 0)
  const active = shots.reduce((last, { endedAt }) => Math.max(last, endedAt), Math.max(1000, begun))
  // A wait may take hours: the chart then shows only its start.
  const waited = waits.reduce((last, { until }) => Math.max(last, Math.min(until, active * 1.25)), 0)
  return Math.max(active, waited)
}

/** Waits in order, without overlaps, up to `end`. */
export function mergedWaits(waits: readonly Span[], end = Number.POSITIVE_INFINITY): Span[] {
  const merged: { from: number; until: number }[] = []
  for (const { from, until } of waits.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1)
    if (last && from <= last.until) last.until = Math.max(last.until, Math.min(until, end))
    else if (from < end) merged.push({ from, until: Math.min(until, end) })
  }
  return merged
}

/** Total duration of the waits, without overlaps, in milliseconds. */
export function totalWaitMs(waits: readonly Span[]): number {
  return mergedWaits(waits).reduce((sum, { from, until }) => sum + until - from, 0)
}

/** End of the time axis, in milliseconds since the probe began to send. Leaves room for the bar of the last request. */
export function endOf(result: ProbeResult): number {
  return 1.03 * lastMoment(result)
}

/** Possible widths of bars, in seconds. */
const widths = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600]
const maxBars = 60

/** The width in seconds of bars that divide `end` milliseconds into at most `maxBars`. */
export function barSeconds(end: number): number {
  return widths.find((width) => end / 1000 / width <= maxBars) ?? Math.ceil(end / 1000 / maxBars)
}

/** How the bars of a chart divide time. */
export interface BarGrid {
  /** Width of a bar, in seconds. */
  readonly width: number
  /** Smallest width of a bar that a wait cuts short, in seconds: a narrower bar would hardly be visible. */
  readonly least: number
  /** Times in milliseconds since the probe began to send. */
  readonly waits: readonly Span[]
}

/**
 * Groups shots by bar, whose extent is in seconds since the probe began to send. A bar does not extend across the start
 * or end of a wait, unless it would be too narrow.
 */
function byBar(
  shots: readonly Shot[],
  timeOf: (shot: Shot) => number,
  { width, least, waits }: BarGrid,
): (readonly [Span, Shot[]])[] {
  const waitBounds = mergedWaits(waits).flatMap(({ from, until }) => [from / 1000, until / 1000])
  const barAt = (at: number): Span => {
    const from = waitBounds.findLast((bound) => bound <= at) ?? 0
    const until = waitBounds.find((bound) => bound > at) ?? Number.POSITIVE_INFINITY
    const barStart = from + Math.floor((at - from) / width) * width
    return { from: barStart, until: Math.max(barStart + least, Math.min(barStart + width, until)) }
  }
  const placed = shots.map((shot) => ({ shot, bar: barAt(timeOf(shot) / 1000) }))
  return [...Map.groupBy(placed, ({ bar }) => bar.from).values()].flatMap((sameBar) =>
    sameBar[0] ? [[sameBar[0].bar, sameBar.map(({ shot }) => shot)] as const] : [],
  )
}

interface Bar extends Span {
  readonly outcome: ShotOutcome
  /** Requests per second. */
  readonly rate: number
}

/**
 * The rate of each outcome in each bar: its requests divided by the full width of bars, even if a wait cuts a bar
 * short.
 */
export function bars(shots: readonly Shot[], grid: BarGrid): Bar[] {
  return byBar(shots, ({ sentAt }) => sentAt, grid).flatMap(([extent, ofBar]) => {
    const counts = countByOutcome(ofBar)
    return outcomes
      .filter((outcome) => counts[outcome] > 0)
      .map((outcome) => ({ ...extent, outcome, rate: counts[outcome] / grid.width }))
  })
}

/** Smallest latency on the chart, in milliseconds: a log axis has no zero. */
const leastLatencyMs = 0.1

export interface Dot {
  /** Intended start, in seconds since the probe began to send. */
  readonly at: number
  readonly latency: number
  readonly outcome: ShotOutcome
}

const maxDots = 1500

/**
 * One dot per shot. Above `maxDots`, overlapping dots are merged, so that outliers remain and the chart stays small.
 */
export function dots(shots: readonly Shot[], end: number): Dot[] {
  let kept: Dot[] = shots.map((shot) => ({
    at: shot.intendedAt / 1000,
    latency: Math.max(leastLatencyMs, latencyMs(shot)),
    outcome: shotOutcome(shot),
  }))
  for (let columns = 320; kept.length > maxDots; columns /= 2) {
    const column = end / 1000 / columns
    // A cell is about as high as wide: with 320 columns, three decades of latency have 30 rows.
    const row = ({ latency }: Dot) => Math.floor((Math.log10(latency) * columns) / 32)
    const cell = (dot: Dot) => [Math.floor(dot.at / column), row(dot), dot.outcome].join()
    kept = [...new Map(kept.map((dot) => [cell(dot), dot])).values()]
  }
  return kept
}

interface Median extends Span {
  readonly latency: number
}

/** Median latency of the accepted requests of each bar. */
export function medians(shots: readonly Shot[], grid: BarGrid): Median[] {
  const accepted = shots.filter(isAccepted)
  return byBar(accepted, ({ intendedAt }) => intendedAt, grid).map(([extent, ofBar]) => ({
    ...extent,
    latency: Math.max(leastLatencyMs, nearestRank(Float64Array.from(ofBar, latencyMs).sort(), 500)),
  }))
}
