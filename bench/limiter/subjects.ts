import type { Kind } from '../../load/limiter/index.ts'
import {
  bucketOfTokens,
  clockCounter,
  expiringCounter,
  leakyMeter,
  logOfTimes,
  twoCounters,
  type VirtualLimiter,
} from './virtual-limiters.ts'

/** A limiter to identify, with its true parameters. */
export interface Subject {
  readonly kind: Kind
  readonly capacity: number
  /** Requests per second. */
  readonly rate: number
  readonly latencyMs: number
  readonly limiter: VirtualLimiter
}

const capacities = [3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200]
const windowsS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600]

type Make = (capacity: number, windowMs: number) => VirtualLimiter

const kinds: readonly (readonly [kind: Kind, make: Make])[] = [
  ['fixed-window', expiringCounter],
  ['fixed-window', clockCounter],
  ['sliding-log', (capacity, windowMs) => logOfTimes(capacity, windowMs)],
  ['sliding-counter', (capacity, windowMs) => twoCounters(capacity, windowMs)],
  ['sliding-counter', (capacity, windowMs) => twoCounters(capacity, windowMs, { whole: true })],
  ['token-bucket', (capacity, windowMs) => bucketOfTokens(capacity, (capacity * 1000) / windowMs)],
  ['token-bucket', (capacity, windowMs) => leakyMeter(capacity, (capacity * 1000) / windowMs)],
]

/**
 * Maximum rate of a limiter, as a share of the rate of sequential requests, which is 1000 / latencyMs. Sequential
 * requests must be clearly faster than the limiter permits, or no 429 occurs.
 */
const maxRateShare = 0.4

/**
 * A random limiter that sequential requests can exceed.
 * @param isRound whether capacity and window are from the lists above, or else arbitrary
 */
export function subject(random: () => number, isRound: boolean, onlyMake?: Make): Subject {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
  const between = (low: number, high: number) => low * (high / low) ** random()
  for (;;) {
    const [kind, make] = pick(kinds.filter(([, one]) => onlyMake === undefined || one === onlyMake))
    const capacity = isRound ? pick(capacities) : Math.round(between(3, 200))
    const windowMs = isRound ? pick(windowsS) * 1000 : Math.round(between(1000, 3_600_000))
    const latencyMs = between(5, 80)
    const rate = (capacity * 1000) / windowMs
    if (rate * latencyMs > maxRateShare * 1000) continue
    return { kind, capacity, rate, latencyMs, limiter: make(capacity, windowMs) }
  }
}
