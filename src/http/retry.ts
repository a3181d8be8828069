import type { HttpRequest } from './request.ts'
import type { HttpResponse } from './response.ts'

/** How often one request is sent at most. */
const mostAttempts = 5

/**
 * Whether a request may be sent again after a response that cannot be judged.
 * @param attempt counts from 0
 */
export function mayRepeat(
  { repeat }: Pick<HttpRequest, 'repeat'>,
  { status, throttles }: Pick<HttpResponse, 'status' | 'throttles'>,
  attempt: number,
): boolean {
  if (repeat === 'never' || attempt + 1 >= mostAttempts) return false
  if (status === 429 || status === 503) return true
  return repeat === 'reads' && (throttles || attempt === 0)
}

/**
 * Whether a request without a response may be sent again: one retry tells a hiccup from an outage, and other checks wait.
 * @param attempt counts from 0
 */
export function mayRepeatUnanswered({ repeat }: Pick<HttpRequest, 'repeat'>, attempt: number): boolean {
  return repeat === 'reads' && attempt === 0
}
