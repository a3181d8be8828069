import { backoffMs } from '../../src/http/retry-after.ts'
import type { Decision } from './limiter.ts'

/** Times that a call is sent again after 429 or 503 (the specification's sample of client behaviour). */
export const documentedRetries = 4

/**
 * How long a client waits before it sends a refused call again, in milliseconds: what Retry-After says, else an
 * exponential back-off with jitter (base 1 s doubling, at most 30 s). Each call waits for itself, as HTTP libraries do.
 * @param refusals times that this call was refused before
 */
export function waitMs({ retryAfterMs }: Decision, refusals: number, random: () => number): number {
  // Never at once, also where Retry-After says 0.
  return retryAfterMs || backoffMs(refusals, random)
}
