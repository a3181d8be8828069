interface Timed {
  readonly sentAt: number
  readonly endedAt: number
}

export const durationOf = ({ sentAt, endedAt }: Timed): number => endedAt - sentAt

export const quickestOf = (timed: readonly Timed[]): number => Math.min(...timed.map(durationOf))

/** The middle value; the greater of two middle values. */
export function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]
}

/**
 * The interval between successive times; undefined if it is not constant.
 * @param maxUnevenness largest deviation from the mean interval, as a share of the mean
 */
export function evenSpacing(times: readonly number[], maxUnevenness: number): number | undefined {
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  return gaps.every((gap) => Math.abs(gap - mean) <= mean * maxUnevenness) ? mean : undefined
}
