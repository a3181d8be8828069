/** When a request was sent and its response ended, in milliseconds. */
interface Timed {
  readonly sentAt: number
  readonly endedAt: number
}

export const durationOf = ({ sentAt, endedAt }: Timed): number => endedAt - sentAt

/** The shortest duration; Infinity without any request. */
export const quickestOf = (timed: readonly Timed[]): number => Math.min(...timed.map(durationOf))

/** The middle value; of two middle values, the greater one; undefined without values. */
export function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]
}

/**
 * The mean interval between successive times; undefined if an interval deviates too much from it.
 * @param maxUnevenness largest deviation from the mean interval, as a share of the mean
 */
export function evenSpacing(times: readonly number[], maxUnevenness: number): number | undefined {
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  return gaps.every((gap) => Math.abs(gap - mean) <= mean * maxUnevenness) ? mean : undefined
}
