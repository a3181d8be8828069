import { clockMarginMs } from '../../src/check/events/reading-steps.ts'
import type { RunContext } from '../../src/check/run-context.ts'
import { windowsOver } from '../../src/event-hub/clock-changes.ts'
import type { HubEvent } from '../../src/event-hub/event.ts'
import { compareLocal } from '../../src/event-hub/local-time.ts'
import { isWholeWindow } from './omissions.ts'

/** A search of `EventReadingSteps.around` is wide enough for this long afterwards, in milliseconds. */
const usableMs = 5 * 60_000
/** Largest share of the searches that may follow the one whose events are used. */
const fewLater = 0.04

/**
 * The events around a time that one of the last searches of the run returned, all of them.
 * @param fromMs milliseconds since the epoch by the target's clock, as `untilMs` is
 * @returns undefined if no such search is wide enough: then another one is necessary
 */
export function readRecently(
  { searchLog: { searches }, target }: Pick<RunContext, 'searchLog' | 'target'>,
  fromMs: number,
  untilMs: number,
): readonly HubEvent[] | undefined {
  const marginMs = clockMarginMs - usableMs
  const [window, ...others] = windowsOver(target.eventTimeZone, fromMs - marginMs, untilMs + marginMs)
  if (others.length > 0) return undefined
  const index = searches.findLastIndex(
    (search) =>
      search.requested !== undefined &&
      isWholeWindow(search) &&
      compareLocal(search.requested.from, window.from) <= 0 &&
      compareLocal(search.requested.to, window.to) >= 0,
  )
  const later = searches.length - 1 - index
  return later <= searches.length * fewLater ? searches[index]?.events : undefined
}
