import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Limit, LimitKey } from './behaviour.ts'
import { type Answer, jsonAnswer, type Received } from './http.ts'

export type Limiter = (received: Received, user: string | undefined) => Promise<Answer | undefined>

const EACH_BY_ITSELF: LimitKey[] = [['address'], ['client'], ['user']]

/**
 * Limits requests, each key of `limit.by` to `requests` in a window of `windowSeconds`: by default per source
 * address, per client id and per user account. The returned function gives a 429 when any of them is exhausted.
 */
export function createLimiter(limit: Limit): Limiter {
  const limits = (limit.by ?? EACH_BY_ITSELF).map((key) => ({
    key,
    counter: new RateLimiterMemory({ points: limit.requests, duration: limit.windowSeconds }),
  }))

  return async (received, user) => {
    const named = { address: received.address, client: received.client, user }
    try {
      for (const { key, counter } of limits) {
        // A request that does not name what is counted is not counted by it.
        const values = key.map((part) => named[part])
        if (values.every((value) => value !== undefined)) await counter.consume(JSON.stringify(values))
      }
      return undefined
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
      const answer = jsonAnswer(429, {
        error: 'temporarily_unavailable',
        error_description: 'Too many requests. Try again later.',
      })
      answer.headers['retry-after'] = String(seconds)
      return answer
    }
  }
}
