import { backoffMs } from '../../src/http/retry-after.ts'
import { exchange } from './exchange.ts'
import type { LoadGuard } from './guard.ts'
import { type LineOptions, Lines } from './lines.ts'
import { pause } from './pause.ts'
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

/** Sends the requests of a probe over its connections, each past the guard, and keeps what became of them. */
export class Engine {
  readonly guard: LoadGuard
  readonly now: () => number
  readonly shots: Shot[]
  #endedBy: string | undefined
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
    // Who waits as the target asks is no longer on any schedule: that wait is not the target's latency.
    let wantedAt = intendedAt
    try {
      for (;;) {
        const refusal = this.guard.admit(line.cost, rate, as)
        if (!refusal) break
        if (refusal.kind === 'ended') {
          this.#endedBy ??= refusal.reason
          return undefined
        }
        if (refusal.because === 'retry-after' && !patient) return undefined
        await pause(Math.ceil(refusal.until - this.now()), this.#options.signal)
        if (refusal.because === 'retry-after') wantedAt = this.now()
      }
      const sentAt = this.now()
      const { answer, ...outcome } = await exchange(line.dispatcher, request, this.#options.timeoutMs)
      if (!answer || answer.headers.connection === 'close') line.lose()
      const shot: Shot = { intendedAt: wantedAt, sentAt, endedAt: this.now(), ...outcome }
      this.#account(shot, as)
      if (shot.status === 429 && answer) this.#options.onThrottled?.(request, answer, shot)
      return { shot, ...(answer && { answer }) }
    } finally {
      this.#lines.release(line)
    }
  }

  /** Waits until nobody has to stay away any more: a probe should not begin in the shadow of another. */
  async rest(): Promise<void> {
    const { holdMs, remainingMs } = this.guard
    await pause(Math.min(holdMs, remainingMs), this.#options.signal)
  }

  /** Why nothing more is sent by this probe, or by any; undefined while it goes on. */
  get ended(): string | undefined {
    return this.#endedBy ?? this.guard.ended
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
}
