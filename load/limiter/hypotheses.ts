import { type Candidate, surplusToRuleOut } from './candidates.ts'
import { type DataPoint, retryAfterStepMs } from './data-points.ts'
import { roundTimesMs } from './interval.ts'
import { type Kind, windowOf } from './models/kinds.ts'
import type { LimiterParameters, Simulation } from './models/model.ts'

/** A possible limiter, in its state after the data points, that is, after all requests and outcomes so far. */
export interface Hypothesis {
  readonly kind: Kind
  readonly parameters: LimiterParameters
  /** Time in which the used-up limiter becomes fresh again, in milliseconds. */
  readonly window: number
  readonly state: Simulation
  /** Probability that this hypothesis is right. */
  readonly weight: number
  /**
   * Weight as a rival: a wrong hypothesis that a trial (the next requests of the probe) should rule out. All hypotheses
   * of one model, such as a token bucket, together weigh at most 1. So a model with many hypotheses weighs no more.
   */
  readonly rivalWeight: number
  /** The hypothesis is ruled out if it does not explain this many further data points. */
  readonly tolerance: number
}

/**
 * Largest number of likely hypotheses of each model, so that the choice of a trial takes only milliseconds. Likely
 * ones agree with most values of Retry-After. There are up to half as many unlikely ones.
 */
const maxPerModel = 8

/** Each data point that a hypothesis does not explain multiplies its weight by this factor. */
const unexplainedWeight = 0.1

/**
 * Some of the limiters that the candidates permit. A candidate is a model with one capacity. Its `fit` contains the
 * windows or rates that explain the data points, and yields samples of them.
 * @param doubt weight of a limiter that contradicts every Retry-After. A limiter that contradicts none weighs
 * `1 + doubt`.
 */
export function hypotheses(
  candidates: readonly Candidate[],
  dataPoints: readonly DataPoint[],
  doubt: number,
): Hypothesis[] {
  const suggested = suggestedBy(dataPoints)
  const fewestUnexplained = Math.min(...candidates.map(({ unexplained }) => unexplained))
  const all = [...Map.groupBy(candidates, ({ model }) => model)].flatMap(([model, group]) => {
    const samples = evenly(group, 5).flatMap(({ fit, unexplained }) =>
      evenly(fit.samples(suggested), 3 * maxPerModel).map((parameters) => ({ parameters, unexplained })),
    )
    const replayed = evenly(samples, 6 * maxPerModel).map(({ parameters, unexplained }) => {
      const state = model.simulate(parameters)
      const weight = replay(state, dataPoints) ** 2 + doubt
      const window = windowOf(model.kind, parameters.capacity, parameters.period)
      const tolerance = surplusToRuleOut - (unexplained - fewestUnexplained)
      return { kind: model.kind, parameters, window, state, weight, tolerance }
    })
    const { likely = [], unlikely = [] } = Object.groupBy(replayed, ({ weight }) =>
      weight > 0.5 + doubt ? 'likely' : 'unlikely',
    )
    const chosen = [...evenly(likely, maxPerModel), ...evenly(unlikely, maxPerModel / 2)]
    return chosen.map((one) => ({ ...one, rivalWeight: 1 / chosen.length }))
  })
  return normalized(
    all.map((one) => ({
      ...one,
      weight: one.weight * unexplainedWeight ** (surplusToRuleOut - one.tolerance),
    })),
  )
}

/** The same hypotheses with weights that add up to one; `rivalWeight` does not change. */
export function normalized(weighted: readonly Hypothesis[]): Hypothesis[] {
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  return weighted.map((one) => ({ ...one, weight: one.weight / total }))
}

/** A request starts a new burst if the gap before it is longer than this many times the duration of the request. */
const gapRequests = 5

/**
 * The windows and ends of windows that Retry-After suggests, and round windows near these windows. For example, if a
 * burst starts at 0 s and Retry-After ends at 10.2 s, it suggests windows of 9.7 s (before rounding up) and 10 s.
 */
function suggestedBy(dataPoints: readonly DataPoint[]) {
  const starts: number[] = []
  const ends: number[] = []
  for (const [index, { sentAt, endedAt, outcome, retryAfterMs }] of dataPoints.entries()) {
    const before = dataPoints[index - 1]
    const isAfterGap = before === undefined || sentAt - before.endedAt > gapRequests * (endedAt - sentAt)
    if (isAfterGap || before.outcome === 'throttled') starts.push(sentAt)
    if (outcome === 'throttled' && retryAfterMs !== undefined)
      ends.push(endedAt + retryAfterMs - retryAfterStepMs / 2)
  }
  const last = ends.at(-1)
  if (last === undefined) return { windows: [], ends: [] }
  const windows = [...ends.slice(-3, -1), ...starts.slice(-3), ...starts.slice(0, 1)].map(
    (time) => last - time,
  )
  const round = roundTimesMs.filter((time) =>
    windows.some((window) => Math.abs(window - time) <= retryAfterStepMs + time * 0.03),
  )
  return { windows: [...windows, ...round].filter((window) => window > 0), ends: ends.slice(-2) }
}

/**
 * Advances a limiter to its state after the data points.
 * @returns the share of Retry-After values that are correct for this limiter; 1 without Retry-After
 */
function replay(state: Simulation, dataPoints: readonly DataPoint[]): number {
  let correct = 0
  let total = 0
  for (const { sentAt, endedAt, outcome, retryAfterMs } of dataPoints) {
    const at = (sentAt + endedAt) / 2
    if (retryAfterMs !== undefined) {
      const wait = state.nextAdmission(at) - at
      const slack = endedAt - sentAt
      total += 1
      if (wait <= retryAfterMs + slack && wait >= retryAfterMs - retryAfterStepMs - slack) correct += 1
    }
    state.record(at, outcome === 'admitted')
  }
  return total === 0 ? 1 : correct / total
}

/** At most `max` of the values, evenly spread over the list. */
export function evenly<Value>(values: readonly Value[], max: number): Value[] {
  if (values.length <= max) return [...values]
  return Array.from(
    { length: max },
    (_, index) => values[Math.round((index * (values.length - 1)) / (max - 1))] as Value,
  )
}
