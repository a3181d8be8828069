import { styleText } from 'node:util'
import { wrap } from '../src/text/format.ts'
import { lineWidth } from '../src/text/terminal.ts'
import type { Shot } from './engine/shot.ts'
import { isAccepted } from './output/outcome.ts'
import { nameOf, type ProbeResult } from './result.ts'
import type { Step } from './workload.ts'

/** Span of the rate that is shown, in milliseconds. */
const rateSpanMs = 5000
/** How often a terminal is redrawn, and how often a line is written where there is none. */
const drawMs = 250
const lineMs = 10_000
/** Shorter waits show on a terminal only. */
const longWaitMs = 1500

/** What is left after a request. */
export interface Standing {
  /** Requests and reconnects of LOAD_MAX_REQUESTS. */
  readonly left: number
  /** Milliseconds until every identity may send again. */
  readonly pauseMs: number
}

/**
 * Progress of probes: on a terminal one line that is redrawn; else a line when a probe begins, enters another phase or
 * has to wait, and every ten seconds.
 */
export class ProbeProgress {
  readonly #stream: NodeJS.WriteStream
  readonly #timer: NodeJS.Timeout
  #name = ''
  #beganAt = 0
  /** When the requests of the last seconds ended. */
  #recent: number[] = []
  #sent = 0
  #accepted = 0
  #throttled = 0
  #left: number
  #waitUntil = 0
  #hasRetryAfter = false

  constructor(stream: NodeJS.WriteStream, maxRequests: number) {
    this.#stream = stream
    this.#left = maxRequests
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
    this.phase(`begins, at most ${step.requests} requests in ${step.seconds} s`)
  }

  phase(text: string): void {
    if (!this.#stream.isTTY) this.#line(text)
  }

  shot(shot: Shot, { left, pauseMs }: Standing): void {
    const now = performance.now()
    this.#recent.push(now)
    this.#sent += 1
    if (isAccepted(shot)) this.#accepted += 1
    if (shot.status === 429) this.#throttled += 1
    this.#left = left
    const isNews = now + pauseMs > this.#waitUntil + 1000
    this.#waitUntil = now + pauseMs
    this.#hasRetryAfter = Boolean(shot.retryAfterMs)
    if (!isNews || pauseMs < longWaitMs) return
    const until = new Date(Date.now() + pauseMs).toTimeString().slice(0, 8)
    const why = this.#hasRetryAfter
      ? 'waits for Retry-After'
      : 'waits, without a Retry-After that says how long,'
    this.phase(`${why} until ${until} (${Math.ceil(pauseMs / 1000)} s)`)
  }

  ends({ finding, ended }: ProbeResult): void {
    this.#clear()
    const early = ended === null ? '' : ` (ended: ${ended})`
    const [first = '', ...rest] = wrap(`${this.#name}: ${finding}${early}`, lineWidth(this.#stream), 2)
    const name = styleText('bold', first.slice(0, this.#name.length), { stream: this.#stream })
    this.#stream.write(`${[`${name}${first.slice(this.#name.length)}`, ...rest].join('\n')}\n`)
    this.#name = ''
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#clear()
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
    // During a wait the rate is 0: the countdown takes its place, where it is never cut.
    const waiting = `${this.#hasRetryAfter ? 'Retry-After' : 'waits'} ${wait} s`
    const line = [this.#name, wait > 0 ? waiting : rate, ...counts].join('  ')
    this.#clear()
    this.#stream.write(line.slice(0, (this.#stream.columns || 80) - 1))
  }

  #clear(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[2K')
  }
}
