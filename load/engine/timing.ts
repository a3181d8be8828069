/**
 * Times closer than this share a timer, in milliseconds, because waking up costs more than sending. No request leaves
 * early.
 */
export const groupMs = 4

/** `pause` for hundreds of calls per second: it registers with the signal only once. */
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

/** Sleeps a number of milliseconds, or until the signal aborts: the caller checks which. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return
  const sleeper = new Sleeper(signal)
  await sleeper.sleep(ms)
  sleeper.close()
}
