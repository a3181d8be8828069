import { counted } from '../../src/text/format.ts'
import {
  type Candidates,
  estimates,
  excludingRetryAfter,
  type LimiterEstimate,
  unexplainedToRuleOut,
} from './candidates.ts'
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

/** Greatest width of an estimate. */
interface Precision {
  /** Highest possible rate above the lowest, as a share of the lowest. */
  readonly rate: number
  /** Largest possible capacity above the smallest: as a share of it, or in requests, whichever is more. */
  readonly capacityShare: number
  readonly capacityRequests: number
}

/** What a characterisation aims at. For large capacities, 3 % is enough: an exact value would cost too many bursts. */
export const targetPrecision: Precision = { rate: 0.1, capacityShare: 0.03, capacityRequests: 1 }

/** What suffices for a conclusion: the possible rates are at most 20 % apart, so their middle is within about 10 % of each. */
export const sufficientPrecision: Precision = { rate: 0.2, capacityShare: 0.03, capacityRequests: 1 }

/** In milliseconds; people hardly ever configure shorter windows. */
const shortWindowMs = 1000

/** A limiter with shorter windows fits almost any responses if its values are chosen freely; in milliseconds. */
const adaptableWindowMs = 3000

/** The estimate of the only plausible kind; undefined if several kinds are plausible, or it is less precise. */
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
 * - `undecided`: several kinds, or values that are too imprecise, remain; further requests may exclude them
 * - `renewed`: the window may only seem long, since each refusal may restart the wait or start a ban (`window-proof.ts`)
 * - `retry-after`: the limiter that remains contradicts Retry-After
 */
export function conclude(
  experiment: BudgetedExperiment,
  candidates: Candidates,
): Identified | 'undecided' | 'renewed' | 'retry-after' {
  const [estimate, another] = estimates(candidates.best)
  if (estimate === undefined || another !== undefined) return 'undecided'
  if (!isPrecise(estimate, sufficientPrecision)) return 'undecided'
  // When the budget is spent, it is enough that the next best explains one data point less.
  if (estimates(candidates.plausible).length > 1 && !experiment.isOver) return 'undecided'
  const { current } = experiment.record
  const isConfirmed = isWindowConfirmed(estimate, current)
  if (!isConfirmed && !(experiment.isOver && excludesConstantWaits(estimate, candidates, current)))
    return 'renewed'
  if (mayRestartWaits(estimate, current)) return 'renewed'
  if (contradictsRetryAfter(estimate, candidates, current)) return 'retry-after'
  return identifiedByElimination(estimate, experiment, candidates)
}

/**
 * Bursts after an idle period that a limiter must explain before a conclusion. A limiter that counts the previous window too,
 * or has a short window, fits almost any responses if its values are chosen freely: it may imitate another limiter on a key
 * with other traffic, most likely if the values are not round.
 */
export function idleBurstsNeeded({ kind, capacity, window }: LimiterEstimate): number {
  const { countsPreviousWindow } = limiterKinds[kind]
  if (isRound({ capacity, window })) return countsPreviousWindow ? 1 : 0
  return countsPreviousWindow || window.high < adaptableWindowMs ? 5 : 0
}

/** Windows under a second that people configure, in milliseconds. */
const roundShortTimesMs = [100, 200, 250, 500]

/** Whether the window is under a second and not round: such a limiter fits almost any responses. */
export function isOddlyShort({ kind, window: { low, high } }: LimiterEstimate): boolean {
  if (!limiterKinds[kind].hasWindow || high >= shortWindowMs) return false
  return !roundShortTimesMs.some((time) => time >= low && time <= high)
}

/** Whether the intervals contain round values. */
export function isRound(estimate: Pick<LimiterEstimate, 'capacity' | 'window'>): boolean {
  return hasRoundTime(estimate.window) && roundCounts.includes(roundCountIn(estimate.capacity))
}

/** If refused requests count, a constant Retry-After suggests a limiter that restarts its wait at each request. */
function mayRestartWaits({ candidates }: LimiterEstimate, dataPoints: readonly DataPoint[]): boolean {
  return new Set(retryAfters(dataPoints)).size === 1 && candidates.every(({ model }) => model.countsRefused)
}

/** Whether the limiter would admit requests before Retry-After elapses, or refused one afterwards. */
function contradictsRetryAfter(
  { candidates: group }: LimiterEstimate,
  candidates: Candidates,
  dataPoints: readonly DataPoint[],
): boolean {
  // A constant Retry-After may have nothing to do with the limiter.
  if (new Set(retryAfters(dataPoints)).size <= 1) return false
  if (afterRetryAfter(dataPoints).some(({ outcome }) => outcome === 'throttled')) return true
  // With other traffic, a wrong kind may fit the responses, but rarely Retry-After as well, so it must fit both.
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
  // A burst can exceed the capacity: a bucket refills during it, but a window only rarely ends during it. So with a window,
  // the larger of two adjacent capacities is likelier.
  const isOpen = !hasWindow || capacity.high - capacity.low > 1
  const size = isOpen ? roundCountIn(capacity) : capacity.high
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
  const isOne = variants.length === 1
  const windowStart = isOne ? windowStartOf(estimate, windowMs) : undefined
  const isAligned = windowStart !== undefined && isClock(windowStart + experiment.epochOffset, windowMs)
  const aligned = estimate.candidates.flatMap(({ model }) => model.alignedVariant ?? [])
  const variant = (isAligned ? aligned[0] : undefined) ?? variants[0]
  const names = variants.map((one) => (one === undefined ? 'the plain form' : variantText[one]))
  // The variants of a fixed window differ only in when a window begins.
  const which =
    kind === 'fixed-window'
      ? 'The responses do not show whether a window begins with its first request or at fixed times.'
      : `The responses do not show which variant it is: ${names.join('; ')}.`
  return {
    ...base,
    ...(isOne && variant !== undefined && { variant }),
    rate: (size * 1000) / windowMs,
    windowMs,
    windowInterval: window,
    ...(windowStart !== undefined && { windowStart }),
    notes: isOne ? notes : [which, ...notes],
  }
}

