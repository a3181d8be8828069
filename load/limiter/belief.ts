import { type Candidate, CLEARLY } from './candidates.ts'
import { evenly } from './few.ts'
import type { Kind, Values } from './models/model.ts'
import type { Observation } from './observation.ts'
import type { Possibility } from './possibility.ts'
import { replay, suggestedBy } from './promises.ts'
import type { Interval } from './region.ts'

/** What the candidates that are left say about one kind. */
export interface Belief {
  readonly kind: Kind
  readonly candidates: readonly Candidate[]
  readonly capacity: Interval
  /** The window, or of a bucket the time between two tokens, in milliseconds. */
  readonly period: Interval
  /** Requests per second. */
  readonly rate: Interval
}

/** Requests per second of a kind with these values. */
export function rateOf(kind: Kind, { capacity, period }: Pick<Values, 'capacity' | 'period'>): number {
  return (kind === 'token-bucket' ? 1000 : capacity * 1000) / period
}

/** The longest time in which a limiter of the kind gives back all it has (milliseconds). */
export function windowOf({ kind, capacity, period }: Belief): number {
  return kind === 'token-bucket' ? capacity.high * period.high : period.high
}

export function beliefs(alive: readonly Candidate[]): Belief[] {
  const kinds = Map.groupBy(alive, ({ model }) => model.kind)
  return [...kinds].map(([kind, candidates]) => {
    const capacities = candidates.map(({ fit }) => fit.capacity)
    const periods = candidates.map(({ fit }) => fit.periods())
    const rates = candidates.map(({ fit }) => {
      const { low, high } = fit.periods()
      const rate = (period: number) => rateOf(kind, { capacity: fit.capacity, period })
      return { low: rate(high), high: rate(low) }
    })
    return {
      kind,
      candidates,
      capacity: { low: Math.min(...capacities), high: Math.max(...capacities) },
      period: hull(periods),
      rate: hull(rates),
    }
  })
}

function hull(intervals: readonly Interval[]): Interval {
  return {
    low: Math.min(...intervals.map(({ low }) => low)),
    high: Math.max(...intervals.map(({ high }) => high)),
  }
}

/** Possibilities to plan with: of each model at most this many, so that a plan takes milliseconds to choose. */
const EACH_MODEL = 8

/** What is left of the weight of a limiter for each observation that it does not explain. */
const MISSED = 0.1

/**
 * A few limiters for each model that is left, each brought into its state by what was observed.
 * @param lies how much a limiter counts for whose Retry-After would be a lie, against one that keeps its word
 */
export function possibilities(
  alive: readonly Candidate[],
  observations: readonly Observation[],
  lies: number,
): Possibility[] {
  const suggested = suggestedBy(observations)
  const least = alive.reduce((fewest, { missed }) => Math.min(fewest, missed), Number.POSITIVE_INFINITY)
  const all = [...Map.groupBy(alive, ({ model }) => model)].flatMap(([model, candidates]) => {
    const samples = evenly(
      evenly(candidates, 5).flatMap(({ fit, missed }) =>
        evenly(fit.samples(suggested), 3 * EACH_MODEL).map((values) => ({ values, missed })),
      ),
      6 * EACH_MODEL,
    ).map(({ values, missed }) => {
      const state = model.simulate(values)
      const kept = replay(state, observations)
      return { kind: model.kind, values, state, weight: kept ** 2 + lies, spare: CLEARLY - (missed - least) }
    })
    const likely = samples.filter(({ weight }) => weight > 0.5 + lies)
    const rest = samples.filter(({ weight }) => weight <= 0.5 + lies)
    const chosen = [...evenly(likely, EACH_MODEL), ...evenly(rest, EACH_MODEL / 2)]
    return chosen.map((one) => ({ ...one, rivalWeight: 1 / chosen.length }))
  })
  const weighed = all.map((one) => ({ ...one, weight: one.weight * MISSED ** (CLEARLY - one.spare) }))
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0)
  return weighed.map((one) => ({ ...one, weight: one.weight / total }))
}
