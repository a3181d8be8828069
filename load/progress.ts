import { counted } from '../src/text/format.ts'
import { clearLine, terminalOf } from '../src/text/terminal.ts'
import type { LoadGuard } from './engine/guard.ts'
import type { Shot } from './engine/shot.ts'
import { countByOutcome } from './output/outcome.ts'
import { nameOf, type ProbeResult } from './result.ts'
import type { Step } from './workload.ts'

/** Interval between redraws on a terminal, in milliseconds. */
const drawMs = 250
/** Interval between lines without a terminal, in milliseconds. */
const lineMs = 10_000
/** Averaging time of the rate on a terminal, in milliseconds. A line has the rate since the previous line. */
const rateSpanMs = 5000
/** Without a terminal, shorter waits have no line, in milliseconds. */
export const longWaitMs = 1500

/**
 * Shows the progress of probes. A terminal has one line, which is redrawn. Without a terminal, a line is written when a
 * probe starts, enters a phase or has to wait, and every 10 s.
 */
export class ProbeProgress {
  readonly #stream: NodeJS.WriteStream
  readonly #timer: NodeJS.Timeout
  #name = ''
  #beganAt = 0
  /** End times of the latest requests, on the clock of `performance.now()`. */
  #recent: number[] = []
  #shots: Shot[] = []
  /** Requests left for the probe; undefined before its first response. */
  #remaining: number | undefined
  #reconnects = 0
  /** Reconnects of all earlier probes. */
  #reconnectsBefore = 0
  #waitUntil = 0
  #hasRetryAfter = false

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
    const show = stream.isTTY ? () => this.#draw() : () => this.#line(this.#figures().join(', '))
    this.#timer = setInterval(show, stream.isTTY ? drawMs : lineMs).unref()
  }

  begins(step: Step): void {
    this.#name = nameOf(step)
    this.#beganAt = performance.now()
    this.#recent = []
    this.#shots = []
    this.#remaining = undefined
    this.#reconnectsBefore = this.#reconnects
    this.#timer.refresh()
  }

  phase(text: string): void {
    if (!this.#stream.isTTY) this.#line(text)
  }

  shot(
    shot: Shot,
    { remaining, reconnects, pauseMs }: Pick<LoadGuard, 'remaining' | 'reconnects' | 'pauseMs'>,
  ): void {
    const now = performance.now()
    this.#recent.push(now)
    this.#shots.push(shot)
    this.#remaining = remaining
    this.#reconnects = reconnects
    const isNewWait = now + pauseMs > this.#waitUntil + 1000
    this.#waitUntil = now + pauseMs
    this.#hasRetryAfter = Boolean(shot.retryAfterMs)
    if (!isNewWait || pauseMs < longWaitMs) return
    const until = new Date(Date.now() + pauseMs).toISOString().slice(11, 19)
    const why = this.#hasRetryAfter ? 'Retry-After' : 'no valid Retry-After'
    const because = shot.status === undefined ? '' : `request ${this.#shots.length} returned ${shot.status}: `
    this.phase(`${because}no request before ${until} UTC (${Math.ceil(pauseMs / 1000)} s, ${why})`)
  }

  /** Omits the finding, because the summary of the run shows it. */
  ends({ ended }: ProbeResult): void {
    this.#clear()
    const text = `: finished${ended === null ? '' : ` (ended early: ${ended})`}`
    this.#stream.write(`${terminalOf(this.#stream).labelled(this.#name, text, 2, 'bold').join('\n')}\n`)
    this.#name = ''
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#clear()
  }

  #figures(): string[] {
    const now = performance.now()
    const { isTTY } = this.#stream
    const spanMs = isTTY ? rateSpanMs : lineMs
    this.#recent = this.#recent.filter((at) => now - at <= spanMs)
    const reconnects = this.#reconnects - this.#reconnectsBefore
    const seconds = Math.min(spanMs, Math.max(1000, now - this.#beganAt)) / 1000
    const rate = (this.#recent.length / seconds).toFixed(1)
    const { accepted, throttled } = countByOutcome(this.#shots)
    return [
      isTTY ? `${rate} req/s` : `${rate} requests/s in the last ${Math.round(seconds)} s`,
      `${isTTY ? '' : 'so far '}${this.#shots.length} sent`,
      `${accepted} accepted`,
      `${throttled} × 429`,
      // Reconnects count as requests: without them, the numbers would not add up.
      ...(reconnects === 0 ? [] : [counted(reconnects, 'reconnect')]),
      ...(this.#remaining === undefined
        ? []
        : [isTTY ? `${this.#remaining} left` : `${this.#remaining} requests left for this probe`]),
    ]
  }

  #line(text: string): void {
    if (this.#name !== '') this.#stream.write(`probe ${this.#name}: ${text}\n`)
  }

  #draw(): void {
    if (this.#name === '') return
    const wait = Math.ceil((this.#waitUntil - performance.now()) / 1000)
    const [rate = '', ...counts] = this.#figures()
    // During a wait, the countdown replaces the rate: at the start of the line, a narrow terminal does not cut it off.
    const waiting = `${this.#hasRetryAfter ? 'Retry-After' : 'waiting'} ${wait} s`
    const line = [this.#name, wait > 0 ? waiting : rate, ...counts].join('  ')
    this.#clear()
    this.#stream.write(line.slice(0, (this.#stream.columns || 80) - 1))
  }

  #clear(): void {
    if (this.#stream.isTTY) this.#stream.write(clearLine)
  }
}
