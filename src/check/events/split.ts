import { timesOf } from '../../event-hub/event.ts'
import { compareLocal, type LocalDateTime, millisecondsBetween } from '../../event-hub/local-time.ts'
import { type EventWindow, positionIn } from '../../event-hub/window.ts'
import type { Random } from '../../random.ts'
import type { WindowReading } from './reading.ts'

/** A time at or soon after `moment` that is more than 1 ms away from every event. */
function quietFrom(moment: LocalDateTime, times: readonly LocalDateTime[]): LocalDateTime {
  let quiet = moment
  while (times.some((time) => Math.abs(millisecondsBetween(quiet, time)) <= 1))
    quiet = quiet.add({ milliseconds: 3 })
  return quiet
}

/** The middle third of the widest gap between two events in a reading's window, or between an event and a bound. */
export function widestGap({ window, events }: WindowReading): EventWindow {
  const inside = timesOf(events).filter((at) => positionIn(window, at) === 'inside')
  const times = [window.from, ...inside, window.to].toSorted(compareLocal)
  const gaps = times.slice(1).map((end, index) => {
    const start = times[index] as LocalDateTime
    return { start, milliseconds: millisecondsBetween(start, end) }
  })
  const { start, milliseconds } = gaps.reduce((one, other) =>
    other.milliseconds > one.milliseconds ? other : one,
  )
  const third = Math.max(1, Math.floor(milliseconds / 3))
  return { from: start.add({ milliseconds: third }), to: start.add({ milliseconds: 2 * third }) }
}

/**
 * Splits the window of a reading into adjacent parts of about equal width, at random times between events.
 * @returns fewer parts if the window is too short
 */
export function splitAtRandom(
  { window, events }: WindowReading,
  parts: number,
  random: Random,
): EventWindow[] {
  const times = timesOf(events)
  const width = millisecondsBetween(window.from, window.to)
  const cuts = Array.from({ length: parts - 1 }, (_, index) => {
    // Each cut is at most 40% of a part away from an even split.
    const share = (index + 1 + 0.8 * (random() - 0.5)) / parts
    return quietFrom(window.from.add({ milliseconds: Math.floor(width * share) }), times)
  })
  const bounds = [window.from, ...cuts, window.to]
  return bounds
    .slice(1)
    .map((to, index) => ({ from: bounds[index] as LocalDateTime, to }))
    .filter(({ from, to }) => millisecondsBetween(from, to) > 0)
}
