import { setTimeout as sleep } from 'node:timers/promises'
import { errors } from 'undici'
import { backoffMs, retryAfterMs } from '../../src/http/retry-after.ts'
import type { LoadGuard } from './guard.ts'
import { type Line, type LineOptions, Lines } from './lines.ts'
import type { Answer, LoadRequest, Shot } from './shot.ts'
import { Watch } from './watch.ts'

export interface EngineOptions extends LineOptions {
  readonly guard: LoadGuard
  /** Milliseconds since the probe began. */
  readonly now: () => number
  readonly signal: AbortSignal
  /** Told of every shot, for progress. */
  readonly onShot?: (shot: Shot) => void
  /** Told of every 429 with its answer. */
  readonly onThrottled?: (request: LoadRequest, answer: Answer, shot: Shot) => void
  /** Where shots are kept; several engines of a probe may share it. */
  readonly shots?: Shot[]
}

/** A request on its way. */
export interface Sending {
  /** When the schedule wanted it, in milliseconds since the probe began. */
  readonly intendedAt: number
  /** Requests in any second, where that is less than LOAD_MAX_RATE. */
  readonly rate?: number
  /** Who sends it, where a probe tells several apart. */
  readonly as?: string
  /** Whether it is sent after a wait that the target asks for; else it is left out. */
  readonly patient: boolean
}

/** Largest body that is read to its end, in bytes. */
const largestBody = 4 * 1024 * 1024

/** Sends the requests of a probe over its connections, each past the guard, and keeps what became of them. */
export class Engine {
  readonly guard: LoadGuard
  readonly now: () => number
  readonly shots: Shot[]
  readonly #options: EngineOptions
  readonly #lines: Lines
  readonly #watch = new Watch()
  #throttledInARow = 0

  constructor(options: EngineOptions, connections?: number) {
    this.guard = options.guard
    this.now = options.now
    this.shots = options.shots ?? []
    this.#options = options
    this.#lines = new Lines(options, connections)
    const end = () => {
      this.guard.end('the probe was stopped')
      void this.#lines.destroy()
    }
    if (options.signal.aborted) end()
    else options.signal.addEventListener('abort', end, { once: true })
  }

  /**
   * Sends one request as soon as a connection is free and the guard lets it pass.
   * @returns undefined where it was not sent: the probe has ended, or the target asks for a wait
   */
  async send(
    request: LoadRequest,
    { intendedAt, rate, as, patient }: Sending,
  ): Promise<{ readonly shot: Shot; readonly answer?: Answer } | undefined> {
    const line = await this.#lines.take()
    try {
      for (;;) {
        const refusal = this.guard.admit(line.cost, rate, as)
        if (!refusal) break
        if (refusal.kind === 'ended') return undefined
        if (refusal.because === 'retry-after' && !patient) return undefined
        await sleep(Math.ceil(refusal.until - this.now()), undefined, { signal: this.#options.signal }).catch(
          () => undefined,
        )
      }
      const sentAt = this.now()
      const outcome = await this.#exchange(line, request)
      const shot: Shot = { intendedAt, sentAt, endedAt: this.now(), ...outcome.shot }
      this.#account(shot, as)
      if (shot.status === 429 && outcome.answer) this.#options.onThrottled?.(request, outcome.answer, shot)
      return { shot, ...(outcome.answer && { answer: outcome.answer }) }
    } finally {
      this.#lines.release(line)
    }
  }

  async close(): Promise<void> {
    await this.#lines.destroy()
  }

  #account(shot: Shot, as: string | undefined): void {
    this.shots.push(shot)
    this.#options.onShot?.(shot)
    if (shot.status === 429 || shot.status === 503) {
      // Asked to come back at once, or told nothing, a probe still waits a little.
      this.guard.holdFor(shot.retryAfterMs || backoffMs(this.#throttledInARow), as)
      this.#throttledInARow += 1
    } else this.#throttledInARow = 0
    const trouble = this.#watch.see(shot)
    if (trouble !== undefined) this.guard.end(trouble)
  }

  async #exchange(
    line: Line,
    { method, url, headers, body }: LoadRequest,
  ): Promise<{ readonly shot: Pick<Shot, 'status' | 'failure' | 'retryAfterMs'>; readonly answer?: Answer }> {
    try {
      const response = await line.dispatcher.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: [...headers],
        ...(body !== undefined && { body }),
        signal: AbortSignal.any([this.#options.signal, AbortSignal.timeout(this.#options.timeoutMs)]),
      })
      const text = await readText(response.body)
      if (one(response.headers.connection)?.toLowerCase() === 'close') line.lose()
      const { statusCode: status } = response
      const wait = retryAfterMs(one(response.headers['retry-after']), one(response.headers.date))
      return {
        shot: { status, ...(wait !== undefined && { retryAfterMs: wait }) },
        answer: { status, headers: response.headers, text },
      }
    } catch (error) {
      line.lose()
      return { shot: { failure: this.#failureOf(error) } }
    }
  }

  #failureOf(error: unknown): NonNullable<Shot['failure']> {
    if (this.#options.signal.aborted) return 'ended'
    const { name, code } = error as { readonly name?: string; readonly code?: string }
    if (name === 'TimeoutError' || error instanceof errors.HeadersTimeoutError) return 'timed-out'
    if (error instanceof errors.BodyTimeoutError || error instanceof errors.ConnectTimeoutError)
      return 'timed-out'
    return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EHOSTUNREACH' ? 'refused' : 'reset'
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > largestBody) throw new Error(`an answer of more than ${largestBody} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** A field that came more than once has no one meaning. */
function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? undefined : value
}
