import { setTimeout as sleep } from 'node:timers/promises'

/** Sleeps so many milliseconds, or until the probe is stopped: who waits then asks why it goes on. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined)
}
