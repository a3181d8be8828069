import { MODELS } from './models/all.ts'
import type { Fit, Model } from './models/model.ts'
import { type Observation, type Reading, readings } from './observation.ts'

export interface Candidate {
  readonly model: Model
  readonly fit: Fit
  /** Observations that it does not explain. */
  readonly missed: number
}

/** A candidate that fails in so many observations more than the best is given up: one might be somebody else's doing. */
export const CLEARLY = 2

/** The models, each with each capacity, that explain what was observed. */
export class Candidates {
  #all: Candidate[] = []
  #read = 0
  /** Whether Retry-After is taken to exaggerate by little; given up when that leaves nothing. */
  #believes = true
  #leastWindow = 0

  /** Shorter windows were left out, since a Retry-After exaggerates by little (milliseconds); 0: none was. */
  get leastWindow(): number {
    return this.#leastWindow
  }

  /** Those that explain most. */
  get best(): readonly Candidate[] {
    const least = this.missed
    return this.#all.filter(({ missed }) => missed === least)
  }

  /** Those that explain most, and those that do not clearly explain less. */
  get left(): readonly Candidate[] {
    return this.#all
  }

  /** Observations that even the best do not explain. */
  get missed(): number {
    return this.#all.reduce((least, { missed }) => Math.min(least, missed), Number.POSITIVE_INFINITY)
  }

  /** Takes in what came since the last time, the first 429 included. */
  update(observations: readonly Observation[]): void {
    const leastWindow = this.#believes ? longestPromise(observations) / MOST_EXAGGERATED : 0
    if (this.#read === 0 || leastWindow > this.#leastWindow * 1.5) this.#begin(observations, leastWindow)
    this.#takeIn(observations)
    if (this.missed > 0 && this.#believes) this.doubtRetryAfter(observations)
  }

  /** Takes the shorter windows in that a Retry-After kept out. @returns whether any had been kept out */
  doubtRetryAfter(observations: readonly Observation[]): boolean {
    const had = this.#believes && this.#leastWindow > 0
    this.#believes = false
    if (had) {
      this.#begin(observations, 0)
      this.#takeIn(observations)
    }
    return had
  }

  #begin(observations: readonly Observation[], leastWindow: number): void {
    this.#leastWindow = leastWindow
    this.#read = 0
    this.#all = everyCandidate(observations, leastWindow)
  }

  #takeIn(observations: readonly Observation[]): void {
    for (const reading of readings(observations).slice(this.#read)) {
      const after = this.#all.map(({ model, fit, missed }) => ({
        model,
        fit,
        missed: missed + misses(fit, reading),
      }))
      this.#all = after
      const least = this.missed
      this.#all = after.filter(({ missed }) => missed < least + CLEARLY)
    }
    this.#read = observations.length
  }
}

/** An observation that contradicts all before it is set aside as if its outcome were unknown. @returns 1, or 0 */
function misses(fit: Fit, reading: Reading): 0 | 1 {
  if (fit.observe(reading)) return 0
  fit.observe({ ...reading, outcome: 'unknown', untilThrottled: Number.POSITIVE_INFINITY })
  return 1
}

/**
 * Share of the rate of the first burst that a limiter's own rate may be at most: nearer to it, jitter alone decides
 * what is refused.
 */
const HIGHEST_RATE = 0.5

/**
 * A Retry-After is rarely longer than the window and the time of one request, but for its rounding; that it is comes in
 * only where all else fails.
 */
const MOST_EXAGGERATED = 1.1

/** The longest wait promised by a Retry-After, less its rounding to seconds (milliseconds). */
function longestPromise(observations: readonly Observation[]): number {
  return observations.reduce((longest, { retryAfterMs = 0 }) => Math.max(longest, retryAfterMs - 1000), 0)
}

/** What the first burst says about any limiter: how many it admits at most, and how quickly it was asked. */
interface Burst {
  /** Requests that may have counted, and of these those that are not sure to have. */
  readonly requests: number
  readonly unknown: number
  readonly leastSpacing: number
}

function firstBurst(observations: readonly Observation[]): Burst {
  const end = observations.findIndex(({ outcome }) => outcome === 'throttled')
  const asked = observations.slice(0, end === -1 ? undefined : end)
  const first = asked.find(({ outcome }) => outcome === 'admitted')
  const lasted = (observations[end]?.sentAt ?? 0) - (first?.sentAt ?? 0)
  return {
    requests: asked.length,
    unknown: asked.filter(({ outcome }) => outcome === 'unknown').length,
    leastSpacing: asked.length === 0 ? 0 : lasted / asked.length / HIGHEST_RATE,
  }
}

function everyCandidate(observations: readonly Observation[], leastWindow: number): Candidate[] {
  const { requests, unknown, leastSpacing } = firstBurst(observations)
  return MODELS.flatMap((model) => {
    const least = Math.max(1, model.leastCapacity(requests - unknown))
    return Array.from({ length: Math.max(0, requests - least + 1) }, (_, index) => ({
      model,
      fit: model.fit(requests - index, Math.max(leastSpacing, leastWindow / (requests - index + 1))),
      missed: 0,
    }))
  })
}

/** How many observations a model explains at best. */
export function explainedBy(
  model: Model,
  capacity: number,
  observations: readonly Observation[],
  leastWindow: number,
): number {
  const fit = model.fit(
    capacity,
    Math.max(firstBurst(observations).leastSpacing, leastWindow / (capacity + 1)),
  )
  const all = readings(observations)
  return all.length - all.reduce((missed, reading) => missed + misses(fit, reading), 0)
}
