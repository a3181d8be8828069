import type { Kind } from './models/model.ts'
import type { Interval } from './region.ts'

interface Spent {
  readonly requests: number
  readonly elapsedMs: number
}

/** No 429 within what was allowed: a result, not an error. */
export interface NotThrottled extends Spent {
  readonly result: 'not-throttled'
  readonly admitted: number
  readonly sentence: string
}

export interface Identified extends Spent {
  readonly result: 'identified'
  readonly kind: Kind
  /** What sets it apart from others of its kind, in words; empty: nothing does, or it was not told apart. */
  readonly variant: string
  /** Requests that it admits at once after a rest. undefined: not visible (a queue, with one request in flight). */
  readonly capacity?: number
  readonly capacityInterval?: Interval
  /** Requests per second that it admits in the long run: the roundest value of the interval. */
  readonly rate: number
  readonly rateInterval: Interval
  /** Of kinds that have a window, in milliseconds: a time of the interval that a person would write. */
  readonly windowMs?: number
  readonly windowInterval?: Interval
  /** Of windows on a grid: the time, on the experiment's clock, at which one begins. */
  readonly windowStart?: number
  readonly proof: Proof
  readonly notes: readonly string[]
}

/** How many of the observations the claim explains, and how many the best of all other kinds. */
export interface Proof {
  readonly observations: number
  readonly explained: number
  readonly nextBest: { readonly kind: Kind; readonly explained: number }
  readonly sentence: string
}

export interface NotIdentified extends Spent {
  readonly result: 'not-identified'
  readonly reason: string
  /** What is known all the same. */
  readonly known: {
    /** Kinds that still explain everything. */
    readonly kinds: readonly Kind[]
    readonly capacity?: Interval
    /** Requests per second. */
    readonly rate?: Interval
    readonly sentences: readonly string[]
  }
}

export type Characterisation = NotThrottled | Identified | NotIdentified
