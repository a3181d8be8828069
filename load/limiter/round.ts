import type { Interval } from './region.ts'

/**
 * The roundest number of an interval: the one with the fewest digits, of those one that begins with 1, 2 or 5.
 * Limits are written by people.
 */
export function roundest({ low, high }: Interval): number {
  if (!(low > 0) || !Number.isFinite(high) || low >= high) return low
  for (let unit = 10 ** Math.floor(Math.log10(high)); unit > (high - low) / 1000; unit /= 10) {
    const least = Math.ceil(low / unit - 1e-9)
    const most = Math.floor(high / unit + 1e-9)
    if (least > most) continue
    const choices = Array.from({ length: Math.min(most - least + 1, 100) }, (_, index) => least + index)
    const liked = [1, 2, 5, 10, 3, 6, 4, 15]
    const fives = choices.filter((number) => number % 5 === 0)
    const choice =
      liked.find((number) => choices.includes(number)) ??
      nearest(fives.length > 0 ? fives : choices, (low + high) / 2 / unit)
    return Number((choice * unit).toPrecision(6))
  }
  return (low + high) / 2
}

function nearest(choices: readonly number[], wanted: number): number {
  return choices.reduce((best, choice) =>
    Math.abs(choice - wanted) < Math.abs(best - wanted) ? choice : best,
  )
}

/** The roundest whole number of an interval, its ends included. */
export function roundestCount({ low, high }: Interval): number {
  return low === high ? low : roundest({ low: low - 0.01, high: high + 0.01 })
}

/** Times that people write, in milliseconds: seconds, minutes and hours are round each in its own way. */
export const WRITTEN_TIMES_MS = [1000, 60_000, 3_600_000].flatMap((unit) =>
  [1, 2, 5, 10, 15, 20, 30, 3, 4, 6, 12, 24, 45, 8, 90, 25, 40, 50].map((count) => count * unit),
)

/** The time of an interval that a person would have written (milliseconds). */
export function roundestTime(interval: Interval): number {
  const inside = WRITTEN_TIMES_MS.filter((time) => time >= interval.low && time <= interval.high)
  const middle = (interval.low + interval.high) / 2
  return inside.length > 0 ? nearest(inside, middle) : roundest(interval)
}
