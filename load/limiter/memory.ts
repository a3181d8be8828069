import type { Belief } from './belief.ts'
import type { Observation } from './observation.ts'

/**
 * Whether some 429 was due to requests older than half the claimed window: the limiter remembers that long. Without
 * one, a Retry-After that is far too long could have made a short window look like a long one.
 */
export function remembersHalf(
  { kind, capacity, period }: Belief,
  observations: readonly Observation[],
): boolean {
  const window = kind === 'token-bucket' ? period.low * capacity.low : period.low
  return observations.some(({ outcome, sentAt }, index) => {
    if (outcome !== 'throttled') return false
    const since = sentAt - window / 2
    const recent = observations
      .slice(0, index)
      .filter((earlier) => earlier.outcome !== 'throttled' && earlier.endedAt >= since)
    return recent.length < capacity.low
  })
}
