import type { PercentileName, Times } from './percentiles.ts'

/** A percentile where it can be told. */
export function percentileText(ms: number | null): string {
  return ms === null ? 'too few' : milliseconds(ms)
}

/** A time as it is compared between runs; null where it cannot be told. */
export function wholeMs(ms: number | null | undefined): number | null {
  return typeof ms === 'number' ? Math.round(ms) : null
}

/** `p50 12.3 ms, p99 too few (66 of the 100 values that it takes)` */
export function latencyText({ latencyMs, tooFew }: Times, names: readonly PercentileName[]): string {
  return names
    .map((name) => {
      const why = tooFew[name] === undefined ? '' : ` (${tooFew[name]})`
      return `${name} ${percentileText(latencyMs?.[name] ?? null)}${why}`
    })
    .join(', ')
}

/** `0 ms`, `0.42 ms`, `12.3 ms`, `840 ms`, `12.4 s`: three figures at most. */
export function milliseconds(ms: number): string {
  if (ms === 0) return '0 ms'
  if (ms >= 999.5) return `${threeFigures(ms / 1000)} s`
  return `${threeFigures(ms)} ms`
}

function threeFigures(value: number): string {
  if (value >= 99.95) return value.toFixed(0)
  if (value >= 9.995) return value.toFixed(1)
  return value.toFixed(2)
}

/** A rate, with as many figures as tell: `9.5`, `120`, `0.03`. */
export function rateText(perSecond: number): string {
  return String(Number(perSecond.toPrecision(3)))
}
