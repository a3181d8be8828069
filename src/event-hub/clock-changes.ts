import { Temporal } from 'temporal-polyfill'
import { type EventTimeZone, earlierOf, type LocalDateTime, laterOf } from './local-time.ts'

/** From one time of the wall clock until another, which does not belong to it. */
interface Span {
  readonly from: LocalDateTime
  readonly to: LocalDateTime
}

/** Offsets from UTC that wall clocks of the world lie between, in hours. */
const furthest = { behind: -12, ahead: 14 } as const
/** Offsets from UTC are multiples of this nowadays, in milliseconds. */
const offsetStep = 15 * 60_000
/** Events may be stored a while after they happened, in milliseconds. */
const settlingMs = 10 * 60_000
/** No run takes longer, in milliseconds. */
const longestRunMs = 2 * 3_600_000

/** The wall clock of a zone at an instant, in milliseconds since the epoch. */
export function localAt(zone: string, epochMs: number): LocalDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(epochMs))
    .toZonedDateTimeISO(zone)
    .toPlainDateTime()
}

/**
 * A window that holds what a wall clock shows between two instants, both included. Where the clock is changed
 * in between, it reaches over the hour that is skipped or shown twice.
 */
export function windowOver(zone: string, fromMs: number, untilMs: number): Span {
  let shown = [localAt(zone, fromMs), localAt(zone, untilMs)]
  for (
    let change = nextChange(zone, fromMs);
    change !== undefined && change <= untilMs;
    change = nextChange(zone, change)
  ) {
    shown = [...shown, localAt(zone, change - 1), localAt(zone, change)]
  }
  return { from: shown.reduce(earlierOf), to: shown.reduce(laterOf).add({ milliseconds: 1 }) }
}

function nextChange(zone: string, afterMs: number): number | undefined {
  const here = Temporal.Instant.fromEpochMilliseconds(Math.floor(afterMs)).toZonedDateTimeISO(zone)
  return here.getTimeZoneTransition('next')?.epochMilliseconds
}

/**
 * Windows that hold what the hub's wall clock shows between two instants: one where the zone is known; two
 * that together reach around the world where it is not, since one of more than 24 hours is not allowed.
 */
export function windowsOver(zone: EventTimeZone, fromMs: number, untilMs: number): Span[] {
  if (zone !== 'unknown') return [windowOver(zone, fromMs, untilMs)]
  const utc = windowOver('UTC', fromMs, untilMs)
  const middle = utc.from.add({ hours: 1 })
  return [
    { from: utc.from.add({ hours: furthest.behind }), to: middle },
    { from: middle, to: utc.to.add({ hours: furthest.ahead }) },
  ]
}

/**
 * By how much a wall-clock time lies ahead of UTC at an instant that is known only to lie between two others.
 * @returns the offset in minutes, a multiple of 15; undefined where no such offset fits
 */
export function offsetBetween(local: LocalDateTime, fromMs: number, untilMs: number): number | undefined {
  const shown = local.toZonedDateTime('UTC').epochMilliseconds
  const least = Math.ceil((shown - untilMs) / offsetStep)
  const most = Math.floor((shown - fromMs) / offsetStep)
  if (least > most) return undefined
  // There is no offset of minus nothing.
  const minutes = (least * offsetStep) / 60_000 || 0
  return minutes >= furthest.behind * 60 && minutes <= furthest.ahead * 60 ? minutes : undefined
}

/** An offset from UTC as ISO 8601 writes it. */
export function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}

/**
 * A recent wall-clock minute up to which no event is expected to be added any more. Where the zone is unknown, it
 * is past in every zone. Where the clock is about to be put back, or was just now, the hour that it shows twice is
 * not over yet.
 * @param now milliseconds since the epoch, by the target's clock
 */
export function settledTime(zone: EventTimeZone, now: number): LocalDateTime {
  const [soonest] = windowsOver(zone, now - settlingMs, now + longestRunMs)
  if (!soonest) throw new Error('no wall clock shows any time')
  return soonest.from.round({ smallestUnit: 'minute', roundingMode: 'floor' })
}

/**
 * A local time before which no event can be generated any more: what clocks show at an instant, or the last
 * millisecond before the hour that they are about to show again.
 *
 * In that hour a local time says nothing about which of its two moments is meant, and a hub may take it for either.
 * A window that ends before it, or is asked for when it is over, holds the same events whichever way that is.
 * @param zone IANA zone of the hub
 * @param instant milliseconds since the epoch
 */
export function passedTime(zone: string, instant: number): LocalDateTime {
  const there = Temporal.Instant.fromEpochMilliseconds(Math.floor(instant)).toZonedDateTimeISO(zone)
  const shown = there.toPlainDateTime()
  const change = there.getTimeZoneTransition('next')
  if (!change || change.offsetNanoseconds >= there.offsetNanoseconds) return shown
  return earlierOf(shown, change.toPlainDateTime().subtract({ milliseconds: 1 }))
}
