import type { Budget } from '../../src/http/budget.ts'
import type { Target } from '../../src/target/target.ts'
import { SlidingSecond } from './timing.ts'

/**
 * The hard limits of a run of probes: LOAD_MAX_REQUESTS, LOAD_MAX_SECONDS, and LOAD_MAX_RATE in any second. The probe
 * `capacity` ignores LOAD_MAX_RATE.
 */
export type Caps = Pick<Target['load'], 'maxRequests' | 'maxSeconds' | 'maxRate'>

/** Why a request may not be sent now. */
export type Denial =
  | { readonly kind: 'ended'; readonly reason: string }
  /** `until` in milliseconds on the guard's clock. */
  | { readonly kind: 'wait'; readonly until: number; readonly because: 'retry-after' | 'rate' }

/** Longest accepted Retry-After, in milliseconds; a longer one ends all probes. */
const longestRetryAfterMs = 120_000

/**
 * Admits every request of every probe. `admit` decides and counts in one synchronous step, so that concurrent requests
 * cannot exceed a cap. The end of Retry-After is in the run's budget (`src/http/budget.ts`), which admits the other
 * requests of the run: so logins between probes wait, too.
 */
export class LoadGuard {
  readonly caps: Caps
  readonly #budget: Pick<Budget, 'pauseMs' | 'pauseFor'>
  readonly #now: () => number
  /** When LOAD_MAX_SECONDS have elapsed, on the guard's clock. */
  readonly #endsAt: number
  /** Value of `spent` at which the running probe ends. */
  #spentAtEnd: number
  /** When the running probe ends at the latest, on the guard's clock. */
  #allowedUntil: number
  /** Number of admitted requests and reconnects. */
  spent = 0
  /** Number of reconnects in `spent`. */
  reconnects = 0
  readonly #rate: SlidingSecond
  /**
   * End of Retry-After for each other identity of the probe `dimension`, by name. For the run's own client, user and
   * address, `#budget` knows it.
   */
  readonly #pausedUntil = new Map<string, number>()
  #endReason: string | undefined
  /**
   * Whether all probes ended for a reason other than a cap. An admitted request that still waits for its connection to
   * open is then not sent.
   */
  #isAborted = false

  /** @param now milliseconds on a monotonic clock */
  constructor(caps: Caps, budget: Pick<Budget, 'pauseMs' | 'pauseFor'>, now: () => number) {
    this.caps = caps
    this.#budget = budget
    this.#now = now
    this.#rate = new SlidingSecond(caps.maxRate)
    this.#endsAt = now() + caps.maxSeconds * 1000
    this.#spentAtEnd = caps.maxRequests
    this.#allowedUntil = this.#endsAt
  }

  /** Starts the next probe, with a share of requests and seconds. */
  allot(requests: number, seconds: number): void {
    this.#spentAtEnd = Math.min(this.spent + requests, this.caps.maxRequests)
    this.#allowedUntil = Math.min(this.#now() + seconds * 1000, this.#endsAt)
  }

  /** Remaining requests of the current probe. */
  get remaining(): number {
    return this.#spentAtEnd - this.spent
  }

  /** Remaining milliseconds of the current probe. */
  get remainingMs(): number {
    return this.#allowedUntil - this.#now()
  }

  /** Remaining requests of the current and all later probes. */
  get totalRemaining(): number {
    return this.caps.maxRequests - this.spent
  }

  /** Remaining milliseconds of the current and all later probes. */
  get totalRemainingMs(): number {
    return this.#endsAt - this.#now()
  }

