import { setTimeout as sleep } from 'node:timers/promises'
import { Temporal } from 'temporal-polyfill'
import { earlierOf, type LocalDateTime } from '../local-time.ts'

/** Waits of a poller; tests bring their own. */
export interface Clock {
  /** Resolves after so many milliseconds, or sooner where the signal says so. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** Timers of Node hold 31 bits: a longer one would end at once. */
const longestTimer = 2 ** 31 - 1

export const systemClock: Clock = {
  async sleep(milliseconds, signal) {
    const end = Date.now() + milliseconds
    try {
      for (let left = milliseconds; left > 0; left = end - Date.now()) {
        await sleep(Math.min(left, longestTimer), undefined, { ...(signal && { signal }) })
      }
    } catch (error) {
      if (!signal?.aborted) throw error
    }
  },
}

/**
 * A local time before which no event can be generated any more: what clocks show at an instant, or the last
 * millisecond before the hour that they are about to show again.
 *
 * In that hour a local time says nothing about which of its two moments is meant, and a hub may take it for either.
 * A window that ends before it, or is asked for when it is over, holds the same events whichever way that is.
 * @param instant milliseconds since the epoch
 * @param zone IANA zone of the hub
 */
export function settledLocalTime(instant: number, zone: string): LocalDateTime {
  const there = Temporal.Instant.fromEpochMilliseconds(Math.floor(instant)).toZonedDateTimeISO(zone)
  const shown = there.toPlainDateTime()
  const change = there.getTimeZoneTransition('next')
  if (!change || change.offsetNanoseconds >= there.offsetNanoseconds) return shown
  return earlierOf(shown, change.toPlainDateTime().subtract({ milliseconds: 1 }))
}
