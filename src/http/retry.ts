import type { HttpRequest } from './request.ts'
import type { HttpResponse } from './response.ts'

/** Maximum number of attempts of one request. */
const maxAttempts = 5

/** Statuses of requests that arrived too late, on the wrong connection, or too early (RFC 9110, RFC 8470). */
const transient4xx: ReadonlySet<number> = new Set([408, 421, 425])

/** Whether a status is a transient failure, which says nothing about the request. */
export function isTransientStatus(
  status: number,
  { mayBeMissing = false }: Pick<HttpRequest, 'mayBeMissing'> = {},
): boolean {
  return (status >= 500 && !(mayBeMissing && status === 501)) || transient4xx.has(status)
}

/**
 * Whether a request may be sent again after a response that cannot be judged.
 * @param attempt counts from 0
 */
export function mayRetry(
  { retry }: Pick<HttpRequest, 'retry'>,
  { status, throttles }: Pick<HttpResponse, 'status' | 'throttles'>,
  attempt: number,
): boolean {
  if (retry === 'never' || attempt + 1 >= maxAttempts) return false
  if (status === 429 || status === 503) return true
  // One retry after any other transient status: it distinguishes a transient failure from an outage.
  return retry === 'safe' && (throttles || attempt === 0)
}

/**
 * Whether a request without a response may be sent again: one retry distinguishes a transient failure from an outage.
 * @param attempt counts from 0
 */
export function mayRetryWithoutResponse({ retry }: Pick<HttpRequest, 'retry'>, attempt: number): boolean {
  return retry === 'safe' && attempt === 0
}
