import type { Belief } from './belief.ts'
import type { Observation } from './observation.ts'

/** How long a limiter remembers a request at least (milliseconds). */
export function memoryOf({ kind, capacity, period }: Belief): number {
  return kind === 'token-bucket' ? period.low * capacity.low : period.low
}

/**
 * Whether some 429 was due to requests older than half the claimed window: the limiter remembers that long. Without
 * one, a Retry-After that is far too long could have made a short window look like a long one, and so could a limiter
 * that begins its wait anew with each refusal, or bans who is refused: there has to be none in between. Of a bucket,
 * which gives back one by one, neither makes an image.
 */
export function remembersHalf(belief: Belief, observations: readonly Observation[]): boolean {
  const { kind, capacity } = belief
  const window = memoryOf(belief)
  return observations.some(({ outcome, sentAt }, index) => {
    if (outcome !== 'throttled') return false
    const since = sentAt - window / 2
    const recent = observations.slice(0, index).filter(({ endedAt }) => endedAt >= since)
    const refused = recent.filter((earlier) => earlier.outcome === 'throttled').length
    return recent.length - refused < capacity.low && (refused === 0 || kind === 'token-bucket')
  })
}
