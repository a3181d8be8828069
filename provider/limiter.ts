import { type HttpRequest, type HttpResponse, jsonResponse } from './http.ts'

export interface Limit {
  requests: number
  windowSeconds: number
  /** Limit keys; each has its own limit. By default: address, client and user. */
  by?: LimitKey[]
}

/** The parts of a request that form one limit key. An empty key counts all requests together. */
export type LimitKey = ('client' | 'user' | 'address')[]

type Limiter = (request: HttpRequest, user: string | undefined) => Promise<HttpResponse | undefined>

const DEFAULT_KEYS: LimitKey[] = [['address'], ['client'], ['user']]

/**
 * Creates a limiter: at most `requests` per `windowSeconds` for each key of `limit.by`. The limiter returns a response
 * 429 to a request if any of its limits is exhausted.
 */
export async function createLimiter(limit: Limit): Promise<Limiter> {
  // Loaded here, because it loads slowly and most providers have no limiter.
  const { RateLimiterMemory, RateLimiterRes } = await import('rate-limiter-flexible')
  const limits = (limit.by ?? DEFAULT_KEYS).map((key) => ({
    key,
    counter: new RateLimiterMemory({ points: limit.requests, duration: limit.windowSeconds }),
  }))

  return async (request, user) => {
    const parts = { address: request.address, client: request.client, user }
    try {
      for (const { key, counter } of limits) {
        // A request without a part of the key does not count.
        const values = key.map((part) => parts[part])
        if (values.every((value) => value !== undefined)) await counter.consume(JSON.stringify(values))
      }
      return undefined
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection
      const response = jsonResponse(429, {
        error: 'temporarily_unavailable',
        error_description: 'Too many requests. Try again later.',
      })
      response.headers['retry-after'] = String(Math.max(1, Math.ceil(rejection.msBeforeNext / 1000)))
      return response
    }
  }
}
