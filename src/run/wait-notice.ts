import { clearLine } from '../text/terminal.ts'

/** Shorter waits are shown only by the countdown on a terminal. */
export const longWaitMs = 5000
const redrawMs = 500

/** The waits of a run, of which each long one is reported once. */
export class LongWaits {
  #until = 0

  /** The end of the latest wait, in milliseconds since the epoch. */
  get until(): number {
    return this.#until
  }

  /**
   * Records a wait.
   * @param until milliseconds since the epoch
   * @returns one line of text; undefined for a wait under 5 s, or one that is reported already
   */
  begin(until: number): string | undefined {
    const isNew = until > this.#until + 1000
    this.#until = until
    const waitMs = until - Date.now()
    return isNew && waitMs >= longWaitMs ? waitingFor(waitMs) : undefined
  }
}

export function waitingFor(waitMs: number): string {
  return `waiting ${Math.round(waitMs / 1000)} s before the next request`
}

/**
 * Shows the waits of a command: on a terminal a line that counts down and disappears after the wait, otherwise one line
 * per long wait.
 */
export class WaitNotice {
  readonly #stream: NodeJS.WriteStream
  readonly #waits = new LongWaits()
  #timer: NodeJS.Timeout | undefined

  /** @param stream standard error by default, to keep the output of the command clean */
  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream
  }

  /** Receives the end of a pause in sending, in milliseconds since the epoch; for `BudgetOptions.onPause`. */
  readonly onPause = (until: number): void => {
    const text = this.#waits.begin(until)
    if (this.#stream.isTTY) this.#draw()
    else if (text !== undefined) this.#stream.write(`${text}\n`)
  }

  /** Removes the countdown. */
  stop(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#stream.write(clearLine)
  }

  #draw(): void {
    clearTimeout(this.#timer)
    const waitMs = this.#waits.until - Date.now()
    if (waitMs <= 0) {
      this.stop()
      return
    }
    this.#stream.write(`${clearLine}${waitingFor(waitMs)}`)
    this.#timer = setTimeout(() => this.#draw(), Math.min(waitMs, redrawMs)).unref()
  }
}
