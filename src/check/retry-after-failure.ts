import type { Failed } from '../browser/index.ts'
import type { Budget } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import { backoffMs } from '../http/retry-after.ts'
import { Inconclusive } from './verdict.ts'

/** A journey (the navigation of the browser in one login or change of a claim) that was interrupted before its end. */
export class Unfinished extends Inconclusive {
  /** Why a request was not sent or has no response; undefined if the page was the reason. */
  readonly failure: Failed['failure']

  constructor({ reason, failure, ...details }: Failed) {
    super(reason, details)
    this.failure = failure
  }
}

/** Whether a retry may succeed, because the target throttled, was unavailable or too slow. */
function isTransient(error: unknown): boolean {
  if (error instanceof HttpFailure) return ['throttled', 'unavailable', 'timed-out'].includes(error.kind)
  return error instanceof Unfinished && error.cause !== 'configuration'
}

/**
 * Retries once, after a back-off, if the target throttles, is unavailable or too slow.
 * @param again the retry, by default `make`
 */
export async function retryAfterFailure<T>(
  budget: Budget,
  make: () => Promise<T>,
  again: () => Promise<T> = make,
): Promise<T> {
  try {
    return await make()
  } catch (error) {
    if (!isTransient(error)) throw error
    budget.pauseFor(backoffMs(0))
    return again()
  }
}

const maxAttempts = 3

/** Sends a request until it is accepted, at most three times, with a back-off between the attempts. */
export async function retryWhileRefused<T>(
  budget: Budget,
  send: () => Promise<T>,
  isRefused: (sent: T) => boolean,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const sent = await send()
    if (!isRefused(sent) || attempt + 1 === maxAttempts) return sent
    budget.pauseFor(backoffMs(attempt))
  }
}
