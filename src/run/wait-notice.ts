/** Shorter waits are told by nothing but the countdown of a terminal. */
const longWaitMs = 5000
const redrawMs = 500

/**
 * A wait in a line of its own.
 * @param until milliseconds since the epoch
 * @returns undefined for a wait that is too short to tell
 */
export function waitText(until: number): string | undefined {
  const waitMs = until - Date.now()
  if (waitMs < longWaitMs) return undefined
  return `waits ${Math.round(waitMs / 1000)} s before the target is asked again`
}

/**
 * Tells of waits while a command asks one thing after the other: on a terminal by a line that counts down and is gone
 * when the wait is over, else by a line for each long wait.
 */
export class WaitNotice {
  readonly #stream: NodeJS.WriteStream
  #until = 0
  #timer: NodeJS.Timeout | undefined

  /** @param stream standard error, so that what the command prints stays whole */
  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream
  }

  /** Hears until when nothing is sent, in milliseconds since the epoch; for `BudgetOptions.onPause`. */
  readonly onPause = (until: number): void => {
    const isNews = until > this.#until + 1000
    this.#until = until
    if (this.#stream.isTTY) this.#draw()
    else if (isNews) {
      const text = waitText(until)
      if (text !== undefined) this.#stream.write(`${text}\n`)
    }
  }

  /** Ends the countdown, where one is shown. */
  stop(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#stream.write('\r\x1b[2K')
  }

  #draw(): void {
    clearTimeout(this.#timer)
    const waitMs = this.#until - Date.now()
    if (waitMs <= 0) {
      this.stop()
      return
    }
    this.#stream.write(`\r\x1b[2Kwaits ${Math.round(waitMs / 1000)} s before the target is asked again`)
    this.#timer = setTimeout(() => this.#draw(), Math.min(waitMs, redrawMs)).unref()
  }
}
