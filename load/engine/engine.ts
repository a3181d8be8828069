import { backoffMs } from '../../src/http/retry-after.ts'
import { type Connection, type ConnectionOptions, ConnectionPool } from './connections.ts'
import type { Denial, LoadGuard } from './guard.ts'
import type { InFlightRequest } from './in-flight.ts'
import { is429, type LoadRequest, type LoadResponse, latencyMs, type Shot } from './shot.ts'
import { groupMs, pause } from './timing.ts'

export interface EngineOptions extends ConnectionOptions {
  /** Enforces the caps, such as LOAD_MAX_REQUESTS, and the waits for Retry-After. */
  readonly guard: LoadGuard
  /** The time in milliseconds, on one clock for all probes of a run. */
  readonly now: () => number
  readonly signal: AbortSignal
  /** Called for every shot: a sent request and its outcome. */
  readonly onShot?: (shot: Shot) => void
  /** Called for every 429. */
  readonly onThrottled?: (request: LoadRequest, response: LoadResponse, shot: Shot) => void
  /** The list to which shots are added; several engines of a probe may share it. */
  readonly shots?: Shot[]
}

interface SendOptions {
  /** Intended start by the schedule, in milliseconds on the clock of all probes. */
  readonly intendedAt: number
  /** Name of another client, user or source address that sends the request; undefined: those of the run. */
  readonly as?: string
  /** Before Retry-After has elapsed: true delays the request until then, false omits it. */
  readonly patient: boolean
}

export interface Sent {
  readonly shot: Shot
  /** Absent without a complete response. */
  readonly response?: LoadResponse
}

/** Sends the requests of a probe over its connections, after the guard admits them, and keeps the outcomes. */
export class Engine {
  readonly guard: LoadGuard
  readonly now: () => number
  readonly shots: Shot[]
  #ended: string | undefined
  readonly #options: EngineOptions
  readonly #connections: ConnectionPool
  readonly #health = new TargetHealth()
  #throttledInARow = 0
  #isUnhealthy = false
  /** Latest end of a Retry-After that a closed loop (`closed-loop.ts`) ignored. */
  #ignoredUntil = 0
  /** The timer that waiting requests share: see `#pauseUntil`. */
  #pause: { readonly until: number; readonly over: Promise<void> } | undefined

  constructor(options: EngineOptions) {
    this.guard = options.guard
    this.now = options.now
    this.shots = options.shots ?? []
    this.#options = options
    this.#connections = new ConnectionPool(options)
    const end = () => {
      this.guard.abort('the probe was interrupted')
      void this.#connections.destroy()
    }
    if (options.signal.aborted) end()
    else options.signal.addEventListener('abort', end, { once: true })
  }

  /**
   * Sends one request as soon as a connection is free and the guard admits it.
   * @returns undefined if the request was not sent: the probe has ended, or Retry-After has not elapsed
   */
  send(request: LoadRequest, options: SendOptions): Promise<Sent | undefined> {
    const connection = this.#connections.takeFree()
    // Most requests find a free connection, and need no further promise: promises are expensive at high rates.
    if (!connection) return this.#connections.takeNext().then((freed) => this.#admit(freed, request, options))
    return this.#admit(connection, request, options)
  }

