import { setTimeout as sleep } from 'node:timers/promises'

/** The clock that a poller waits on; tests provide their own. */
export interface Clock {
  /** Resolves after a number of milliseconds, or when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** Timers of Node hold 31 bits: a longer one would fire at once. */
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
