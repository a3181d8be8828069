import type { HttpRequest } from './request.ts'
import type { HttpResponse } from './response.ts'

/** Maximum number of attempts of one request. */
const maxAttempts = 5

/** Request timeout, misdirected request (RFC 9110), and too early (RFC 8470): a retry may succeed. */
const transient4xx: ReadonlySet<number> = new Set([408, 421, 425])

/**
 * Whether a status reports a failure that may be over at a retry, and that says nothing about the request: 5xx, 408,
 * 421 or 425. A 501 is not such a failure if the endpoint may be missing (`mayBeMissing`). Throttling is decided
 * separately (`HttpResponse.throttles`).
 */
export function isTransientStatus(
  status: number,
  { mayBeMissing = false }: Pick<HttpRequest, 'mayBeMissing'> = {},
): boolean {
  return (status >= 500 && !(mayBeMissing && status === 501)) || transient4xx.has(status)
}

/**
 * Whether a request may be sent again after a response that throttles or has a transient status.
 * @param attempt number of the attempt that has just failed, from 0
 */
export function mayRetry(
  { retry }: Pick<HttpRequest, 'retry'>,
  { status, throttles }: Pick<HttpResponse, 'status' | 'throttles'>,
  attempt: number,
): boolean {
  if (retry === 'never' || attempt + 1 >= maxAttempts) return false
  if (status === 429 || status === 503) return true
  // A throttled request is repeated up to `maxAttempts` times. After a transient status such as 502, a single retry
  // shows whether the failure is over.
  return retry === 'safe' && (throttles || attempt === 0)
}

/**
 * Whether a request without a response may be sent again: a single retry shows whether the failure is over.
 * @param attempt number of the attempt that has just failed, from 0
 */
export function mayRetryWithoutResponse({ retry }: Pick<HttpRequest, 'retry'>, attempt: number): boolean {
  return retry === 'safe' && attempt === 0
}