/** What the responses leave open about an identified limiter, as sentences. */
function notesOn(
  estimate: LimiterEstimate,
  experiment: BudgetedExperiment,
  { minWindowMs, plausible }: Candidates,
): string[] {
  const { hasWindow, equivalent } = limiterKinds[estimate.kind]
  const what = hasWindow ? 'Windows' : 'Times to fill the bucket'
  const [shortest, wait] = [seconds(minWindowMs), seconds(excludingRetryAfter(minWindowMs))]
  const tooShort = `${what} shorter than ${shortest} are excluded, because one of the first Retry-After values was ${wait}. ${shortest} is this value less 1 s for rounding, divided by 1.1 for tolerance.`
  const admitted = admittedOf(experiment.record.sent)
  const tooWide = `A second limit over a longer window would go unnoticed if it admits more than ${counted(admitted, 'request')} in ${Math.ceil(experiment.cost.elapsedMs / 1000)} s.`
  const close =
    'Another kind explains only one response less: the budget ran out before the probe could rule it out.'
  const growing =
    'Bans that grow with each refusal would look the same: the budget ran out before the probe could rule them out.'
  return [
    ...(isWindowConfirmed(estimate, experiment.record.current) ? [] : [growing]),
    ...(equivalent === undefined ? [] : [`A ${equivalent} admits exactly the same requests.`]),
    ...experiment.record.setAside.slice(0, 1).map(widerNote),
    ...(minWindowMs > 0 ? [tooShort] : []),
    ...(estimates(plausible).length > 1 ? [close] : []),
    tooWide,
  ]
}

/** Describes refusals that only a second, wider limit explains. */
function widerNote({ admitted, elapsedMs, refusedMs }: SetAside): string {
  return `There is a second, wider limit: after ${admitted} admitted requests in ${seconds(elapsedMs)} it refused requests for ${seconds(refusedMs)}.`
}

/** When a window of the grid may start, for windows of this length. */
function windowStartOf({ candidates }: LimiterEstimate, windowMs: number): number | undefined {
  const samples = candidates.flatMap(({ fit }) => fit.samples({ windows: [windowMs], ends: [] }))
  const exact = samples.find(({ period }) => period === windowMs)
  return (exact ?? samples[0])?.start
}

/** Whether windows that start at this time (epoch milliseconds) are aligned to the clock, within the precision of a fit. */
function isClock(start: number, windowMs: number): boolean {
  const offset = ((start % windowMs) + windowMs) % windowMs
  return Math.min(offset, windowMs - offset) <= 50 + 0.03 * windowMs
}

/** The roundest rate per second, per minute or per hour, in requests per second. */
function roundRateIn(rate: Interval): number {
  const rates = [1, 60, 3600].map((seconds) => {
    const value = roundNumberIn({ low: rate.low * seconds, high: rate.high * seconds })
    return { rate: value / seconds, digits: String(value).replace('.', '').replace(/0+$/, '').length, value }
  })
  const whole = rates.filter(({ value }) => value >= 1)
  const [best] = (whole.length > 0 ? whole : rates).sort((one, other) => one.digits - other.digits)
  return best?.rate ?? rate.low
}

/** Compares the kind with the best limiter of another kind. */
function proofOf(
  { kind, capacity }: LimiterEstimate,
  { current, sent }: ExperimentRecord,
  candidates: Candidates,
): Proof {
  const evidence = candidates.trustsRetryAfter ? withStated(current) : current
  const total = evidence.length
  const explained = total - candidates.unexplained
  let nextBest: Proof['nextBest'] = { kind, explained: -1 }
  for (const model of limiterModels) {
    if (model.kind === kind) continue
    for (let size = Math.max(1, capacity.low - 2); size <= capacity.high; size += 1) {
      const count = candidates.explainedBy(model, size, evidence)
      if (count > nextBest.explained) nextBest = { kind: model.kind, explained: count }
    }
  }
  const needsCoincidence =
    explained - nextBest.explained < unexplainedToRuleOut &&
    !candidates.plausible.some(({ model }) => model.kind === nextBest.kind)
  if (needsCoincidence) nextBest = { ...nextBest, needsCoincidence }
  const coincidence = needsCoincidence
    ? ', but only if its windows happen to end exactly when a request is sent'
    : ''
  const share = explained === total ? `all ${total}` : `${explained} of ${total}`
  const sentence = `This model explains ${share} data points (${partsOf(evidence, sent)}); the next best model, a ${limiterKinds[nextBest.kind].text}, explains ${nextBest.explained}${coincidence}.`
  return { observations: total, explained, nextBest, sentence }
}

/** `120 requests of this probe, 11 earlier requests of the run, 4 values of Retry-After longer than 1 s` */
function partsOf(evidence: readonly DataPoint[], sent: readonly DataPoint[]): string {
  const ofProbe = new Set(sent)
  const own = evidence.filter((one) => ofProbe.has(one)).length
  const stated = evidence.filter(({ isStated }) => isStated).length
  const earlier = evidence.length - own - stated
  return [
    `${counted(own, 'request')} of this probe`,
    ...(earlier > 0 ? [`${counted(earlier, 'earlier request')} of the run`] : []),
    // A value of 1 s may be rounded up, so it proves nothing.
    ...(stated > 0
      ? [`${counted(stated, 'value')} of Retry-After longer than ${seconds(retryAfterStepMs)}`]
      : []),
  ].join(', ')
}
