import { Temporal } from 'temporal-polyfill'

/**
 * The instant at which a wall clock showed a time. In the hour that a clock repeats there are two: the one nearer
 * to `near` counts, since events are pushed when they happen.
 * @param local milliseconds of a UTC clock showing that time
 * @param near milliseconds since the epoch
 * @returns milliseconds since the epoch
 */
export function instantOf(local: number, zone: string, near: number): number {
  const shown = Temporal.Instant.fromEpochMilliseconds(local).toZonedDateTimeISO('UTC').toPlainDateTime()
  const [earlier, later] = (['earlier', 'later'] as const).map(
    (disambiguation) => shown.toZonedDateTime(zone, { disambiguation }).epochMilliseconds,
  ) as [number, number]
  return Math.abs(near - earlier) < Math.abs(near - later) ? earlier : later
}