  /** Sends the request if the guard admits it, after a wait for LOAD_MAX_RATE or, if patient, for Retry-After. */
  #admit(connection: Connection, request: LoadRequest, options: SendOptions): Promise<Sent | undefined> {
    const denial = this.guard.admit(connection.cost, options.as)
    if (!denial) return this.#dispatch(connection, request, options)
    if (denial.kind === 'ended') this.#ended ??= denial.reason
    else if (options.patient || denial.because === 'rate')
      return this.#wait(denial, connection, request, options)
    this.#connections.release(connection)
    return Promise.resolve(undefined)
  }

  async #wait(
    { until, because }: Extract<Denial, { kind: 'wait' }>,
    connection: Connection,
    request: LoadRequest,
    options: SendOptions,
  ): Promise<Sent | undefined> {
    const from = this.now()
    await this.#pauseUntil(until)
    // Neither wait is latency. A wait for LOAD_MAX_RATE delays the intended start. After Retry-After, it is now.
    const intendedAt = because === 'rate' ? options.intendedAt + this.now() - from : this.now()
    return this.#admit(connection, request, { ...options, intendedAt })
  }

  /** Requests whose waits end within `groupMs` share a timer. */
  #pauseUntil(until: number): Promise<void> {
    const shared = this.#pause
    if (shared && shared.until >= until && shared.until < until + groupMs) return shared.over
    const ms = Math.ceil(until - this.now())
    const over = pause(ms, this.#options.signal).then(() => {
      // A timer may fire a little early. A request that still has to wait then needs a new timer.
      if (this.#pause?.over === over) this.#pause = undefined
    })
    this.#pause = { until: this.now() + ms, over }
    return over
  }

  #dispatch(connection: Connection, request: LoadRequest, options: SendOptions): Promise<Sent | undefined> {
    const { intendedAt, as } = options
    const sentAt = this.now()
    let waitMs: number | undefined
    const onHead = ({ status, retryAfterMs }: InFlightRequest) => {
      // Both statuses request a wait (RFC 9110, 10.2.3; RFC 6585, 4).
      if (status !== 429 && status !== 503) return
      // Without a valid Retry-After, or with 0, a probe still waits: longer after each 429 or 503 in a row.
      waitMs = retryAfterMs || backoffMs(this.#throttledInARow)
      this.#throttledInARow += 1
      // The pause starts before the body, which may be slow or incomplete, so that no other request leaves meanwhile.
      this.guard.pauseFor(waitMs, as)
    }
    const maySend = () => this.guard.maySend(as)
    return connection.send(request, { maySend, onHead }).then((ended) => {
      this.#connections.release(connection)
      // Another response brought Retry-After before this request left, so the guard decides again. The first
      // attempt still counts, since it may have opened a connection.
      if (ended.wasNeverSent) return this.send(request, options)
      const { status, failure = 'reset', retryAfterMs, response } = ended
      const times = { intendedAt, sentAt, endedAt: this.now() }
      const shot: Shot =
        status === undefined
          ? { ...times, failure }
          : { ...times, status, ...(retryAfterMs !== undefined && { retryAfterMs }) }
      // The pause starts again, since the wait counts from the end of the response.
      if (waitMs !== undefined) this.guard.pauseFor(waitMs, as)
      else if (status !== undefined) this.#throttledInARow = 0
      this.#record(request, shot, response)
      return { shot, ...(response && { response }) }
    })
  }

  /** Counts a request or reconnect of a closed loop, and returns whether it may leave. */
  admitUnpaced(kind: 'request' | 'reconnect'): boolean {
    const denial = this.guard.admitUnpaced(kind)
    if (denial?.kind === 'ended') this.#ended ??= denial.reason
    return denial === undefined
  }

  /** Records a request of a closed loop, and notes its Retry-After for later probes (`close`). */
  recordUnpaced(request: LoadRequest, shot: Shot, response?: LoadResponse): void {
    this.#record(request, shot, response)
    this.#ignoredUntil = Math.max(this.#ignoredUntil, shot.endedAt + (shot.retryAfterMs ?? 0))
  }

  /**
   * Waits until every Retry-After has elapsed, so that a probe does not start throttled. Returns at once if this takes
   * longer than the remaining time: the guard then denies the first request of the probe, with the reason.
   */
  async rest(): Promise<void> {
    const { pauseMs, remainingMs } = this.guard
    if (pauseMs <= remainingMs) await pause(pauseMs, this.#options.signal)
  }

  /**
   * Whether `TargetHealth` or an interruption stopped the probe; false after a cap or a Retry-After that is too long.
   */
  get isStoppedEarly(): boolean {
    return this.#isUnhealthy || this.#options.signal.aborted
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs
  }

  /** Why this probe or all probes have ended; undefined before. */
  get ended(): string | undefined {
    return this.#ended ?? this.guard.endReason
  }

  /** Closes the connections. Later probes wait for each Retry-After of this probe, whichever identity received it. */
  async close(): Promise<void> {
    const waitMs = Math.max(this.#ignoredUntil - this.now(), this.guard.pauseMs)
    if (waitMs > 0) this.guard.pauseFor(waitMs)
    await this.#connections.destroy()
  }

  #record(request: LoadRequest, shot: Shot, response: LoadResponse | undefined): void {
    this.shots.push(shot)
    this.#options.onShot?.(shot)
    if (is429(shot) && response) this.#options.onThrottled?.(request, response, shot)
    const trouble = this.#health.check(shot)
    if (trouble === undefined) return
    this.#isUnhealthy = true
    this.guard.abort(trouble)
  }
}

/** Number of latest requests that `TargetHealth` considers. */
const maxLatest = 20
/** All probes end after this many server errors in the latest requests. A 503 is throttling, not an error. */
const tooManyErrors = 5
/** All probes end after this many consecutive requests without a response. */
const tooManyLost = 3
/** All probes end when more than half of the latest 20 requests exceed this latency, in milliseconds. */
const tooSlowMs = 5_000

/** Monitors the target during a probe, to stop the load if the target fails or slows down. */
class TargetHealth {
  readonly #latest: Shot[] = []

  /** @returns why all probes must end; undefined if they may continue */
  check(shot: Shot): string | undefined {
    const latest = this.#latest
    latest.push(shot)
    if (latest.length > maxLatest) latest.shift()
    const count = latest.length
    const lost = count - 1 - latest.findLastIndex(({ status }) => status !== undefined)
    if (lost >= tooManyLost) return `${lost} consecutive requests had no response (the last: ${shot.failure})`
    const errors = latest.filter(({ status = 0 }) => status >= 500 && status !== 503).length
    if (errors >= tooManyErrors) return `${errors} of the last ${count} requests returned server errors`
    const slow = latest.filter((one) => latencyMs(one) > tooSlowMs).length
    if (count === maxLatest && slow > maxLatest / 2)
      return `${slow} of the last ${count} requests took longer than ${tooSlowMs / 1000} s`
    return undefined
  }
}
