import { clearLine } from '../text/terminal.ts'

/** Plumbline announces waits of at least this time, in milliseconds. Only a terminal shows shorter ones. */
export const longWaitMs = 5000
const redrawMs = 500

/** Follows the waits of a run, and announces each long wait once. */
export class LongWaits {
  #until = 0

  /** The end of the latest wait, in milliseconds since the epoch. */
  get until(): number {
    return this.#until
  }

  /**
   * Records a wait.
   * @param until milliseconds since the epoch
   * @returns the announcement, in one line; undefined if the wait is short or already announced
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

  /** For `BudgetOptions.onPause`. @param until the end of the wait, in milliseconds since the epoch */
  readonly onPause = (until: number): void => {
    const text = this.#waits.begin(until)
    if (this.#stream.isTTY) this.#draw()
    else if (text !== undefined) this.#stream.write(`${text}\n`)
  }

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
