/**
 * Requests that are due within this time share a timer, in milliseconds, because a timer costs more than sending.
 * No request leaves early.
 */
export const groupMs = 4

/**
 * Sleeps many times, one sleep at a time, but registers with the signal only once: `pause` would be too slow hundreds
 * of times per second.
 */
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

/** Sleeps for `ms` milliseconds, or until the signal aborts. The caller checks the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return
  const sleeper = new Sleeper(signal)
  await sleeper.sleep(ms)
  sleeper.close()
}

/**
 * Largest difference between the times that two requests take from admission to sending, in milliseconds.
 * `SlidingSecond` adds it, so that the rate also holds for the times of sending.
 */
const sendJitterMs = 1

/** Limits the requests in any second to a rate. With 2.5 requests/s, it allows 3 requests in any 1.2 s. */
export class SlidingSecond {
  /** Times of the last requests: a ring buffer with one place per request that may leave within the span. */
  readonly #departures: number[] = []
  readonly #most: number
  readonly #spanMs: number
  #next = 0

  /** @param perSecond requests per second */
  constructor(perSecond: number) {
    this.#most = Math.ceil(perSecond)
    this.#spanMs = (1000 * this.#most) / perSecond + sendJitterMs
  }

  /** When the next request may leave, in milliseconds on the clock of `leaves`. */
  get earliest(): number {
    return (this.#departures[this.#next] ?? Number.NEGATIVE_INFINITY) + this.#spanMs
  }

  /** Counts a request that leaves now. The caller must wait until `earliest` first. */
  leaves(now: number): void {
    this.#departures[this.#next] = now
    this.#next = (this.#next + 1) % this.#most
  }
}
