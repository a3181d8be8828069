export interface Interval {
  readonly low: number
  readonly high: number
}

/** The smallest interval that contains all these intervals. */
export function hull(intervals: readonly Interval[]): Interval {
  return {
    low: Math.min(...intervals.map(({ low }) => low)),
    high: Math.max(...intervals.map(({ high }) => high)),
  }
}

/** The same values in as few intervals as possible. */
export function union(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = []
  for (const interval of [...intervals].sort((one, other) => one.low - other.low)) {
    const last = merged.at(-1)
    if (last !== undefined && interval.low <= last.high) {
      merged[merged.length - 1] = { low: last.low, high: Math.max(last.high, interval.high) }
    } else merged.push(interval)
  }
  return merged
}

/** The roundest number in the interval, because people configure round limits: 60 in the interval from 58.3 to 61. */
export function roundNumberIn({ low, high }: Interval): number {
  if (!(low > 0) || !Number.isFinite(high) || low >= high) return low
  for (let unit = 10 ** Math.floor(Math.log10(high)); unit > (high - low) / 1000; unit /= 10) {
    const first = Math.ceil(low / unit - 1e-9)
    const last = Math.floor(high / unit + 1e-9)
    if (first > last) continue
    const multiples = Array.from({ length: Math.min(last - first + 1, 100) }, (_, index) => first + index)
    const fives = multiples.filter((number) => number % 5 === 0)
    // The first of these in the interval; if none is, the number nearest to its middle, preferably a multiple of 5.
    const chosen =
      [1, 2, 5, 10, 3, 6, 4, 15].find((number) => multiples.includes(number)) ??
      nearest(fives.length > 0 ? fives : multiples, distanceTo((low + high) / 2 / unit))
    return Number((chosen * unit).toPrecision(6))
  }
  return (low + high) / 2
}

/** The roundest whole number in an interval of whole numbers, including its bounds. */
export function roundCountIn({ low, high }: Interval): number {
  return low === high ? low : roundNumberIn({ low: low - 0.01, high: high + 0.01 })
}

/** Lengths of windows that people configure, in milliseconds: some whole seconds, minutes and hours. */
export const roundTimesMs = [1000, 60_000, 3_600_000].flatMap((unit) =>
  [1, 2, 5, 10, 15, 20, 30, 3, 4, 6, 12, 24, 45, 8, 90, 25, 40, 50].map((count) => count * unit),
)

/** Capacities (numbers of requests) that people configure. */
export const roundCounts = [1, 10, 100, 1000].flatMap((unit) =>
  [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8].map((count) => count * unit).filter(Number.isInteger),
)

/** Whether the interval, in requests per second, contains a round number of requests per second, minute or hour. */
export function isRoundRate({ low, high }: Interval): boolean {
  return [1, 60, 3600].some((unit) =>
    roundCounts.some((count) => count >= low * unit * 0.999 && count <= high * unit * 1.001),
  )
}

/** Whether the interval, in milliseconds, contains a length of a window that people configure. */
export function hasRoundTime(interval: Interval): boolean {
  return roundTimesIn(interval).length > 0
}

/** The time in the interval that is likeliest to be configured, in milliseconds. */
export function roundTimeIn(interval: Interval): number {
  const times = roundTimesIn(interval)
  return times.length > 0
    ? nearest(times, distanceTo((interval.low + interval.high) / 2))
    : roundNumberIn(interval)
}

function roundTimesIn({ low, high }: Interval): number[] {
  return roundTimesMs.filter((time) => time >= low && time <= high)
}

const distanceTo = (wanted: number) => (value: number) => Math.abs(value - wanted)

/** The value with the shortest distance; the first value of several at this distance. */
export function nearest(values: readonly number[], distance: (value: number) => number): number {
  return values.reduce((best, value) => (distance(value) < distance(best) ? value : best))
}
