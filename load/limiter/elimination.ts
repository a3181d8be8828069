import { counted } from '../../src/text/format.ts'
import { type Candidates, estimates, type LimiterEstimate, surplusToRuleOut } from './candidates.ts'
import { type Identified, type Proof, seconds } from './conclusion.ts'
import {
  admittedOf,
  afterRetryAfter,
  type DataPoint,
  retryAfterStepMs,
  retryAfters,
  withStated,
} from './data-points.ts'
import type { BudgetedExperiment } from './experiment.ts'
import type { ExperimentRecord, SetAside } from './experiment-record.ts'
import {
  hasRoundTime,
  type Interval,
  roundCountIn,
  roundCounts,
  roundNumberIn,
  roundTimeIn,
} from './interval.ts'
import { limiterModels } from './models/index.ts'
import { limiterKinds, variantText } from './models/kinds.ts'
import { excludesConstantWaits, isWindowConfirmed } from './window-proof.ts'

// A data point is a request with its outcome, or a refusal that Retry-After predicts. A candidate is a model (one
// kind of limiter in one variant) with one capacity. Its fit contains the periods that the data points permit: window
// lengths or, for a token bucket, times between two tokens. An estimate combines all candidates of one kind.

/** Largest permitted widths of the ranges of an estimate. For the capacity, the more generous of its two limits counts. */
interface Precision {
  /** Difference between the highest and the lowest possible rate, as a share of the lowest. */
  readonly rate: number
  /** Difference between the largest and the smallest possible capacity, as a share of the largest. */
  readonly capacityShare: number
  /** Difference between the largest and the smallest possible capacity, in requests. */
  readonly capacityRequests: number
}

/** The aim of a characterisation. For large capacities, 3 % is enough: an exact value would cost too many bursts. */
export const targetPrecision: Precision = { rate: 0.1, capacityShare: 0.03, capacityRequests: 1 }

/**
 * Enough for a conclusion: if the possible rates differ by 20 %, their middle is within about 10 % of the real rate.
 */
export const sufficientPrecision: Precision = { rate: 0.2, capacityShare: 0.03, capacityRequests: 1 }

/** Shortest window that people commonly configure, in milliseconds. */
const shortWindowMs = 1000

/** In milliseconds. A limiter whose window is shorter than this explains almost any responses, so it needs more proof. */
const adaptableWindowMs = 3000

/**
 * The estimate of the only plausible kind, if it is precise; otherwise undefined. A kind is plausible if it has a
 * candidate that is not ruled out and needs no coincidence, such as a window that ends exactly at a request.
 */
export function preciseEstimate(candidates: Candidates, precision: Precision): LimiterEstimate | undefined {
  const [estimate] = estimates(candidates.best)
  const isOnly = estimates(candidates.plausible).length === 1
  return isOnly && estimate && isPrecise(estimate, precision) ? estimate : undefined
}

function isPrecise({ capacity, rate }: LimiterEstimate, precision: Precision): boolean {
  const tolerance = Math.max(precision.capacityRequests, capacity.high * precision.capacityShare)
  return capacity.high - capacity.low <= tolerance && rate.high <= rate.low * (1 + precision.rate)
}

/**
 * The identified limiter, or the reason why the plausible candidates do not identify one:
 * - `undecided`: several kinds or imprecise values remain, which further requests may exclude
 * - `renewed`: each refusal may restart (renew) the wait or start a ban, so that the window only seems long
 * - `retry-after`: the only remaining limiter contradicts Retry-After
 */
export function conclude(
  experiment: BudgetedExperiment,
  candidates: Candidates,
): Identified | 'undecided' | 'renewed' | 'retry-after' {
  const [estimate, another] = estimates(candidates.best)
  if (estimate === undefined || another !== undefined) return 'undecided'
  if (!isPrecise(estimate, sufficientPrecision)) return 'undecided'
  // Another kind that explains one data point less is an obstacle only while further requests may rule it out.
  if (estimates(candidates.plausible).length > 1 && !experiment.isOver) return 'undecided'
  const { current } = experiment.record
  // After the budget is spent, it is enough to exclude waits and bans of constant length (`window-proof.ts`).
  const isConfirmed = isWindowConfirmed(estimate, current)
  if (!isConfirmed && !(experiment.isOver && excludesConstantWaits(estimate, candidates, current)))
    return 'renewed'
  if (mayRestartWaits(estimate, current)) return 'renewed'
  if (contradictsRetryAfter(estimate, candidates, current)) return 'retry-after'
  return identifiedByElimination(estimate, experiment, candidates)
}

/**
 * Number of idle bursts that a limiter must explain before a conclusion. An idle burst (`idle-burst.ts`) follows a
 * pause after which the limiter counts no earlier request.
 * - Five, if the values are not round, and the window is shorter than `adaptableWindowMs` or the kind is a sliding window
 *   counter: such a limiter may explain any responses, even those that requests of other clients have changed.
 * - One for a sliding window counter with round values; otherwise none.
 */
