import type { Identified, NotIdentified } from '../conclusion.ts'
import type { DataPoint } from '../data-points.ts'
import type { BudgetedExperiment } from '../experiment.ts'
import { hasRoundTime, hull, type Interval, isRoundRate } from '../interval.ts'
import { limiterKinds } from '../models/kinds.ts'
import { notIdentified } from '../not-identified.ts'
import { chooseTrial } from '../trials.ts'
import { type KindScore, Population, type Scored } from './population.ts'

// Other traffic: requests of other clients that count towards the same limit (on the same key). It may cause a
// refusal that the probe's own requests do not explain. A data point is one request of the probe and its outcome.

/** Largest number of trials: requests whose outcome rules out some of the possible limiters (`trials.ts`). */
const maxTrials = 20

/** Smallest number of trials before a conclusion. After fewer, other traffic may explain all refusals. */
const minTrials = 3

/**
 * A kind of limiter, such as a token bucket, is identified if the score (a logarithm) of every other kind is lower by
 * this margin: 8,000 times less likely.
 */
const margin = 9
/** Increase of the margin with each data point, since the likelihoods are only estimated. */
const marginPerDataPoint = 1 / 30

/** Number of further searches for a likelier limiter before a conclusion. */
const furtherSearches = 2

/** The intervals include limiters whose score is at most this margin below the best score. */
const intervalMargin = 4

/** Other traffic uses at most this share of the rate of an identified limiter: more would hide the limiter. */
const maxOthers = 1 / 3

/** After this many trials, the search continues only while the best limiter is within the next two bounds. */
const maxImplausibleTrials = 8
/** Largest number of data points that it does not explain. */
const maxUnexplained = 2
/** Largest share of its rate that other traffic uses. */
const implausibleOthers = 0.6

/** Other traffic uses at least this share of the rate, if no limiter without other traffic explains all responses. */
const minOthersIfContradicted = 0.04

/**
 * Continues an experiment that has not identified a limiter yet, and assumes other traffic.
 * @param isContradicted whether no limiter without other traffic explains all responses
 */
export async function identifyWithOtherTraffic(
  experiment: BudgetedExperiment,
  isContradicted: boolean,
): Promise<Identified | NotIdentified> {
  const population = new Population(experiment.epochOffset)
  const minOthers = isContradicted ? minOthersIfContradicted : 0
  for (let trials = 0; trials < maxTrials; trials += 1) {
    // `kept`: all data points since the limiter was fresh.
    population.update(experiment.record.kept)
    if (
      trials >= minTrials &&
      staysClear(population, experiment.record.kept, minOthers) &&
      isRoundLimit(population.kinds)
    )
      return identifiedByLikelihood(experiment, population.kinds)
    if (experiment.isOver || (trials >= maxImplausibleTrials && !isPossible(population.kinds))) break
    // `false`: Retry-After only changes likelihoods here. It does not rule out a limiter.
    const trial = chooseTrial(
      population.hypotheses,
      experiment.constraints(),
      experiment.record.trials,
      false,
    )
    if (trial === undefined) break
    await experiment.sendTrialOrEnd(trial)
  }
  const { kinds } = population
  const possible = kinds.filter(
    ({ best }) => marginTo(kinds, best) <= marginNeeded(experiment.record.kept.length),
  )
  return notIdentified(
    experiment,
    experiment.isOver ? 'other-traffic' : 'unknown',
    possible.map((kind) => ({ kind: kind.kind, ...intervalsOf(kind) })),
  )
}

/** Difference between the scores (logarithms) of the best limiter and another. */
function marginTo([first]: readonly KindScore[], { score }: Scored): number {
  return (first?.best.score ?? Number.NEGATIVE_INFINITY) - score
}

/**
 * Whether one kind is clearly the likeliest, even after further searches and with more precise likelihoods. These
 * searches update the population.
 */
