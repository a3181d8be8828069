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
 * Share of the rate of the first burst that a limiter's own rate may be at most: nearer to it, jitter alone decides
 * what is refused.
 */
const HIGHEST_RATE = 0.8

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
  const lasted = (observations[end]?.sentAt ?? 0) - (asked[0]?.sentAt ?? 0)
  return {
    requests: asked.length,
    unknown: asked.filter(({ outcome }) => outcome === 'unknown').length,
    leastSpacing: asked.length === 0 ? 0 : lasted / asked.length / HIGHEST_RATE,
  }
}

function everyCandidate(observations: readonly Observation[]): Candidate[] {
  const { requests, unknown, leastSpacing } = firstBurst(observations)
  return MODELS.flatMap((model) => {
    const least = Math.max(1, model.leastCapacity(requests - unknown))
    return Array.from({ length: Math.max(0, requests - least + 1) }, (_, index) => ({
      model,
      fit: model.fit(requests - index, leastSpacing),
    }))
  })
}

/**
 * How many observations a model explains at best. One that contradicts all before it is set aside as if its outcome
 * were unknown, which favours the model.
 */
export function explainedBy(model: Model, capacity: number, observations: readonly Observation[]): number {
  const fit = model.fit(capacity, firstBurst(observations).leastSpacing)
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
