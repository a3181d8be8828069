import { seeded } from '../../seeded.ts'
import type { DataPoint } from '../data-points.ts'
import { type Hypothesis, normalized } from '../hypotheses.ts'
import { roundCounts, roundTimesMs } from '../interval.ts'
import { limiterModels } from '../models/index.ts'
import { type Kind, limiterKinds } from '../models/kinds.ts'
import type { Model } from '../models/model.ts'
import { type LimiterWithOtherTraffic, ParticleFilter } from './particle-filter.ts'
import { Proposals, suggestionsOf } from './proposals.ts'

/**
 * Largest number of limiters of each model, such as a token bucket, that are followed: each new data point (a request
 * and its outcome) updates their likelihood.
 */
const maxKept = 12

/** Largest number of limiters of each model that one search adds. */
const maxAdded = 4

/** Number of paths (simulated pasts of a limiter, see `particle-filter.ts`) of a limiter that is followed. */
const pathsIfFollowed = 32
/** Number of paths of a proposed limiter, for a first comparison. */
const pathsIfProposed = 8
/** Number of paths of the best limiters before a conclusion, for a more precise likelihood. */
const pathsIfReconsidered = 96

/**
 * A limiter that also counts the previous window has this many times as many paths, because requests of other clients
 * matter longer.
 */
const previousWindowFactor = 4

/** Number of limiters of a model whose likelihood is estimated again before a conclusion. */
const maxReconsidered = 2

/** Approximate number of requests that a search replays for each model: 40 limiters with 100 data points each. */
const replayedRequests = 4000
const minProposals = 12
const maxProposals = 100

/** A model is not searched if the score of its best limiter is lower than the best score by this difference. */
const hopeless = 60

/** The first search of a model proposes this many times as many limiters as later searches. */
const firstFactor = 5

/** Share of proposals that are similar to a limiter that is followed. The other proposals are independent. */
const similarShare = 0.75

/** A limiter and its score: the logarithm of its posterior probability, up to a constant. */
export interface Scored {
  readonly followed: ParticleFilter
  readonly score: number
}

/** The limiters of one kind, best first. */
export interface KindScore {
  readonly kind: Kind
  readonly best: Scored
  readonly all: readonly Scored[]
}

/** The limiters of all models that best explain the data points, if other clients use the same limit. */
export class Population {
  readonly #random = seeded(1)
  readonly #proposals: Proposals
  #kept = new Map<Model, readonly Scored[]>()

  /** @param epochOffset epoch milliseconds minus the times of data points */
  constructor(epochOffset: number) {
    this.#proposals = new Proposals(this.#random, epochOffset)
  }

