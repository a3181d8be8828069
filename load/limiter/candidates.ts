import { MODELS } from './models/all.ts'
import type { Fit, Model } from './models/model.ts'
import { type Observation, type Reading, readings } from './observation.ts'

export interface Candidate {
  readonly model: Model
  readonly fit: Fit
}

/** The models, each with each capacity, that explain everything observed so far. */
export class Candidates {
  #alive: Candidate[] = []
  #read = 0

  get alive(): readonly Candidate[] {
    return this.#alive
  }

  /** Takes in what came since the last time, the first 429 included. @returns whether any candidate is left */
  update(observations: readonly Observation[]): boolean {
    if (this.#read === 0) this.#alive = everyCandidate(observations)
    const all = readings(observations)
    this.#alive = this.#alive.filter(({ fit }) =>
      all.slice(this.#read).every((reading) => fit.observe(reading)),
    )
    this.#read = all.length
    return this.#alive.length > 0
  }
}

/**
 * A capacity is at most what was admitted before the first 429. A burst more than four times as long as the capacity
 * was asked at nearly the limiter's own rate, and such limiters are left out.
 */
function everyCandidate(observations: readonly Observation[]): Candidate[] {
  const burst = burstLength(observations)
  const least = Math.max(1, Math.floor(burst / 4))
  const capacities = Array.from({ length: burst - least + 1 }, (_, index) => burst - index)
  return MODELS.flatMap((model) => capacities.map((capacity) => ({ model, fit: model.fit(capacity) })))
}

export function burstLength(observations: readonly Observation[]): number {
  const first = observations.findIndex(({ outcome }) => outcome === 'throttled')
  return first === -1 ? observations.length : first
}

/**
 * How many observations a model explains at best. One that contradicts all before it is set aside as if its outcome
 * were unknown, which favours the model.
 */
export function explainedBy(model: Model, capacity: number, observations: readonly Observation[]): number {
  const fit = model.fit(capacity)
  let explained = 0
  for (const reading of readings(observations)) {
    if (fit.observe(reading)) explained += 1
    else fit.observe(asUnknown(reading))
  }
  return explained
}

const asUnknown = (reading: Reading): Reading => ({
  ...reading,
  outcome: 'unknown',
  untilThrottled: Number.POSITIVE_INFINITY,
})
