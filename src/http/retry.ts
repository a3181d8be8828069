import type { HttpRequest } from './request.ts'
import type { HttpResponse } from './response.ts'

/** Most attempts of one request. */
const maxAttempts = 5

/**
 * Whether a request may be sent again after a response that cannot be judged.
 * @param attempt counts from 0
 */
export function mayRepeat(
  { repeat }: Pick<HttpRequest, 'repeat'>,
  { status, throttles }: Pick<HttpResponse, 'status' | 'throttles'>,
  attempt: number,
): boolean {
  if (repeat === 'never' || attempt + 1 >= maxAttempts) return false
  if (status === 429 || status === 503) return true
  return repeat === 'reads' && (throttles || attempt === 0)
}

/**
 * Whether a request without a response may be sent again: one retry distinguishes a hiccup from an outage.
 * @param attempt counts from 0
 */
export function mayRepeatUnanswered({ repeat }: Pick<HttpRequest, 'repeat'>, attempt: number): boolean {
  return repeat === 'reads' && attempt === 0
}
