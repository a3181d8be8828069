import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Moments that are closer than this share a timer, in milliseconds: to wake up costs more than to send. What waits
 * never leaves before its time.
 */
export const groupMs = 4

/** Sleeps so many milliseconds, or until the probe is stopped: who waits then asks why it goes on. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined)
}

/** Sleeps again and again, as `pause`, for who does so hundreds of times a second: it listens for the stop only once. */
export class Sleeper {
  readonly #signal: AbortSignal
  #timer: NodeJS.Timeout | undefined
  #wake: () => void = () => undefined
  readonly #stop = () => {
    clearTimeout(this.#timer)
    this.#wake()
  }

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', this.#stop)
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#signal.aborted) return resolve()
      this.#wake = resolve
      this.#timer = setTimeout(resolve, ms)
    })
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#stop)
  }
}