function staysClear(population: Population, dataPoints: readonly DataPoint[], minOthers: number): boolean {
  for (let search = 0; search < furtherSearches; search += 1) {
    if (!isClear(population.kinds, dataPoints.length, minOthers)) return false
    population.update(dataPoints)
    population.reconsider(dataPoints)
  }
  return isClear(population.kinds, dataPoints.length, minOthers)
}

const marginNeeded = (dataPoints: number) => margin + marginPerDataPoint * dataPoints

function isClear(kinds: readonly KindScore[], dataPoints: number, minOthers: number): boolean {
  const [first, second] = kinds
  if (first === undefined || second === undefined) return false
  const { limiter, unexplained } = first.best.followed
  const isPlausible = limiter.others >= minOthers && limiter.others <= maxOthers && unexplained === 0
  return isPlausible && marginTo(kinds, second.best) > marginNeeded(dataPoints)
}

/**
 * Whether the best limiter has a window or rate that people configure. With odd values, it is mostly a wrong kind
 * that happens to explain the responses.
 */
function isRoundLimit(kinds: readonly KindScore[]): boolean {
  const [first] = kinds
  if (first === undefined) return false
  const { window, rate } = intervalsOf(first)
  const isRoundTime = hasRoundTime({ low: window.low - 1, high: window.high + 1 })
  return isRoundTime || (!limiterKinds[first.kind].hasWindow && isRoundRate(rate))
}

/** Whether further trials may still make the best limiter plausible enough to be identified. */
function isPossible([first]: readonly KindScore[]): boolean {
  if (first === undefined) return false
  const { limiter, unexplained } = first.best.followed
  return limiter.others <= implausibleOthers && unexplained <= maxUnexplained
}

/** The ranges of values of the limiters of one kind that are about as likely as the best of them. */
function intervalsOf({ best, all }: KindScore): { capacity: Interval; window: Interval; rate: Interval } {
  const likely = all
    .filter(({ score }) => score >= best.score - intervalMargin)
    .map(({ followed }) => followed)
  const rangeOf = (value: (followed: Scored['followed']) => number) =>
    hull(likely.map((followed) => ({ low: value(followed), high: value(followed) })))
  return {
    capacity: rangeOf(({ limiter }) => limiter.parameters.capacity),
    window: rangeOf(({ window }) => window),
    rate: rangeOf(({ limiter, window }) => (limiter.parameters.capacity * 1000) / window),
  }
}

function identifiedByLikelihood(experiment: BudgetedExperiment, kinds: readonly KindScore[]): Identified {
  const [first, second] = kinds as [KindScore, KindScore]
  const { limiter, window: bestWindow, unexplained } = first.best.followed
  const { capacity, window, rate } = intervalsOf(first)
  const total = experiment.record.kept.length
  const size = limiter.parameters.capacity
  const perSecond = (size * 1000) / bestWindow
  const times = Math.min(1e6, 10 ** Math.floor(marginTo(kinds, second.best) / Math.LN10))
  return {
    result: 'identified',
    kind: first.kind,
    capacity: size,
    capacityInterval: capacity,
    rate: perSecond,
    rateInterval: rate,
    ...(limiterKinds[first.kind].hasWindow && { windowMs: bestWindow, windowInterval: window }),
    otherTraffic: { share: limiter.others, perSecond: limiter.others * perSecond },
    proof: {
      observations: total,
      explained: total - unexplained,
      nextBest: { kind: second.kind, explained: total - second.best.followed.unexplained },
      sentence: `This model explains the responses only if other clients use the same limit, too; the next best model, a ${limiterKinds[second.kind].text}, is at least ${times.toLocaleString('en')} times less likely.`,
    },
    notes: [
      `Other traffic on the key seems to use about ${limiter.others.toFixed(limiter.others < 0.095 ? 2 : 1)} of the rate. Several smaller limits of one size, for example per client and per address, would look the same.`,
    ],
    ...experiment.cost,
  }
}
