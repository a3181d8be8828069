import type { Belief } from './belief.ts'
import type { Identified, Proof } from './characterisation.ts'
import type { Log } from './log.ts'
import type { Interval } from './region.ts'
import { roundest, roundestCount, roundestTime } from './round.ts'

/** What is claimed of a kind: the roundest values that the observations allow, and all that they allow. */
export function claim(
  belief: Belief,
  log: Log,
  proof: Proof,
  leastWindow: number,
  epochOffset: number,
): Identified {
  const { kind, capacity, period, rate } = belief
  // A burst holds more than the capacity only by what a bucket gave back meanwhile, or where a window ended within it.
  const isOpen = kind === 'token-bucket' || capacity.high - capacity.low > 1
  const size = isOpen ? roundestCount(capacity) : capacity.high
  const base = {
    result: 'identified',
    kind,
    capacity: size,
    capacityInterval: capacity,
    rateInterval: rate,
    proof,
    requests: log.asked.length,
    elapsedMs: log.elapsedMs,
  } as const
  const believed =
    leastWindow > 0
      ? [
          `Not considered: windows shorter than ${Math.round(leastWindow / 100) / 10} s. With one of them, Retry-After would have asked for far longer waits than are needed.`,
        ]
      : []
  const admitted = log.asked.filter(({ outcome }) => outcome === 'admitted').length
  const beyond = `Not looked for: a wider limit of more than ${admitted} requests in ${Math.ceil(log.elapsedMs / 1000)} s.`
  if (kind === 'token-bucket') {
    const same = 'A leaky bucket as a meter (GCRA) admits exactly the same requests.'
    return { ...base, variant: '', rate: roundestRate(rate), notes: [same, ...believed, beyond] }
  }
  const windowMs = roundestTime(period)
  const start = gridStart(belief, windowMs)
  const variants = [...new Set(belief.candidates.map(({ model }) => model.variant))]
  const [variant = ''] = variants
  return {
    ...base,
    variant: variants.length > 1 ? '' : gridWords(variant, start, windowMs, epochOffset),
    rate: (size * 1000) / windowMs,
    windowMs,
    windowInterval: period,
    ...(start !== undefined && variants.length === 1 && { windowStart: start }),
    notes: [
      ...(variants.length > 1
        ? [`Not told apart: ${variants.map((words) => words || 'the plain form').join('; ')}.`]
        : []),
      ...believed,
      beyond,
    ],
  }
}

/** When a window of the grid begins, of those that windows of this length leave possible. */
function gridStart({ candidates }: Belief, windowMs: number): number | undefined {
  const samples = candidates.flatMap(({ fit }) => fit.samples({ windows: [windowMs], ends: [] }))
  return (samples.find(({ period, start }) => start !== undefined && period === windowMs) ?? samples[0])
    ?.start
}

/** A clock that is rounded down begins its windows there, give or take this share of a window. */
const ALIGNED_SHARE = 0.03
const ALIGNED_MS = 50

function gridWords(
  variant: string,
  start: number | undefined,
  windowMs: number,
  epochOffset: number,
): string {
  if (variant !== 'on a grid' || start === undefined) return variant
  const into = (((start + epochOffset) % windowMs) + windowMs) % windowMs
  const off = Math.min(into, windowMs - into)
  return off <= ALIGNED_MS + ALIGNED_SHARE * windowMs ? 'aligned to the clock' : variant
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
