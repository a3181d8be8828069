import type { Budget } from '../../src/http/budget.ts'
import { SlidingSecond } from './timing.ts'

/** The hard limits of a run of probes (LOAD_MAX_REQUESTS, LOAD_MAX_SECONDS, LOAD_MAX_RATE). */
export interface Caps {
  readonly maxRequests: number
  readonly maxSeconds: number
  /** Requests in any second. */
  readonly maxRate: number
}

/** Why a request may not be sent at this moment. */
export type Refusal =
  | { readonly kind: 'ended'; readonly reason: string }
  /** `until` in milliseconds on the guard's clock. */
  | { readonly kind: 'wait'; readonly until: number; readonly because: 'retry-after' | 'rate' }

/** Longest wait that a target may ask for; a longer one ends all probes. */
const longestWaitMs = 120_000

/**
 * Admits every request of every probe: it decides and counts in one synchronous step, so that no request slips in
 * between. The pause that Retry-After asks for is that of the run's budget, so it also holds for what prepares a probe.
 */
export class LoadGuard {
  readonly caps: Caps
  readonly #budget: Pick<Budget, 'pauseMs' | 'pauseFor'>
  readonly #now: () => number
  readonly #endsAt: number
  /** Value of `spent` at which the running probe ends. */
  #allowance: number
  #allowedUntil: number
  /** Requests and reconnects that were admitted. */
  spent = 0
  readonly #rate: SlidingSecond
  /** Until when another identity of a probe may send nothing, by its name. */
  readonly #pausedUntil = new Map<string, number>()
  #ended: string | undefined
  /** It ended for another reason than a cap: requests that were admitted and not yet sent are held back too. */
  #isAborted = false

  /** @param now milliseconds on a monotonic clock */
  constructor(caps: Caps, budget: Pick<Budget, 'pauseMs' | 'pauseFor'>, now: () => number) {
    this.caps = caps
    this.#budget = budget
    this.#now = now
    this.#rate = new SlidingSecond(caps.maxRate)
    this.#endsAt = now() + caps.maxSeconds * 1000
    this.#allowance = caps.maxRequests
    this.#allowedUntil = this.#endsAt
  }

  /** Lets the next probe begin, with so many requests and seconds at most. */
  allot(requests: number, seconds: number): void {
    this.#allowance = Math.min(this.spent + requests, this.caps.maxRequests)
    this.#allowedUntil = Math.min(this.#now() + seconds * 1000, this.#endsAt)
  }

  /** Requests that are left for the running probe. */
  get remaining(): number {
    return this.#allowance - this.spent
  }

  /** Milliseconds that are left for the running probe. */
  get remainingMs(): number {
    return this.#allowedUntil - this.#now()
  }

  /** Requests that are left for the running probe and all that follow. */
  get totalRemaining(): number {
    return this.caps.maxRequests - this.spent
  }

  /** Milliseconds that are left for the running probe and all that follow. */
  get totalRemainingMs(): number {
    return this.#endsAt - this.#now()
  }

  /** Milliseconds until every identity may send again. */
  get pauseMs(): number {
    const others = [...this.#pausedUntil.values()].map((until) => until - this.#now())
    return Math.max(this.#budget.pauseMs, ...others)
  }

  /** Why no probe sends anything more; undefined while they may. */
  get ended(): string | undefined {
    return this.#ended
  }

  /** When LOAD_MAX_RATE admits the next request. */
  get earliest(): number {
    return this.#rate.earliest
  }

  /**
   * Admits one request and counts it.
   * @param cost 2 where the request has to reconnect
   * @param as another identity that sends it, which waits only for what it was asked to wait itself
   * @returns undefined, or why it is not admitted
   */
  admit(cost = 1, as?: string): Refusal | undefined {
    const now = this.#now()
    const exhausted = this.#exhausted(cost)
    if (exhausted) return exhausted
    const pauseMs = this.#pauseMsOf(as)
    if (pauseMs > this.#longestPauseMs) return this.#endForPause(pauseMs)
    if (pauseMs > this.remainingMs)
      return ended(`the target asks to wait ${seconds(pauseMs)}, which is longer than the time of this probe`)
    if (pauseMs > 0) return { kind: 'wait', until: now + pauseMs, because: 'retry-after' }
    if (now < this.earliest) return { kind: 'wait', until: this.earliest, because: 'rate' }
    this.spent += cost
    this.#rate.leaves(now)
    return undefined
  }

  /** Admits one request or reconnect of a closed loop, which neither paces nor waits, and counts it. */
  admitUnpaced(): Refusal | undefined {
    const exhausted = this.#exhausted(1)
    if (!exhausted) this.spent += 1
    return exhausted
  }

  /** Whether an admitted request may be sent: while it connected, another one may have been asked to wait. */
  maySend(as?: string): boolean {
    return !this.#isAborted && this.#pauseMsOf(as) <= 0
  }

  /** Sends nothing for as long as a 429 or 503 asks for. A wait that is too long ends all probes. */
  pauseFor(waitMs: number, as?: string): void {
    if (as === undefined) this.#budget.pauseFor(waitMs)
    else this.#pausedUntil.set(as, Math.max(this.#pausedUntil.get(as) ?? 0, this.#now() + waitMs))
    if (waitMs > this.#longestPauseMs) this.#endForPause(waitMs)
  }

  /** Ends all probes. The first reason stays. */
  end(reason: string): Refusal {
    this.#isAborted = true
    return this.#end(reason)
  }

  #pauseMsOf(as: string | undefined): number {
    return as === undefined ? this.#budget.pauseMs : (this.#pausedUntil.get(as) ?? 0) - this.#now()
  }

  get #longestPauseMs(): number {
    return Math.min(longestWaitMs, this.totalRemainingMs)
  }

  #endForPause(waitMs: number): Refusal {
    const leftMs = this.totalRemainingMs
    const most =
      leftMs < longestWaitMs
        ? `only ${seconds(leftMs)} are left of LOAD_MAX_SECONDS`
        : `no probe waits longer than ${seconds(longestWaitMs)}`
    return this.end(`the target asks to wait ${seconds(waitMs)}, and ${most}`)
  }

  #exhausted(cost: number): Refusal | undefined {
    const { maxRequests, maxSeconds } = this.caps
    const now = this.#now()
    if (this.#ended !== undefined) return ended(this.#ended)
    if (this.spent + cost > this.#allowance && this.#allowance < maxRequests)
      return ended('the share of this probe in LOAD_MAX_REQUESTS is spent')
    if (this.spent + cost > maxRequests)
      return this.#end(`the ${maxRequests} requests of LOAD_MAX_REQUESTS are spent`)
    if (now >= this.#allowedUntil && this.#allowedUntil < this.#endsAt)
      return ended('the share of this probe in LOAD_MAX_SECONDS is over')
    if (now >= this.#endsAt) return this.#end(`the ${maxSeconds} s of LOAD_MAX_SECONDS are over`)
    return undefined
  }

  #end(reason: string): Refusal {
    this.#ended ??= reason
    return ended(this.#ended)
  }
}

function ended(reason: string): Refusal {
  return { kind: 'ended', reason }
}

function seconds(ms: number): string {
  return `${Number((Math.max(0, ms) / 1000).toFixed(1))} s`
}
