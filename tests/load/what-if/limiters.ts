import type { Limiter } from '../../../load/what-if/simulation.ts'

// Limiters for tests, written independently of those in `load/`.

/** `capacity` requests in each window of the clock. */
export function fixedWindow(capacity: number, windowMs: number): Limiter {
  const counts = new Map<number, number>()
  return {
    decide(at) {
      const window = Math.floor(at / windowMs)
      const count = (counts.get(window) ?? 0) + 1
      if (count > capacity) return { admitted: false, retryAfterMs: (window + 1) * windowMs - at }
      counts.set(window, count)
      return { admitted: true }
    },
  }
}

/** `capacity` tokens, refilled at a rate. */
export function tokenBucket(capacity: number, ratePerSecond: number): Limiter {
  let tokens = capacity
  let last = 0
  return {
    decide(at) {
      tokens = Math.min(capacity, tokens + ((at - last) / 1000) * ratePerSecond)
      last = at
      // Rounding can make a whole token slightly smaller than 1.
      if (tokens < 1 - 1e-9) return { admitted: false }
      tokens -= 1
      return { admitted: true }
    },
  }
}
