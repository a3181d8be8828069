import { styleText } from 'node:util'
import type { Shot } from './engine/shot.ts'
import type { ProbeResult } from './result.ts'

/** Span over which the rate is reckoned, in milliseconds. */
const rateSpanMs = 5000

/**
 * What is shown while probes run: with a terminal one line that renews itself, without one a line for every probe
 * that has ended.
 */
export class ProbeProgress {
  readonly #stream: NodeJS.WriteStream
  readonly #timer: NodeJS.Timeout | undefined
  #name = ''
  #shots: Shot[] = []
  #left: number
  #waitUntil = 0

  constructor(stream: NodeJS.WriteStream, budget: number) {
    this.#stream = stream
    this.#left = budget
    if (stream.isTTY) this.#timer = setInterval(() => this.#draw(), 250).unref()
  }

  begins(name: string): void {
    this.#name = name
    this.#shots = []
    this.#waitUntil = 0
  }

  shot(shot: Shot, left: number): void {
    this.#shots.push(shot)
    this.#left = left
    if (shot.status === 429 && shot.retryAfterMs) this.#waitUntil = performance.now() + shot.retryAfterMs
  }

  ends({ finding, ended }: ProbeResult): void {
    this.#clear()
    const early = ended === null ? '' : styleText('dim', ` (ended: ${ended})`, { stream: this.#stream })
    this.#stream.write(`${styleText('bold', this.#name, { stream: this.#stream })}: ${finding}${early}\n`)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#clear()
  }

  #draw(): void {
    const last = this.#shots.at(-1)
    const recent = this.#shots.filter(({ sentAt }) => last && last.sentAt - sentAt < rateSpanMs)
    const span = last && recent[0] ? Math.max(1000, last.sentAt - recent[0].sentAt) : 1000
    const of = (fits: (status: number) => boolean) =>
      this.#shots.filter(({ status }) => status !== undefined && fits(status)).length
    const wait = Math.ceil((this.#waitUntil - performance.now()) / 1000)
    const parts = [
      this.#name,
      `${((recent.length * 1000) / span).toFixed(1)}/s`,
      `sent ${this.#shots.length}`,
      `2xx and 3xx ${of((status) => status < 400)}`,
      `429 ${of((status) => status === 429)}`,
      `left ${this.#left}`,
      ...(wait > 0 ? [`waiting for Retry-After, ${wait} s`] : []),
    ]
    this.#clear()
    this.#stream.write(parts.join('  ').slice(0, (this.#stream.columns ?? 80) - 1))
  }

  #clear(): void {
    if (!this.#stream.isTTY) return
    this.#stream.clearLine(0)
    this.#stream.cursorTo(0)
  }
}
