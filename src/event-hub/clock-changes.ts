import { Temporal } from 'temporal-polyfill'
import { type EventTimeZone, earlierOf, type LocalDateTime, laterOf } from './local-time.ts'
import type { EventWindow } from './window.ts'

/** The most extreme offsets from UTC of all zones, in hours. */
const furthest = { behind: -12, ahead: 14 } as const
/** All current offsets from UTC are multiples of 15 min, here in milliseconds. */
const offsetStepMs = 15 * 60_000
/** Maximum delay until a search returns a new event, in milliseconds. */
const settlingMs = 10 * 60_000
/** Maximum duration of a run, in milliseconds. */
const longestRunMs = 2 * 3_600_000

/** The wall-clock time of a zone at an instant in milliseconds since the epoch. */
export function localAt(zone: string, epochMs: number): LocalDateTime {
  return zonedAt(zone, epochMs).toPlainDateTime()
}

function zonedAt(zone: string, epochMs: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(epochMs)).toZonedDateTimeISO(zone)
}

/**
 * A window of all wall-clock times between two instants, both inclusive. If the clock changes in between, the window
 * includes the hour that is skipped or repeated.
 */
export function windowOver(zone: string, fromMs: number, untilMs: number): EventWindow {
  let times = [localAt(zone, fromMs), localAt(zone, untilMs)]
  for (let change = nextChange(zone, fromMs); change <= untilMs; change = nextChange(zone, change)) {
    times = [...times, localAt(zone, change - 1), localAt(zone, change)]
  }
  return { from: times.reduce(earlierOf), to: times.reduce(laterOf).add({ milliseconds: 1 }) }
}

/** The next clock change of a zone, in milliseconds since the epoch; infinite if none is known. */
function nextChange(zone: string, afterMs: number): number {
  const change = zonedAt(zone, afterMs).getTimeZoneTransition('next')
  return change?.epochMilliseconds ?? Number.POSITIVE_INFINITY
}

/**
 * Windows that cover all wall-clock times of the hub between two instants: one window if its zone is known. If not, the
 * times in all zones span more than 26 hours, and need two windows, since a window must not exceed 24 hours.
 */
export function windowsOver(
  zone: EventTimeZone,
  fromMs: number,
  untilMs: number,
): [EventWindow, ...EventWindow[]] {
  if (zone !== 'unknown') return [windowOver(zone, fromMs, untilMs)]
  const utc = windowOver('UTC', fromMs, untilMs)
  const middle = utc.from.add({ hours: 1 })
  return [
    { from: utc.from.add({ hours: furthest.behind }), to: middle },
    { from: middle, to: utc.to.add({ hours: furthest.ahead }) },
  ]
}

/**
 * The offset from UTC of a wall-clock time, if its instant is between two given instants.
 * @returns the least possible offset in minutes, a multiple of 15; undefined if no offset is possible
 */
export function offsetBetween(local: LocalDateTime, fromMs: number, untilMs: number): number | undefined {
  const asUtcMs = local.toZonedDateTime('UTC').epochMilliseconds
  const leastSteps = Math.ceil((asUtcMs - untilMs) / offsetStepMs)
  const mostSteps = Math.floor((asUtcMs - fromMs) / offsetStepMs)
  if (leastSteps > mostSteps) return undefined
  // Without `|| 0`, the result could be -0.
  const minutes = (leastSteps * offsetStepMs) / 60_000 || 0
  return minutes >= furthest.behind * 60 && minutes <= furthest.ahead * 60 ? minutes : undefined
}

/** An offset from UTC in ISO 8601 format. */
export function offsetText(minutes: number): string {
  const [hours, minutesOfHour] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutesOfHour).padStart(2, '0')}`
}

/**
 * A recent wall-clock minute before which no new events are expected. If the zone is unknown, the minute is past in
 * every zone. Close to a clock change, the minute is before the hour that occurs twice.
 * @param now milliseconds since the epoch, by the target's clock
 */
export function settledTime(zone: EventTimeZone, now: number): LocalDateTime {
  const [earliest] = windowsOver(zone, now - settlingMs, now + longestRunMs)
  return earliest.from.round({ smallestUnit: 'minute', roundingMode: 'floor' })
}

/**
 * A local time before which no more events can be generated: normally the wall-clock time at an instant.
 *
 * In an hour that the clock will repeat, the result is the last millisecond before that hour. A local time in that hour
 * has two meanings, and a hub may use either. Example: the clock goes back from 04:00 to 03:00. From 03:00 until the
 * clock goes back, the result is 02:59:59.999.
 * @param zone IANA zone of the hub
 * @param instant milliseconds since the epoch
 */
export function passedTime(zone: string, instant: number): LocalDateTime {
  const there = zonedAt(zone, instant)
  const local = there.toPlainDateTime()
  const change = there.getTimeZoneTransition('next')
  if (!change) return local
  // If the clock goes forward, the time after the change is later, so the result is `local`.
  return earlierOf(local, change.toPlainDateTime().subtract({ milliseconds: 1 }))
}