export function idleBurstsNeeded({ kind, capacity, window }: LimiterEstimate): number {
  const { countsPreviousWindow } = limiterKinds[kind]
  if (isRound({ capacity, window })) return countsPreviousWindow ? 1 : 0
  return countsPreviousWindow || window.high < adaptableWindowMs ? 5 : 0
}

/** Windows shorter than a second that people configure, in milliseconds. */
const roundShortTimesMs = [100, 200, 250, 500]

/** Whether the window is shorter than a second and not round: such a limiter explains almost any responses. */
export function isOddlyShort({ kind, window: { low, high } }: LimiterEstimate): boolean {
  if (!limiterKinds[kind].hasWindow || high >= shortWindowMs) return false
  return !roundShortTimesMs.some((time) => time >= low && time <= high)
}

/** Whether capacity and window may both be round values. */
export function isRound(estimate: Pick<LimiterEstimate, 'capacity' | 'window'>): boolean {
  return hasRoundTime(estimate.window) && roundCounts.includes(roundCountIn(estimate.capacity))
}

/** Whether each request may restart the wait: all candidates count refused requests, and Retry-After is constant. */
function mayRestartWaits({ candidates }: LimiterEstimate, dataPoints: readonly DataPoint[]): boolean {
  return new Set(retryAfters(dataPoints)).size === 1 && candidates.every(({ model }) => model.countsRefused)
}

/** Whether the estimated limiter would admit a request before Retry-After elapses, or the target refused one afterwards. */
function contradictsRetryAfter(
  { candidates: group }: LimiterEstimate,
  candidates: Candidates,
  dataPoints: readonly DataPoint[],
): boolean {
  // A constant Retry-After may be a fixed text that does not depend on the limiter, so nothing contradicts it.
  if (new Set(retryAfters(dataPoints)).size <= 1) return false
  if (afterRetryAfter(dataPoints).some(({ outcome }) => outcome === 'throttled')) return true
  // If other clients use the same key, a wrong kind may explain all responses. But it rarely explains each refusal
  // that Retry-After predicts, and `withStated` adds these refusals.
  const extended = withStated(dataPoints)
  return group.every(
    ({ model, fit }) => candidates.explainedBy(model, fit.capacity, extended) < extended.length,
  )
}

function identifiedByElimination(
  estimate: LimiterEstimate,
  experiment: BudgetedExperiment,
  candidates: Candidates,
): Identified {
  const { kind, capacity, window, rate } = estimate
  const { hasWindow } = limiterKinds[kind]
  // A token bucket refills during a burst, so bursts show only a range of its capacity: the roundest value is
  // likeliest. A window rarely ends during a burst, so usually at most two adjacent capacities remain.
  const takesRoundest = !hasWindow || capacity.high - capacity.low > 1
  const size = takesRoundest ? roundCountIn(capacity) : likelierCapacity(capacity)
  const base = {
    result: 'identified',
    kind,
    capacity: size,
    capacityInterval: capacity,
    rateInterval: rate,
    proof: proofOf(estimate, experiment.record, candidates),
    ...experiment.cost,
  } as const
  const notes = notesOn(estimate, experiment, candidates)
  if (!hasWindow) return { ...base, rate: roundRateIn(rate), notes }
  const windowMs = roundTimeIn(window)
  const variants = [...new Set(estimate.candidates.map(({ model }) => model.variant))]
  const isOneVariant = variants.length === 1
  const windowStart = isOneVariant ? windowStartOf(estimate, windowMs) : undefined
  const isAligned = windowStart !== undefined && isOnClock(windowStart + experiment.epochOffset, windowMs)
  const aligned = estimate.candidates.flatMap(({ model }) => model.alignedVariant ?? [])
  const variant = (isAligned ? aligned[0] : undefined) ?? variants[0]
  const names = variants.map((one) => (one === undefined ? 'the plain form' : variantText[one]))
  // The variants of a fixed window differ only in the start of a window.
  const variantNote =
    kind === 'fixed-window'
      ? 'The responses do not show whether a window begins with its first request or at fixed times.'
      : `The responses do not show which variant it is: ${names.join('; ')}.`
  return {
    ...base,
    ...(isOneVariant && variant !== undefined && { variant }),
    rate: (size * 1000) / windowMs,
    windowMs,
    windowInterval: window,
    ...(windowStart !== undefined && { windowStart }),
    notes: isOneVariant ? notes : [variantNote, ...notes],
  }
}

/** The likelier of two adjacent capacities: of 30 and 31 the round one; if both or none are round, the larger. */
function likelierCapacity({ low, high }: Interval): number {
  return roundCounts.includes(low) && !roundCounts.includes(high) ? low : high
}

