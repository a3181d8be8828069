interface Timed {
  readonly sentAt: number
  readonly endedAt: number
}

export const durationOf = ({ sentAt, endedAt }: Timed): number => endedAt - sentAt

/** The shortest duration. */
export const quickestOf = (timed: readonly Timed[]): number => Math.min(...timed.map(durationOf))

/** The middle value, the greater of two. */
export function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]
}

/**
 * Time between successive times, if it is constant.
 * @param maxUnevenness greatest deviation from the mean, as its share
 */
export function evenSpacing(times: readonly number[], maxUnevenness: number): number | undefined {
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  return gaps.every((gap) => Math.abs(gap - mean) <= mean * maxUnevenness) ? mean : undefined
}
