import { surplusToRuleOut } from './candidates.ts'
import { retryAfterStepMs } from './data-points.ts'
import type { Constraints, Trial } from './experiment.ts'
import { evenly, type Hypothesis } from './hypotheses.ts'
import type { Simulation } from './models/model.ts'
import { medianOf } from './times.ts'

/** A trial (`lead` requests, a pause, and a burst that ends with the first 429) whose burst has no size yet. */
interface TrialSchedule extends Omit<Trial, 'burst'> {
  /** The name that similar trials share, such as `soon, many`: each chosen trial reduces the value of the others. */
  readonly family: string
}

/** Factor for the value of a trial with each earlier trial of its family, so that different trials come first. */
const repeatedValue = 0.5

/** Fixed cost of a trial in addition to its requests and time, as a multiple of the cost of the rest (`costLeft`). */
const trialCost = 1
/** The rest of the experiment is estimated to cost this many full bursts, and to last this many windows. */
const burstsLeft = 3

/**
 * The trial that is expected to rule out the most rivals for its cost in requests and time. A hypothesis is a limiter
 * with exact values, which is true with the probability `weight`. If another is true, it is a rival, and counts with
 * `rivalWeight`. For example, 30 requests at 0 s have used up the limiter: a fixed window of 10 s or a token bucket
 * of 3 requests/s. A burst at 5 s rules out one of them: the window would admit no request, the bucket 15.
 * @param done number of trials chosen so far, by family; this function adds its choice
 * @returns undefined if no trial would rule out a hypothesis
 */
export function chooseTrial(
  hypotheses: readonly Hypothesis[],
  constraints: Constraints,
  done: Map<string, number>,
  trustsRetryAfter: boolean,
): ChosenTrial | undefined {
  const all = schedules(hypotheses, constraints)
  const choice = { hypotheses, pairs: rivalsOf(hypotheses), constraints, done, trustsRetryAfter }
  const timely = all.filter(({ burstAt }) => burstAt < constraints.endsAt)
  const affordable = mostValuable(timely, choice, constraints.requestsLeft)
  // If no trial is affordable, `burstAt` of the best trial at any cost shows how much more time is needed.
  const best = affordable ?? mostValuable(all, choice, Number.POSITIVE_INFINITY)
  if (best === undefined) return undefined
  done.set(best.family, (done.get(best.family) ?? 0) + 1)
  return { ...best, isAffordable: affordable !== undefined }
}

interface ChosenTrial extends Trial, TrialSchedule {
  /** Whether the remaining budget is sufficient for the trial to rule out a hypothesis. */
  readonly isAffordable: boolean
}

interface Choice {
  readonly hypotheses: readonly Hypothesis[]
  readonly pairs: readonly Pair[]
  readonly constraints: Constraints
  readonly done: ReadonlyMap<string, number>
  readonly trustsRetryAfter: boolean
}

function mostValuable(
  compared: readonly TrialSchedule[],
  { hypotheses, pairs, constraints, done, trustsRetryAfter }: Choice,
  maxRequests: number,
): (Trial & TrialSchedule) | undefined {
  const { earliest, serviceMs, requestsLeft, msLeft } = constraints
  const totalWeight = pairs.reduce((sum, { weight }) => sum + weight, 0)
  const maxBurst = Math.max(...hypotheses.map(({ parameters }) => parameters.capacity)) + 2
  const medianWindow = medianOf(hypotheses.map(({ window }) => window)) ?? 0
  const costLeft = burstsLeft * (maxBurst / requestsLeft + medianWindow / msLeft)
  let best: (Trial & TrialSchedule) | undefined
  let bestValue = 0
  for (const schedule of compared) {
    const predictions = hypotheses.map(({ state }) => predict(state.copy(), schedule, maxBurst, serviceMs))
    for (const burst of burstSizes(hypotheses, predictions, schedule.lead)) {
      const requests = Math.min(schedule.lead + burst, maxRequests)
      const expectedRequests = hypotheses.reduce(
        (sum, { weight }, index) =>
          sum + weight * Math.min(requests, (predictions[index]?.admitted ?? 0) + 1),
        0,
      )
      const family = `${schedule.family}, ${burst > 3 ? 'many' : burst}`
      const cost = expectedRequests / requestsLeft + (schedule.burstAt - earliest + serviceMs) / msLeft
      // The value of a trial that would rule out all rivals.
      const maxValue = repeatedValue ** (done.get(family) ?? 0) / (cost / costLeft + trialCost)
      let [ruledOut, weightLeft] = [0, totalWeight]
      for (const { truth, rival, weight, tolerance } of pairs) {
        // Stops if the best trial so far is better even if this trial rules out the rivals of all remaining pairs.
        if (((ruledOut + weightLeft) / totalWeight) * maxValue <= bestValue) break
        const [ofTruth, ofRival] = [predictions[truth] as Prediction, predictions[rival] as Prediction]
        ruledOut += weight * ruledOutBy(ofTruth, ofRival, requests, tolerance, trustsRetryAfter)
        weightLeft -= weight
      }
      const value = (ruledOut / totalWeight) * maxValue
      if (value > bestValue) [best, bestValue] = [{ ...schedule, burst, family }, value]
    }
  }
  return best
}

