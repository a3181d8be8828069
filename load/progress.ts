import { styleText } from 'node:util'
import { wrap } from '../src/text/format.ts'
import { lineWidth } from '../src/text/terminal.ts'
import type { Shot } from './engine/shot.ts'
import { isAccepted } from './output/outcome.ts'
import type { Step } from './plan.ts'
import { nameOf } from './probe-check.ts'
import type { ProbeResult } from './result.ts'

/** Span over which the rate is reckoned, in milliseconds. */
const rateSpanMs = 5000
/** How often a terminal is drawn anew, and how often a line is written where there is none. */
const drawMs = 250
const lineMs = 10_000
/** Shorter waits are told by nothing but the countdown of a terminal. */
const longWaitMs = 1500

/** How a run of probes stands after a request. */
export interface Standing {
  /** Requests and reconnects that are left of LOAD_MAX_REQUESTS. */
  readonly left: number
  /** Milliseconds until the target may be asked again. */
  readonly pauseMs: number
}

/**
 * What is shown while probes run: with a terminal one line that renews itself; without one a line when a probe begins,
 * when it goes on to something else, when it has to wait, and every ten seconds.
 */
export class ProbeProgress {
  readonly #stream: NodeJS.WriteStream
  readonly #timer: NodeJS.Timeout
  #name = ''
  #beganAt = 0
  /** When the requests of the last seconds came to their end. */
  #recent: number[] = []
  #sent = 0
  #accepted = 0
  #throttled = 0
  #left: number
  #waitUntil = 0
  #hasRetryAfter = false

  constructor(stream: NodeJS.WriteStream, budget: number) {
    this.#stream = stream
    this.#left = budget
    const show = stream.isTTY ? () => this.#draw() : () => this.#line(this.#figures().join(', '))
    this.#timer = setInterval(show, stream.isTTY ? drawMs : lineMs).unref()
  }

  begins(step: Step): void {
    this.#name = nameOf(step)
    this.#beganAt = performance.now()
    this.#recent = []
    this.#sent = 0
    this.#accepted = 0
    this.#throttled = 0
    this.#timer.refresh()
    if (!this.#stream.isTTY) this.#line(`begins, at most ${step.requests} requests in ${step.seconds} s`)
  }

  /** The probe goes on to something else. */
  phase(text: string): void {
    if (!this.#stream.isTTY) this.#line(text)
  }

  shot(shot: Shot, { left, pauseMs }: Standing): void {
    const { status, retryAfterMs } = shot
    const now = performance.now()
    this.#recent.push(now)
    this.#sent += 1
    if (isAccepted(shot)) this.#accepted += 1
    if (status === 429) this.#throttled += 1
    this.#left = left
    const isNews = now + pauseMs > this.#waitUntil + 1000
    this.#waitUntil = now + pauseMs
    this.#hasRetryAfter = Boolean(retryAfterMs)
    if (this.#stream.isTTY || !isNews || pauseMs < longWaitMs) return
    const until = new Date(Date.now() + pauseMs).toTimeString().slice(0, 8)
    this.#line(`${this.#waitsFor()} until ${until} (${Math.ceil(pauseMs / 1000)} s)`)
  }

  ends({ finding, ended }: ProbeResult): void {
    this.#clear()
    const early = ended === null ? '' : ` (ended: ${ended})`
    const text = `${this.#name}: ${finding}${early}`
    const [first = '', ...rest] = wrap(text, lineWidth(this.#stream), 2)
    const name = styleText('bold', first.slice(0, this.#name.length), { stream: this.#stream })
    this.#stream.write(`${[`${name}${first.slice(this.#name.length)}`, ...rest].join('\n')}\n`)
    this.#name = ''
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#clear()
  }

  #waitsFor(): string {
    return this.#hasRetryAfter ? 'waits for Retry-After' : 'waits, without a Retry-After that says how long,'
  }

  #figures(): string[] {
    const now = performance.now()
    this.#recent = this.#recent.filter((at) => now - at < rateSpanMs)
    const seconds = Math.min(rateSpanMs, Math.max(1000, now - this.#beganAt)) / 1000
    return [
      `${(this.#recent.length / seconds).toFixed(1)}/s`,
      `sent ${this.#sent}`,
      `2xx/3xx ${this.#accepted}`,
      `429 ${this.#throttled}`,
      `left ${this.#left}`,
    ]
  }

  #line(text: string): void {
    if (this.#name !== '') this.#stream.write(`${this.#name}: ${text}\n`)
  }

  #draw(): void {
    if (this.#name === '') return
    const wait = Math.ceil((this.#waitUntil - performance.now()) / 1000)
    const [rate = '', ...counts] = this.#figures()
    // Nothing is sent meanwhile, so that the countdown has the place of the rate, and is never cut.
    const waiting = `${this.#hasRetryAfter ? 'Retry-After' : 'waits'} ${wait} s`
    const line = [this.#name, wait > 0 ? waiting : rate, ...counts].join('  ')
    this.#clear()
    this.#stream.write(line.slice(0, (this.#stream.columns || 80) - 1))
  }

  #clear(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[2K')
  }
}