/** Reservations about an identified limiter, in sentences: for example, that a wider limit would go unnoticed. */
function notesOn(
  estimate: LimiterEstimate,
  experiment: BudgetedExperiment,
  { plausible }: Candidates,
): string[] {
  const { equivalent } = limiterKinds[estimate.kind]
  const admitted = admittedOf(experiment.record.sent)
  const tooWide = `A second limit over a longer window would go unnoticed if it admits at least ${counted(admitted, 'request')} in ${Math.ceil(experiment.cost.elapsedMs / 1000)} s.`
  const close =
    'Another kind explains only one data point fewer: the budget ran out before the probe could rule it out.'
  const growing =
    'Bans that grow with each refusal would look the same: the budget ran out before the probe could rule them out.'
  return [
    ...(isWindowConfirmed(estimate, experiment.record.current) ? [] : [growing]),
    ...(equivalent === undefined ? [] : [`A ${equivalent} admits exactly the same requests.`]),
    ...experiment.record.setAside.slice(0, 1).map(widerNote),
    ...(estimates(plausible).length > 1 ? [close] : []),
    tooWide,
  ]
}

function widerNote({ admitted, elapsedMs, refusedMs }: SetAside): string {
  return `There is a second, wider limit: after ${admitted} admitted requests in ${seconds(elapsedMs)} it refused requests for ${seconds(refusedMs)}.`
}

/** A possible start of one window on a grid (windows that follow each other without gaps), in milliseconds. */
function windowStartOf({ candidates }: LimiterEstimate, windowMs: number): number | undefined {
  const samples = candidates.flatMap(({ fit }) => fit.samples({ windows: [windowMs], ends: [] }))
  const exact = samples.find(({ period }) => period === windowMs)
  return (exact ?? samples[0])?.start
}

/** Whether windows are aligned to the clock, within 50 ms plus 3 % of a window. @param start in epoch milliseconds */
function isOnClock(start: number, windowMs: number): boolean {
  const offset = ((start % windowMs) + windowMs) % windowMs
  return Math.min(offset, windowMs - offset) <= 50 + 0.03 * windowMs
}

/** The roundest rate per second, minute or hour in the interval, such as 30 per minute; in requests per second. */
function roundRateIn(rate: Interval): number {
  const rates = [1, 60, 3600].map((seconds) => {
    const value = roundNumberIn({ low: rate.low * seconds, high: rate.high * seconds })
    return { rate: value / seconds, digits: String(value).replace('.', '').replace(/0+$/, '').length, value }
  })
  const whole = rates.filter(({ value }) => value >= 1)
  const [best] = (whole.length > 0 ? whole : rates).sort((one, other) => one.digits - other.digits)
  return best?.rate ?? rate.low
}

/** Compares the estimate with the best model of another kind, whose capacity must be similar. */
function proofOf(
  { kind, capacity }: LimiterEstimate,
  { current }: ExperimentRecord,
  candidates: Candidates,
): Proof {
  const evidence = candidates.trustsRetryAfter ? withStated(current) : current
  // Every model explains an unknown outcome, so such a data point proves nothing.
  const known = evidence.filter(({ outcome }) => outcome !== 'unknown')
  const unknown = evidence.length - known.length
  const total = known.length
  const explained = total - candidates.unexplained
  let nextBest: Proof['nextBest'] = { kind, explained: -1 }
  for (const model of limiterModels) {
    if (model.kind === kind) continue
    for (let size = Math.max(1, capacity.low - 2); size <= capacity.high; size += 1) {
      const count = candidates.explainedBy(model, size, evidence) - unknown
      if (count > nextBest.explained) nextBest = { kind: model.kind, explained: count }
    }
  }
  // The next best kind explains too many data points to be ruled out by their number, but its fit permits hardly any periods.
  const needsCoincidence =
    explained - nextBest.explained < surplusToRuleOut &&
    !candidates.plausible.some(({ model }) => model.kind === nextBest.kind)
  if (needsCoincidence) nextBest = { ...nextBest, needsCoincidence }
  const coincidence = needsCoincidence
    ? ', but only if its windows happen to end exactly when a request is sent'
    : ''
  const share = explained === total ? `all ${total}` : `${explained} of ${total}`
  const sentence = `This model explains ${share} data points (${partsOf(known)}); the next best model, a ${limiterKinds[nextBest.kind].text}, explains ${nextBest.explained}${coincidence}.`
  return { observations: total, explained, nextBest, sentence }
}

/** `120 requests of this probe, 4 Retry-After values longer than 1 s` */
function partsOf(evidence: readonly DataPoint[]): string {
  const stated = evidence.filter(({ isStated }) => isStated).length
  return [
    `${counted(evidence.length - stated, 'request')} of this probe`,
    // A value of 1 s may be rounded up, so it proves nothing.
    ...(stated > 0
      ? [`${counted(stated, 'Retry-After value')} longer than ${seconds(retryAfterStepMs)}`]
      : []),
  ].join(', ')
}