/** Periods (windows, or times between two tokens) that differ by a smaller share need not be distinguished. */
const samePeriod = 0.04

const isNear = (one: number, other: number) => Math.abs(Math.log(one / other)) < Math.log(1 + samePeriod)

/** Two hypotheses, by index: if `truth` is right, the trial should rule out `rival`. */
interface Pair {
  readonly truth: number
  readonly rival: number
  /** Number of unexplained data points that rule out the rival. */
  readonly tolerance: number
  readonly weight: number
}

function rivalsOf(hypotheses: readonly Hypothesis[]): Pair[] {
  const pairs: Pair[] = []
  for (const [truth, a] of hypotheses.entries()) {
    for (const [rival, b] of hypotheses.entries()) {
      const sameKind = a.kind === b.kind
      const sameCapacity = a.parameters.capacity === b.parameters.capacity
      if (sameKind && sameCapacity && isNear(a.parameters.period, b.parameters.period)) continue
      // A rival of the same kind is ruled out by one unexplained data point less.
      const tolerance = b.tolerance - (sameKind ? surplusToRuleOut - 1 : 0)
      if (tolerance <= 0) continue
      // Different kinds weigh more: once the kind is known, its parameters need few further requests.
      pairs.push({ truth, rival, tolerance, weight: a.weight * b.rivalWeight * (sameKind ? 1 : 3) })
    }
  }
  // The heaviest pairs come first, so that `mostValuable` can soon reject a trial.
  return pairs.sort((one, other) => other.weight - one.weight)
}

/** Burst sizes to compare: each is just enough to rule out one of the hypotheses. */
function burstSizes(
  hypotheses: readonly Hypothesis[],
  predictions: readonly Prediction[],
  lead: number,
): Set<number> {
  const sufficient = hypotheses.map(
    ({ tolerance }, index) => (predictions[index]?.admitted ?? 0) + tolerance - lead,
  )
  const sizes = [...new Set(sufficient.filter((size) => size > 0))].sort((one, other) => one - other)
  return new Set([1, ...evenly(sizes, 6)])
}

/** The decisions that a limiter would make in a trial; times in milliseconds. */
interface Prediction {
  /** Number of requests before the first 429. */
  readonly admitted: number
  /** When the limiter would admit a request after this 429. */
  readonly nextAdmission: number
  /** According to Retry-After, every request before this time would be refused. */
  readonly statedAt: number
  /** Latest decision on the first request after Retry-After: up to two service times later, one per request. */
  readonly latestRetry: number
  /** Number of the first `laterRequests` requests after Retry-After that the limiter would admit. */
  readonly admittedLater: number
}

/** Number of requests after Retry-After that a prediction includes, since the next trial starts with them. */
const laterRequests = 3
/** Value of a difference that only responses after Retry-After show; an earlier difference has the value 1. */
const laterValue = 0.8

/** How far a trial of at most `requests` requests rules out the rival: from 0 (not at all) to 1 (entirely). */
function ruledOutBy(
  ofTruth: Prediction,
  ofRival: Prediction,
  requests: number,
  tolerance: number,
  trustsRetryAfter: boolean,
): number {
  const admitted = Math.min(ofTruth.admitted, requests)
  const expected = Math.min(ofRival.admitted, requests)
  if (admitted !== expected) return contradiction(admitted, expected, tolerance)
  if (admitted === requests) return 0
  const expectedLater = ofRival.nextAdmission > ofTruth.latestRetry ? 0 : ofRival.admittedLater
  const later = laterValue * contradiction(ofTruth.admittedLater, expectedLater, tolerance)
  const isContradicted = trustsRetryAfter && ofRival.nextAdmission < ofTruth.statedAt
  return Math.min(1, later + (isContradicted ? 1 / tolerance : 0))
}

/**
 * How far the number of admissions rules out a rival that expects another number, from 0 to 1. Each unexpected
 * admission is one unexplained data point. An unexpected refusal ends the burst, so it is the only one.
 */
function contradiction(admitted: number, expected: number, tolerance: number): number {
  return admitted === expected ? 0 : Math.min(1, Math.max(1, admitted - expected) / tolerance)
}