  /** Reads new data points, and searches for limiters that explain all of them better. */
  update(dataPoints: readonly DataPoint[]): void {
    const suggestions = suggestionsOf(dataPoints)
    const affordable = Math.round(replayedRequests / dataPoints.length)
    const proposals = Math.min(maxProposals, Math.max(minProposals, affordable))
    const top = this.#topScore
    for (const model of limiterModels) {
      const kept = this.#kept.get(model) ?? []
      const [best] = kept
      if (best !== undefined && best.score < top - hopeless) continue
      const count = kept.length === 0 ? firstFactor * proposals : proposals
      const proposed = Array.from({ length: count }, () => {
        // Better limiters are chosen more often.
        const { limiter } = kept[Math.floor(this.#random() ** 2 * kept.length)]?.followed ?? {}
        if (limiter === undefined || this.#random() > similarShare)
          return this.#proposals.any(model, suggestions)
        return this.#proposals.similar(limiter, suggestions)
      })
      for (const { followed } of kept) followed.read(dataPoints)
      // The likelihoods have changed, so the order may have changed.
      const before = kept.map(({ followed }) => scored(followed)).sort(byScore)
      const least = before[maxKept - 1]?.score
      // Many proposals are compared with few paths, and the best of these again with more paths.
      const compared = this.#best(proposed, pathsIfProposed, dataPoints, least)
      const limiters = compared.map(({ followed }) => followed.limiter)
      const added = this.#best(limiters, pathsIfFollowed, dataPoints, least)
      this.#kept.set(model, [...before, ...added].sort(byScore).slice(0, maxKept))
    }
  }

  /**
   * Estimates the likelihood of the best limiters of the two best kinds again, with many paths. Drops the other
   * limiters of the same models.
   */
  reconsider(dataPoints: readonly DataPoint[]): void {
    for (const { best } of this.kinds.slice(0, 2)) {
      const { model } = best.followed.limiter
      const kept = this.#kept.get(model) ?? []
      const limiters = kept.slice(0, maxReconsidered).map(({ followed }) => followed.limiter)
      this.#kept.set(model, this.#best(limiters, pathsIfReconsidered, dataPoints))
    }
  }

  /** The limiters that explain the data points best. @param least their score must exceed this score */
  #best(
    limiters: readonly LimiterWithOtherTraffic[],
    paths: number,
    dataPoints: readonly DataPoint[],
    least = Number.NEGATIVE_INFINITY,
  ): Scored[] {
    let best: Scored[] = []
    for (const limiter of limiters) {
      const { countsPreviousWindow } = limiterKinds[limiter.model.kind]
      const factor = countsPreviousWindow ? previousWindowFactor : 1
      const followed = new ParticleFilter(limiter, factor * paths, this.#random)
      const exceed = Math.max(least, best[maxAdded - 1]?.score ?? least)
      followed.read(dataPoints, exceed + negativeLogPrior(followed))
      const one = scored(followed)
      if (one.score > exceed) best = [...best, one].sort(byScore).slice(0, maxAdded)
    }
    return best
  }

  /** The kinds, best first. */
  get kinds(): readonly KindScore[] {
    const all = [...this.#kept.values()].flat().sort(byScore)
    return [...Map.groupBy(all, ({ followed }) => followed.limiter.model.kind)].map(([kind, group]) => ({
      kind,
      best: group[0] as Scored,
      all: group,
    }))
  }

  get #topScore(): number {
    return Math.max(...[...this.#kept.values()].map(([best]) => best?.score ?? Number.NEGATIVE_INFINITY))
  }

  /** Possible limiters between which the next trial (the next requests of the probe) should decide. */
  get hypotheses(): Hypothesis[] {
    const top = this.#topScore
    const chosen = [...this.#kept.values()].flatMap((kept) => {
      const few = kept.slice(0, maxHypotheses)
      return few.map(({ followed, score }) => ({
        kind: followed.limiter.model.kind,
        parameters: followed.limiter.parameters,
        window: followed.window,
        state: followed.state,
        weight: tempered(score - top, 3),
        rivalWeight: tempered(score - top, 6) / few.length,
        tolerance,
      }))
    })
    return normalized(chosen)
  }
}

/** Largest number of hypotheses of each model. */
const maxHypotheses = 6
/** Number of further unexplained data points that rules out a hypothesis. */
const tolerance = 3

/**
 * A weight that differs less between limiters than their probabilities, since few paths yield only rough scores.
 * @param score logarithm of the probability, relative to the best limiter
 * @param temperature the higher, the smaller the differences
 */
function tempered(score: number, temperature: number): number {
  return Math.exp(Math.max(-12, score / temperature))
}

const byScore = (one: Scored, other: Scored) => other.score - one.score

/** Terms of the negative logarithm of the prior probability: round values and little other traffic are likelier. */
const oddWindowPenalty = 1.5
const oddCapacityPenalty = 1
const gridStartPenalty = 2
const otherTrafficPenalty = 7

function scored(followed: ParticleFilter): Scored {
  return { followed, score: followed.logLikelihood - negativeLogPrior(followed) }
}

/** Negative logarithm of the prior probability of a limiter, up to a constant. */
function negativeLogPrior({ limiter: { parameters, others }, window }: ParticleFilter): number {
  const isRound = roundTimesMs.some((time) => Math.abs(time - window) < 1)
  return (
    (isRound ? 0 : oddWindowPenalty) +
    (roundCounts.includes(parameters.capacity) ? 0 : oddCapacityPenalty) +
    (parameters.start === undefined ? 0 : gridStartPenalty) +
    otherTrafficPenalty * others
  )
}
