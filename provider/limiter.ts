import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Limit } from './behaviour.ts'
import { type Answer, jsonAnswer, type Received } from './http.ts'

export type Limiter = (received: Received, user: string | undefined) => Promise<Answer | undefined>

/**
 * Limits requests per source address, per client id and per user account, each to `requests` in a window of
 * `windowSeconds`. The returned function gives a 429 when any of the three is exhausted.
 */
export function createLimiter(limit: Limit): Limiter {
  const options = { points: limit.requests, duration: limit.windowSeconds }
  const byAddress = new RateLimiterMemory({ ...options, keyPrefix: 'address' })
  const byClient = new RateLimiterMemory({ ...options, keyPrefix: 'client' })
  const byUser = new RateLimiterMemory({ ...options, keyPrefix: 'user' })

  return async (received, user) => {
    try {
      await byAddress.consume(received.address)
      if (received.client) await byClient.consume(received.client)
      if (user) await byUser.consume(user)
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
