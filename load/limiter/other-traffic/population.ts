import { seeded } from '../../seeded.ts'
import type { DataPoint } from '../data-points.ts'
import { type Hypothesis, normalized } from '../hypotheses.ts'
import { roundCounts, roundTimesMs } from '../interval.ts'
import { limiterModels } from '../models/index.ts'
import { type Kind, limiterKinds } from '../models/kinds.ts'
import type { Model } from '../models/model.ts'
import { type LimiterWithOtherTraffic, ParticleFilter } from './particle-filter.ts'
import { Proposals, suggestionsOf } from './proposals.ts'

/** Number of limiters of each model that are followed. */
const maxKept = 12

/** Largest number of limiters of each model that one search adds. */
const maxAdded = 4

/** Paths of a limiter that is followed, of one that is only compared with others, and of the best before a conclusion. */
const pathsOfNew = 32
const fewPaths = 8
const manyPaths = 96

/** A limiter that counts the previous window needs more paths, by this factor: other requests matter longer. */
const previousWindowFactor = 4

/** Number of limiters of a model whose likelihood is estimated again before a conclusion. */
const maxReconsidered = 2

/** New limiters of each model that are compared with the data points: this many replayed requests, within bounds. */
const replayedRequests = 4000
const minProposals = 12
const maxProposals = 100

/** Models whose best limiter is less likely than the best limiter of all by this factor (as a logarithm) are dropped. */
const hopeless = 60

/** The first search of a model compares more new limiters, by this factor. */
const firstFactor = 5

/** Share of proposals that are similar to a limiter that is followed. */
const similarShare = 0.75

/** A limiter with the logarithm of its posterior probability, up to a constant. */
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

/** Limiters of all models, on a key with other traffic, that explain the data points best. */
export class Population {
  readonly #random = seeded(1)
  readonly #proposals: Proposals
  #kept = new Map<Model, readonly Scored[]>()

  /** @param epochOffset clock time minus the time of the data points */
  constructor(epochOffset: number) {
    this.#proposals = new Proposals(this.#random, epochOffset)
  }

  /** Reads new data points, and searches for limiters that explain all of them better. */
  update(dataPoints: readonly DataPoint[]): void {
    const suggestions = suggestionsOf(dataPoints)
    const fair = Math.round(replayedRequests / dataPoints.length)
    const proposals = Math.min(maxProposals, Math.max(minProposals, fair))
    const top = this.#top
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
      const before = kept.map(({ followed }) => scored(followed)).sort(byScore)
      const least = before[maxKept - 1]?.score
      const compared = this.#best(proposed, fewPaths, dataPoints, least)
      const limiters = compared.map(({ followed }) => followed.limiter)
      const added = this.#best(limiters, pathsOfNew, dataPoints, least)
      this.#kept.set(model, [...before, ...added].sort(byScore).slice(0, maxKept))
    }
  }

  /** Estimates the likelihood of the best limiters of the two best kinds again, with many paths. */
  reconsider(dataPoints: readonly DataPoint[]): void {
    for (const { best } of this.kinds.slice(0, 2)) {
      const { model } = best.followed.limiter
      const kept = this.#kept.get(model) ?? []
      const limiters = kept.slice(0, maxReconsidered).map(({ followed }) => followed.limiter)
      this.#kept.set(model, this.#best(limiters, manyPaths, dataPoints))
    }
  }

  /** The limiters that explain the data points best. @param least the score that they must exceed */
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

  /** The best score of all models. */
  get #top(): number {
    return Math.max(...[...this.#kept.values()].map(([best]) => best?.score ?? Number.NEGATIVE_INFINITY))
  }

  /** Hypotheses for the choice of the next trial. */
  get hypotheses(): Hypothesis[] {
    const top = this.#top
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

/** Hypotheses of each model, and the data points that each must fail to explain before it is ruled out. */
const maxHypotheses = 6
const tolerance = 3

/** A probability that is less extreme than the score, which is estimated from few paths. */
function tempered(score: number, temperature: number): number {
  return Math.exp(Math.max(-12, score / temperature))
}

const byScore = (one: Scored, other: Scored) => other.score - one.score

/** Terms of the negative logarithm of the prior: people configure round values, and other traffic is mostly little. */
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