function predict(state: Simulation, schedule: TrialSchedule, burst: number, serviceMs: number): Prediction {
  const { startAt, lead, burstAt } = schedule
  /** Simulates up to `max` requests until the first 429. */
  const send = (from: number, max: number) => {
    for (let [admitted, at] = [0, from]; ; admitted += 1, at += serviceMs) {
      if (admitted === max || state.nextAdmission(at) > at) return { admitted, at }
      state.record(at, true)
    }
  }
  let { admitted, at } = send(startAt + serviceMs / 2, lead)
  if (admitted === lead) {
    const ofBurst = send(Math.max(at, burstAt + serviceMs / 2), burst)
    admitted += ofBurst.admitted
    at = ofBurst.at
  }
  if (admitted === lead + burst)
    return { admitted, nextAdmission: at, statedAt: at, latestRetry: at, admittedLater: laterRequests }
  const nextAdmission = state.nextAdmission(at)
  state.record(at, false)
  const retryAt = at + Math.ceil((nextAdmission - at) / retryAfterStepMs) * retryAfterStepMs
  // Half a service time passes from the refusal to its response, and half from the next request to its decision.
  const later = send(retryAt + serviceMs, laterRequests)
  const statedAt = retryAt - retryAfterStepMs
  return {
    admitted,
    nextAdmission,
    statedAt,
    latestRetry: retryAt + 2 * serviceMs,
    admittedLater: later.admitted,
  }
}

/**
 * The schedules to compare. Some have only a burst: when requests may be admitted again, after a share of a window,
 * or near the end of a window on a grid (windows at regular times). All other schedules also have a lead and a pause.
 */
function schedules(hypotheses: readonly Hypothesis[], constraints: Constraints): TrialSchedule[] {
  const { earliest, serviceMs } = constraints
  const likely = hypotheses.toSorted((one, other) => other.weight - one.weight)
  const windows = distinct(
    likely.map(({ window }) => window),
    isNear,
    4,
  )
  const admissionTimes = distinct(
    likely.map(({ state }) => state.nextAdmission(earliest)),
    (one, other) => Math.abs(one - other) <= serviceMs,
    8,
  ).sort((one, other) => one - other)
  const between = admissionTimes.slice(1).map((time, index) => (time + (admissionTimes[index] ?? time)) / 2)
  const onlyBurst = (burstAt: number, family: string) => ({ startAt: burstAt, lead: 0, burstAt, family })
  const capacity = Math.max(...hypotheses.map(({ parameters }) => parameters.capacity))
  return [
    ...[earliest, ...between, ...admissionTimes.map((time) => time + serviceMs)].map((time) =>
      onlyBurst(time, 'soon'),
    ),
    ...windows.flatMap((window) =>
      [0.3, 0.6, 1.02, 1.5, 2.3].map((share) => onlyBurst(earliest + share * window, `after ${share}`)),
    ),
    ...gridsOf(likely).flatMap(({ start, period }) => {
      const duration = capacity * serviceMs + 0.03 * period
      const end = start + (Math.floor((earliest + duration - start) / period) + 1) * period
      return [0, 1, 3].map((count) => onlyBurst(end + count * period - duration, `end of window ${count}`))
    }),
    ...[earliest, earliest + 0.6 * (windows[0] ?? 0)].flatMap((startAt, index) =>
      leadsOf(capacity).flatMap(([lead, name]) =>
        windows.flatMap((window) =>
          [0.5, 0.85, 0.95].map((share) => ({
            startAt,
            lead,
            burstAt: startAt + share * window,
            family: `${index}, ${name}, pause ${share}`,
          })),
        ),
      ),
    ),
  ]
}

/** Possible numbers of requests before a pause, with a name for the family. */
function leadsOf(capacity: number): (readonly [requests: number, name: string])[] {
  return [
    ...new Map([
      [1, 'one'],
      [Math.ceil(capacity / 2), 'half'],
      [Math.max(1, capacity - 1), 'most'],
    ]),
  ]
}

/** The grids of the likeliest hypotheses, with windows of different lengths. */
function gridsOf(likely: readonly Hypothesis[]) {
  const grids = likely.flatMap(({ parameters: { start, period } }) =>
    start === undefined ? [] : [{ start, period }],
  )
  return distinct(grids, (one, other) => isNear(one.period, other.period), 3)
}

/** The first `max` values that differ from each other. */
function distinct<Value>(
  values: readonly Value[],
  isSame: (one: Value, other: Value) => boolean,
  max: number,
): Value[] {
  const chosen: Value[] = []
  for (const value of values) {
    if (chosen.length < max && !chosen.some((other) => isSame(value, other))) chosen.push(value)
  }
  return chosen
}