  /** Milliseconds until every identity may send again; at most 0 if all may send now. */
  get pauseMs(): number {
    const others = [...this.#pausedUntil.values()].map((until) => until - this.#now())
    return Math.max(this.#budget.pauseMs, ...others)
  }

  /** Why no probe may send further requests; undefined before the end. */
  get endReason(): string | undefined {
    return this.#endReason
  }

  /** When LOAD_MAX_RATE admits the next request, on the guard's clock. */
  get earliest(): number {
    return this.#rate.earliest
  }

  /**
   * Admits one request and counts it.
   * @param cost 2 if the request has to reconnect
   * @param as the name of the sending identity; undefined for the run's own. Each identity waits only for the
   * Retry-After that it received
   * @returns undefined if admitted, otherwise the reason
   */
  admit(cost = 1, as?: string): Denial | undefined {
    const now = this.#now()
    const exhausted = this.#exhausted(cost)
    if (exhausted) return exhausted
    const pauseMs = this.#pauseMsOf(as)
    if (pauseMs > this.#longestPauseMs) return this.#endForPause(pauseMs)
    if (pauseMs > this.remainingMs)
      return denied(`Retry-After is ${seconds(pauseMs)}, which exceeds the remaining time of this probe`)
    if (pauseMs > 0) return { kind: 'wait', until: now + pauseMs, because: 'retry-after' }
    if (now < this.earliest) return { kind: 'wait', until: this.earliest, because: 'rate' }
    this.spent += cost
    this.reconnects += cost - 1
    this.#rate.leaves(now)
    return undefined
  }

  /** Admits one request or reconnect of a closed loop, without pacing or waits, and counts it. */
  admitUnpaced(kind: 'request' | 'reconnect'): Denial | undefined {
    const exhausted = this.#exhausted(1)
    if (exhausted) return exhausted
    this.spent += 1
    if (kind === 'reconnect') this.reconnects += 1
    return undefined
  }

  /** Whether an admitted request may still be sent: another response may have returned Retry-After in the meantime. */
  maySend(as?: string): boolean {
    return !this.#isAborted && this.#pauseMsOf(as) <= 0
  }

  /** Denies requests of an identity until Retry-After has elapsed. A wait that is too long ends all probes. */
  pauseFor(waitMs: number, as?: string): void {
    if (as === undefined) this.#budget.pauseFor(waitMs, 'throttled')
    else this.#pausedUntil.set(as, Math.max(this.#pausedUntil.get(as) ?? 0, this.#now() + waitMs))
    if (waitMs > this.#longestPauseMs) this.#endForPause(waitMs)
  }

  /** Ends all probes. If they have already ended, their reason stays. */
  abort(reason: string): Denial {
    this.#isAborted = true
    return this.#endAll(reason)
  }

  #pauseMsOf(as: string | undefined): number {
    return as === undefined ? this.#budget.pauseMs : (this.#pausedUntil.get(as) ?? 0) - this.#now()
  }

  get #longestPauseMs(): number {
    return Math.min(longestRetryAfterMs, this.totalRemainingMs)
  }

  #endForPause(waitMs: number): Denial {
    const remainingMs = this.totalRemainingMs
    const most =
      remainingMs < longestRetryAfterMs
        ? `only ${seconds(remainingMs)} of LOAD_MAX_SECONDS are left`
        : `probes wait at most ${seconds(longestRetryAfterMs)}`
    return this.abort(`Retry-After is ${seconds(waitMs)}, but ${most}`)
  }

  /** The denial by a cap; undefined if none is reached. A cap of the run also ends all probes. */
  #exhausted(cost: number): Denial | undefined {
    const { maxRequests, maxSeconds } = this.caps
    const now = this.#now()
    if (this.#endReason !== undefined) return denied(this.#endReason)
    if (this.spent + cost > this.#spentAtEnd && this.#spentAtEnd < maxRequests)
      return denied("the probe's share of LOAD_MAX_REQUESTS is exhausted")
    if (this.spent + cost > maxRequests)
      return this.#endAll(`all ${maxRequests} requests of LOAD_MAX_REQUESTS are used`)
    if (now >= this.#allowedUntil && this.#allowedUntil < this.#endsAt)
      return denied("the probe's share of LOAD_MAX_SECONDS has elapsed")
    if (now >= this.#endsAt) return this.#endAll(`the ${maxSeconds} s of LOAD_MAX_SECONDS have elapsed`)
    return undefined
  }

  #endAll(reason: string): Denial {
    this.#endReason ??= reason
    return denied(this.#endReason)
  }
}

function denied(reason: string): Denial {
  return { kind: 'ended', reason }
}

function seconds(ms: number): string {
  return `${Number((Math.max(0, ms) / 1000).toFixed(1))} s`
}
