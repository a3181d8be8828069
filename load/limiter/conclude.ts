import { type Belief, beliefs } from './belief.ts'
import { type Candidate, type Candidates, explainedBy } from './candidates.ts'
import type { Characterisation, Identified, NotIdentified, Proof } from './characterisation.ts'
import type { Log } from './log.ts'
import { MODELS } from './models/all.ts'
import type { Kind } from './models/model.ts'
import type { Interval } from './region.ts'
import { roundest, roundestCount, roundestTime } from './round.ts'

/** How narrow a claim has to be: shares of the rate and of the capacity, and requests of the capacity. */
interface Precision {
  readonly rate: number
  readonly capacityShare: number
  readonly capacityRequests: number
}

/** What is aimed at. Of large capacities, the last request is not worth the whole bursts that it would take. */
export const AIM: Precision = { rate: 0.1, capacityShare: 0.02, capacityRequests: 0 }

/** What is still worth claiming, with its interval, when asking on has not made it clearer for a while. */
export const ENOUGH: Precision = { rate: 0.2, capacityShare: 0.03, capacityRequests: 1 }

/** Whether one kind alone is left, and its capacity and rate are as narrow as that. */
export function isConclusive(candidates: Candidates, precision: Precision): boolean {
  if (kinds(candidates.left).length !== 1) return false
  const [belief] = beliefs(candidates.best)
  return belief !== undefined && isPrecise(belief, precision)
}

function isPrecise({ capacity, rate }: Belief, precision: Precision): boolean {
  const wide = capacity.high - capacity.low
  const narrowCapacity = wide <= Math.max(precision.capacityRequests, capacity.high * precision.capacityShare)
  return narrowCapacity && rate.high <= rate.low * (1 + precision.rate)
}

/** Of a hundred observations, so many may be somebody else's doing. */
const STRANGE_SHARE = 0.01

/** Whether even the best candidates leave too much unexplained. */
export function isContradicted(log: Log, candidates: Candidates): boolean {
  return candidates.missed > Math.max(1, log.observations.length * STRANGE_SHARE)
}

const kinds = (candidates: readonly Candidate[]): Kind[] => [
  ...new Set(candidates.map(({ model }) => model.kind)),
]

/** The claim, where what is left allows one; otherwise why not. */
export function conclude(log: Log, candidates: Candidates, epochOffset: number): Characterisation {
  const [belief, another] = beliefs(candidates.best)
  if (belief === undefined || another !== undefined) return notIdentified(log, candidates, 'alike')
  if (!isPrecise(belief, ENOUGH)) return notIdentified(log, candidates, 'wide')
  if (kinds(candidates.left).length > 1) return notIdentified(log, candidates, 'close')
  return claim(belief, log, proofOf(belief.kind, log, candidates.missed, nextBest(belief, log)), epochOffset)
}

function claim(belief: Belief, log: Log, proof: Proof, epochOffset: number): Identified {
  const { kind, candidates, capacity, period, rate } = belief
  const spent = { requests: log.observations.length, elapsedMs: log.elapsedMs }
  const variants = new Set(candidates.map(({ model }) => model.variant))
  // A burst holds more than the capacity only by what a bucket gave back meanwhile, or where a window ended within it.
  const size = kind === 'token-bucket' ? roundestCount(capacity) : capacity.high
  const base = {
    result: 'identified',
    kind,
    capacity: size,
    capacityInterval: capacity,
    rateInterval: rate,
    proof,
    ...spent,
  } as const
  if (kind === 'token-bucket') {
    return {
      ...base,
      variant: '',
      rate: roundestRate(rate),
      notes: ['A leaky bucket as a meter (GCRA) admits exactly the same requests.'],
    }
  }
  const windowMs = roundestTime(period)
  const only = variants.size === 1 ? [...variants][0] : undefined
  const grid = candidates.find(({ model }) => model.variant === 'on a grid' || kind === 'sliding-counter')
  const sample = only === undefined && kind === 'fixed-window' ? undefined : grid?.fit.samples([])[0]
  const aligned = sample?.start !== undefined && isAligned(sample.start + epochOffset, windowMs, period)
  return {
    ...base,
    variant: variantWords(kind, only, aligned),
    rate: (size * 1000) / windowMs,
    windowMs,
    windowInterval: period,
    ...(sample?.start !== undefined && { windowStart: sample.start }),
    notes:
      variants.size > 1
        ? [`Not told apart: ${[...variants].map((words) => words || 'the plain form').join('; ')}.`]
        : [],
  }
}

