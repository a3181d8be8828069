import { backoffMs } from '../../src/http/retry-after.ts'
import type { Exchange } from './exchange.ts'
import type { LoadGuard, Refusal } from './guard.ts'
import { type Line, type LineOptions, Lines } from './lines.ts'
import { groupMs, pause } from './pause.ts'
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
  /** Who sends it, where a probe tells several apart. */
  readonly as?: string
  /** Whether it is sent after a wait that the target asks for; else it is left out. */
  readonly patient: boolean
}

/** A request that was sent, and what became of it. */
export interface Sent {
  readonly shot: Shot
  /** Absent where no whole answer came. */
  readonly answer?: Answer
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
  #isBrokenOff = false
  #owedUntil = 0
  #pause: { readonly until: number; readonly over: Promise<void> } | undefined

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
  send(request: LoadRequest, sending: Sending): Promise<Sent | undefined> {
    const line = this.#lines.free()
    // At high rates every promise counts: most requests find a connection, and nothing that holds them back.
    if (!line) return this.#lines.next().then((freed) => this.#pass(freed, request, sending))
    return this.#pass(line, request, sending)
  }

  #pass(line: Line, request: LoadRequest, sending: Sending): Promise<Sent | undefined> {
    const refusal = this.guard.admit(line.cost, sending.as)
    if (!refusal) return this.#dispatch(line, request, sending)
    if (refusal.kind === 'ended') this.#endedBy ??= refusal.reason
    else if (sending.patient || refusal.because === 'rate') return this.#wait(refusal, line, request, sending)
    this.#lines.release(line)
    return Promise.resolve(undefined)
  }

  async #wait(
    { until, because }: Extract<Refusal, { kind: 'wait' }>,
    line: Line,
    request: LoadRequest,
    sending: Sending,
  ): Promise<Sent | undefined> {
    const from = this.now()
    await this.#pauseUntil(until)
    // Neither what the target asks to wait nor what LOAD_MAX_RATE holds back is the target's latency; and who waits as
    // asked is no longer on any schedule.
    const intendedAt = because === 'rate' ? sending.intendedAt + this.now() - from : this.now()
    return this.#pass(line, request, { ...sending, intendedAt })
  }

  /** Those that wait until about the same moment share a timer. */
  #pauseUntil(until: number): Promise<void> {
    const shared = this.#pause
    if (shared && shared.until >= until && shared.until < until + groupMs) return shared.over
    const ms = Math.ceil(until - this.now())
    const over = pause(ms, this.#options.signal).then(() => {
      // A timer may fire a little early: who then still has to wait needs one anew.
      if (this.#pause?.over === over) this.#pause = undefined
    })
    this.#pause = { until: this.now() + ms, over }
    return over
  }

  #dispatch(line: Line, request: LoadRequest, sending: Sending): Promise<Sent | undefined> {
    const { intendedAt, as } = sending
    const sentAt = this.now()
    let waitMs: number | undefined
    const onHead = ({ status, retryAfterMs }: Exchange) => {
      if (!asksToWait(status)) return
      // Asked to come back at once, or told nothing, a probe still waits a little.
      waitMs = retryAfterMs || backoffMs(this.#throttledInARow)
      this.#throttledInARow += 1
      // At once: the body may take its time, or never come in whole.
      this.guard.pauseFor(waitMs, as)
    }
    const mayLeave = () => this.guard.mayStillLeave(as)
    return line.send(request, { mayLeave, onHead }).then((exchange) => {
      const { status, failure = 'reset', retryAfterMs, answer } = exchange
      if (exchange.isHeldBack) {
        // Its connection was counted, as it may have been made for nothing.
        this.#lines.release(line)
        return this.send(request, sending)
      }
      const times = { intendedAt, sentAt, endedAt: this.now() }
      const shot: Shot =
        status === undefined
          ? { ...times, failure }
          : { ...times, status, ...(retryAfterMs !== undefined && { retryAfterMs }) }
      this.#lines.release(line)
      if (waitMs !== undefined) this.guard.pauseFor(waitMs, as)
      else if (status !== undefined) this.#throttledInARow = 0
      this.#record(request, shot, answer)
      return { shot, ...(answer && { answer }) }
    })
  }

  /** Whether a request or reconnect that waits for nothing may leave; it is counted. Told of its end with `recordUnpaced`. */
  admitsUnpaced(): boolean {
    const refusal = this.guard.take()
    if (refusal?.kind === 'ended') this.#endedBy ??= refusal.reason
    return refusal === undefined
  }

  recordUnpaced(request: LoadRequest, shot: Shot, answer?: Answer): void {
    this.#record(request, shot, answer)
    this.#owedUntil = Math.max(this.#owedUntil, shot.endedAt + (shot.retryAfterMs ?? 0))
  }

  /** Waits until nobody has to stay away any more: a probe should not begin in the shadow of another. */
  async rest(): Promise<void> {
    const { pauseMs, remainingMs } = this.guard
    await pause(Math.min(pauseMs, remainingMs), this.#options.signal)
  }

  /** Whether the end was the target's doing, or the tester's, and no cap's. */
  get brokenOff(): boolean {
    return this.#isBrokenOff || this.#options.signal.aborted
  }

  /** Longest wait for the end of an answer, in milliseconds. */
  get timeoutMs(): number {
    return this.#options.timeoutMs
  }

  /** Why nothing more is sent by this probe, or by any; undefined while it goes on. */
  get ended(): string | undefined {
    return this.#endedBy ?? this.guard.ended
  }

  /** What was asked for and not waited is waited by whoever comes next. */
  async close(): Promise<void> {
    const owedMs = this.#owedUntil - this.now()
    if (owedMs > 0) this.guard.pauseFor(owedMs)
    await this.#lines.destroy()
  }

  #record(request: LoadRequest, shot: Shot, answer: Answer | undefined): void {
    this.shots.push(shot)
    this.#options.onShot?.(shot)
    if (shot.status === 429 && answer) this.#options.onThrottled?.(request, answer, shot)
    const trouble = this.#watch.see(shot)
    if (trouble === undefined) return
    this.#isBrokenOff = true
    this.guard.end(trouble)
  }
}

/** Whether a status says to stay away for a while (RFC 9110, 10.2.3; RFC 6585, 4). */
function asksToWait(status: number | undefined): boolean {
  return status === 429 || status === 503
}
