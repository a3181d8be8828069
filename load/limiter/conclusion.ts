import type { Cost } from './experiment.ts'
import type { Interval } from './interval.ts'
import { limiterModels } from './models/index.ts'
import { type Kind, type KindVariant, limiterKinds, variantText } from './models/kinds.ts'
import type { Simulation } from './models/model.ts'

/** No 429 within the budget, as long as requests were sent one at a time. */
export interface NotThrottled extends Cost {
  readonly result: 'not-throttled'
  readonly admitted: number
  /** Largest number of requests in flight together that are admitted; absent if no such limit was found. */
  readonly concurrent?: number
  /** Responses per second, if concurrent requests receive their responses one by one. */
  readonly queueRate?: number
  /** The first clause of `sentence`. */
  readonly headline: string
  readonly sentence: string
}

export interface Identified extends Cost {
  readonly result: 'identified'
  readonly kind: Kind
  /** Absent: the plain form of the kind, or several variants are possible. */
  readonly variant?: KindVariant
  /** Number of requests that an unused limiter admits at once. Absent for a queue, which delays requests instead. */
  readonly capacity?: number
  readonly capacityInterval?: Interval
  /** Requests per second that the limiter admits in the long run: the likeliest value of the interval. */
  readonly rate: number
  readonly rateInterval: Interval
  /** Only for kinds with a window: its likeliest length in the interval, in milliseconds. */
  readonly windowMs?: number
  readonly windowInterval?: Interval
  /** Only for windows at regular times (on a grid): the start of one, in milliseconds on the experiment's clock. */
  readonly windowStart?: number
  /** Requests of other clients on the same key: estimated share of the rate, and number per second. Absent: none. */
  readonly otherTraffic?: { readonly share: number; readonly perSecond: number }
  readonly proof: Proof
  readonly notes: readonly string[]
}

/**
 * How many data points (responses and values of Retry-After) the identified limiter explains, and how many the best
 * limiter of another kind explains.
 */
export interface Proof {
  /** Number of data points; the name is part of the JSON format. */
  readonly observations: number
  readonly explained: number
  readonly nextBest: {
    readonly kind: Kind
    readonly explained: number
    /** Whether this kind explains nearly as many data points, but only if a window ends exactly at a request. */
    readonly needsCoincidence?: boolean
  }
  readonly sentence: string
}

export interface NotIdentified extends Cost {
  readonly result: 'not-identified'
  readonly reason: string
  /** If the budget ran out: a total budget that is probably sufficient, including this experiment. */
  readonly needs?: { readonly requests: number; readonly ms: number } | undefined
  readonly known: {
    /** Kinds that the data points do not exclude. */
    readonly kinds: readonly Kind[]
    readonly capacity?: Interval
    /** Requests per second. */
    readonly rate?: Interval
    /** Facts about the responses that are true for any limiter, and the kind that explains the most responses. */
    readonly sentences: readonly string[]
  }
}

export type Characterisation = NotThrottled | Identified | NotIdentified

/** `12.3 s` */
export const seconds = (ms: number, unit = ' s') => `${Math.round(ms / 100) / 10}${unit}`

/** `sliding window log`, `fixed window (on a grid)` */
export function limiterName({ kind, variant }: Pick<Identified, 'kind' | 'variant'>): string {
  const name = limiterKinds[kind].text
  return variant === undefined ? name : `${name} (${variantText[variant]})`
}

/**
 * A simulation of the identified limiter, which has not counted any request yet.
 * @returns undefined for a queue, since its capacity is unknown
 */
export function simulationOf(found: Identified): Simulation | undefined {
  const { kind, variant, capacity, rate, windowMs, windowStart: start } = found
  const models = limiterModels.filter((model) => model.kind === kind)
  const model = models.find((one) => variant === one.variant || variant === one.alignedVariant) ?? models[0]
  if (model === undefined || capacity === undefined) return undefined
  const period = windowMs ?? 1000 / rate
  return model.simulate({ capacity, period, ...(start !== undefined && { start }) })
}

/** Longest possible time until an identified limiter no longer counts earlier requests, in milliseconds. */
export function recoveryMsOf(found: Identified): number {
  const { kind, capacity, capacityInterval, rateInterval, windowMs, windowInterval } = found
  const perRequest = 1000 / rateInterval.low
  // For a queue without known capacity, at most one place is taken, since all responses have arrived.
  if (windowMs === undefined) return perRequest * (capacityInterval?.high ?? capacity ?? 1)
  const window = windowInterval?.high ?? windowMs
  // If the previous window counts, a request counts until the end of the next window.
  return limiterKinds[kind].countsPreviousWindow ? 2 * window : window
}