function variantWords(kind: Kind, only: string | undefined, aligned: boolean): string {
  if (only === 'on a grid') return aligned ? 'aligned to the clock' : 'on a grid of its own'
  return only ?? (kind === 'fixed-window' ? '' : '')
}

/** Whether a window of the grid begins where a clock rounded down would begin it. */
function isAligned(start: number, windowMs: number, period: Interval): boolean {
  const into = ((start % windowMs) + windowMs) % windowMs
  return Math.min(into, windowMs - into) <= Math.max(50, period.high - period.low)
}

/** The roundest rate, as a number each second, each minute or each hour. */
function roundestRate(rate: Interval): number {
  const units = [1, 60, 3600].map((seconds) => {
    const value = roundest({ low: rate.low * seconds, high: rate.high * seconds })
    return { rate: value / seconds, digits: String(value).replace('.', '').replace(/0+$/, '').length, value }
  })
  const whole = units.filter(({ value }) => value >= 1)
  const [best] = (whole.length > 0 ? whole : units).sort((one, other) => one.digits - other.digits)
  return best?.rate ?? rate.low
}

interface NextBest {
  readonly kind: Kind
  readonly explained: number
}

/** The kind that explains most of all others, each with its best capacity. */
function nextBest(belief: Belief, log: Log): NextBest {
  let best: NextBest = { kind: belief.kind, explained: -1 }
  const { low, high } = belief.capacity
  for (const model of MODELS) {
    if (model.kind === belief.kind) continue
    for (let capacity = Math.max(1, low - 2); capacity <= high + 2; capacity += 1) {
      const explained = explainedBy(model, capacity, log.observations)
      if (explained > best.explained) best = { kind: model.kind, explained }
    }
  }
  return best
}

function proofOf(kind: Kind, log: Log, missed: number, next: NextBest): Proof {
  const observations = log.observations.length
  const explained = observations - missed
  return {
    observations,
    explained,
    nextBest: next,
    sentence: `${kind} explains ${explained} of ${observations} observations; next best ${next.kind} with ${next.explained}.`,
  }
}

export function notThrottled(log: Log): Characterisation {
  const admitted = log.observations.filter(({ outcome }) => outcome === 'admitted').length
  const seconds = Math.round(log.elapsedMs / 100) / 10
  return {
    result: 'not-throttled',
    admitted,
    sentence: `At least ${admitted} requests in ${seconds} s were admitted, one at a time, without a 429.`,
    requests: log.observations.length,
    elapsedMs: log.elapsedMs,
  }
}

type Why = 'contradicted' | 'budget' | 'alike' | 'wide' | 'close'

export function notIdentified(log: Log, candidates: Candidates, why: Why): NotIdentified {
  const left = beliefs(candidates.best)
  const kinds = left.map(({ kind }) => kind)
  const wait =
    log.refusedWaitMs === undefined
      ? ''
      : ` The next request would have had to wait ${Math.round(log.refusedWaitMs / 1000)} s.`
  const reasons: Record<Why, string> = {
    contradicted:
      'No single limiter of the kinds known explains all answers: there may be other traffic on the same key, several limits at once, or another kind.',
    budget: `The requests or seconds allowed were spent before one kind was left.${wait}`,
    alike: `No affordable request tells these apart: ${kinds.join(', ')}.`,
    wide: 'The kind is clear, its rate is not.',
    close: 'The next best kind explains nearly as much.',
  }
  return {
    result: 'not-identified',
    reason: reasons[why],
    known: {
      kinds,
      ...(left.length > 0 && {
        capacity: {
          low: Math.min(...left.map(({ capacity }) => capacity.low)),
          high: Math.max(...left.map(({ capacity }) => capacity.high)),
        },
        rate: {
          low: Math.min(...left.map(({ rate }) => rate.low)),
          high: Math.max(...left.map(({ rate }) => rate.high)),
        },
      }),
      sentences: [],
    },
    requests: log.observations.length,
    elapsedMs: log.elapsedMs,
  }
}
