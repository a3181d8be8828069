import { longestWaitMs } from '../../src/http/budget.ts'
import { backoffMs } from '../../src/http/retry-after.ts'
import type { Decision } from './limiter.ts'

/** Times that a call is sent again after 429 or 503 (the specification's sample of client behaviour). */
export const documentedRetries = 4

/**
 * How long a client waits before it sends a refused call again, in milliseconds: what Retry-After says, else an
 * exponential back-off with jitter (base 1 s doubling, at most 30 s). Each call waits for itself, as HTTP libraries do.
 * @param refusals times that this call was refused before
 * @returns undefined where the call is given up: it was tried often enough, or asked to wait longer than a minute
 */
export function waitMs(
  { retryAfterMs = 0 }: Decision,
  refusals: number,
  retries: number,
  random: () => number,
): number | undefined {
  if (refusals >= retries || retryAfterMs > longestWaitMs) return undefined
  // Never at once, also where Retry-After says 0.
  return retryAfterMs || backoffMs(refusals, random)
}
