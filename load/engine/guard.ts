import { SlidingSecond } from './sliding-second.ts'

/** The hard limits of a run of probes (LOAD_MAX_REQUESTS, LOAD_MAX_SECONDS, LOAD_MAX_RATE). */
export interface Caps {
  readonly maxRequests: number
  readonly maxSeconds: number
  /** Requests in any second. */
  readonly maxRate: number
}

/** Why nothing may be sent at this moment. */
export type Refusal =
  | { readonly kind: 'ended'; readonly reason: string }
  /** Milliseconds on the guard's clock at which to ask again. */
  | { readonly kind: 'wait'; readonly until: number; readonly because: 'retry-after' | 'rate' }

/** Who asks where nobody is told apart. */
const everybody = 'everybody'
/** Longest wait that a target may ask for; more ends the probe. */
const longestWaitMs = 120_000

/**
 * Stands before every request of every probe. It is asked synchronously and counts when it lets one pass,
 * so that nothing can slip in between.
 */
export class LoadGuard {
  readonly caps: Caps
  readonly #now: () => number
  readonly #endsAt: number
  /** What `spent` may come to before the probe that is running has to end. */
  #allowance: number
  #allowedUntil: number
  /** Requests and reconnects that were let through. */
  spent = 0
  readonly #rate: SlidingSecond
  /** Until when whoever was throttled has to stay away, by who that was. */
  readonly #holds = new Map<string, number>()
  #ended: string | undefined
  /** The end came for another reason than a cap: also what was let pass before has to stay. */
  #isBrokenOff = false

  /** @param now milliseconds on a monotonic clock */
  constructor(caps: Caps, now: () => number) {
    this.caps = caps
    this.#now = now
    this.#rate = new SlidingSecond(caps.maxRate)
    this.#endsAt = now() + caps.maxSeconds * 1000
    this.#allowance = caps.maxRequests
    this.#allowedUntil = this.#endsAt
  }

  /** Requests that are left for the probe that is running. */
  get remaining(): number {
    return this.#allowance - this.spent
  }

  /** Requests that are left for this probe and all that follow. */
  get remainingInAll(): number {
    return this.caps.maxRequests - this.spent
  }

  /** Milliseconds that are left for this probe and all that follow. */
  get remainingInAllMs(): number {
    return this.#endsAt - this.#now()
  }

  /** Lets the next probe begin, with so many requests and seconds at most. */
  allot(requests: number, seconds: number): void {
    this.#allowance = Math.min(this.spent + requests, this.caps.maxRequests)
    this.#allowedUntil = Math.min(this.#now() + seconds * 1000, this.#endsAt)
  }

  /** Milliseconds that are left for the probe that is running. */
  get remainingMs(): number {
    return this.#allowedUntil - this.#now()
  }

  /** Milliseconds until everybody may ask again, as far as the target has said. */
  get pauseMs(): number {
    return Math.max(0, ...[...this.#holds.values()].map((until) => until - this.#now()))
  }

  get ended(): string | undefined {
    return this.#ended
  }

  /**
   * Lets one request pass and counts it, or says why not.
   * @param cost 2 where the request needs a new connection in place of one that was lost
   * @param as who asks: only what they were told to wait for holds them back
   */
  admit(cost = 1, as: string = everybody): Refusal | undefined {
    const now = this.#now()
    if (this.#ended !== undefined) return { kind: 'ended', reason: this.#ended }
    const exhausted = this.#exhausted(cost)
    if (exhausted) return exhausted
    const notBefore = this.#notBefore(as)
    if (notBefore > this.#allowedUntil)
      return {
        kind: 'ended',
        reason: 'the wait that the target asks for is longer than the time of this probe',
      }
    if (now < notBefore) return { kind: 'wait', until: notBefore, because: 'retry-after' }
    if (now < this.earliest) return { kind: 'wait', until: this.earliest, because: 'rate' }
    this.spent += cost
    this.#rate.leaves(now)
    return undefined
  }

  /**
   * Whether a request that was let pass may still leave: until its connection was made, another one may have been told
   * to wait.
   */
  mayStillLeave(as: string = everybody): boolean {
    return !this.#isBrokenOff && this.#now() >= this.#notBefore(as)
  }

  #notBefore(as: string): number {
    return this.#holds.get(as) ?? Number.NEGATIVE_INFINITY
  }

  /** When the next request may leave as far as LOAD_MAX_RATE goes, for who would rather come then than be sent away. */
  get earliest(): number {
    return this.#rate.earliest
  }

  /** Lets one request or reconnect of who paces nothing and waits for nobody pass and counts it, or says why not. */
  take(): Refusal | undefined {
    const refusal: Refusal | undefined =
      this.#ended === undefined ? this.#exhausted(1) : { kind: 'ended', reason: this.#ended }
    if (!refusal) this.spent += 1
    return refusal
  }

  /** Notes what a 429 or 503 asks for: nothing leaves before. A wait that is too long ends everything. */
  pauseFor(waitMs: number, as: string = everybody): void {
    const leftMs = this.remainingInAllMs
    if (waitMs > Math.min(longestWaitMs, leftMs)) {
      const most =
        leftMs < longestWaitMs
          ? `only ${seconds(leftMs)} are left of LOAD_MAX_SECONDS`
          : `no probe waits longer than ${seconds(longestWaitMs)}`
      this.end(`the target asks to wait ${seconds(waitMs)}, and ${most}`)
      return
    }
    this.#holds.set(as, Math.max(this.#holds.get(as) ?? 0, this.#now() + waitMs))
  }

  /** Nothing leaves any more. The first reason stays. */
  end(reason: string): void {
    this.#isBrokenOff = true
    this.#end(reason)
  }

  /** What is spent or over, of this probe or of all. */
  #exhausted(cost: number): Refusal | undefined {
    const now = this.#now()
    if (this.spent + cost > this.#allowance && this.#allowance < this.caps.maxRequests)
      return { kind: 'ended', reason: 'the share of this probe in LOAD_MAX_REQUESTS is spent' }
    if (this.spent + cost > this.caps.maxRequests)
      return this.#end(`the ${this.caps.maxRequests} requests of LOAD_MAX_REQUESTS are spent`)
    if (now >= this.#allowedUntil && this.#allowedUntil < this.#endsAt)
      return { kind: 'ended', reason: 'the share of this probe in LOAD_MAX_SECONDS is over' }
    if (now >= this.#endsAt) return this.#end(`the ${this.caps.maxSeconds} s of LOAD_MAX_SECONDS are over`)
    return undefined
  }

  #end(reason: string): Refusal {
    this.#ended ??= reason
    return { kind: 'ended', reason: this.#ended }
  }
}

function seconds(ms: number): string {
  return `${Number((Math.max(0, ms) / 1000).toFixed(1))} s`
}
