import type { Failed, Landing } from '../browser/index.ts'
import type { Budget } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import { backoffMs } from '../http/retry-after.ts'
import type { RunContext } from './run-context.ts'
import { Inconclusive } from './verdict.ts'

/** A journey that was interrupted before its end. */
export class Unfinished extends Inconclusive {
  /** Why a request was not sent or has no response; undefined if the page was the reason. */
  readonly failure: Failed['failure']

  constructor({ reason, failure, ...details }: Failed) {
    super(reason, details)
    this.failure = failure
  }
}

/** Whether a failure was caused by throttling, an unavailable or a slow target, so that a retry may succeed. */
function isTransient(error: unknown): boolean {
  if (error instanceof HttpFailure) return ['throttled', 'unavailable', 'timed-out'].includes(error.kind)
  return error instanceof Unfinished && error.cause !== 'configuration'
}

/** Retries once, after a back-off, if the target throttles, is unavailable or slow. */
export async function retryOnce<T>(
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

/** Computes a value for several checks; a failure belongs to the check that met it, and the next check tries again. */
export async function sharedOnSuccess<T>(run: RunContext, name: string, make: () => Promise<T>): Promise<T> {
  try {
    return await run.once(name, make)
  } catch (error) {
    run.forget(name)
    throw error
  }
}

/** Errors of the authorization endpoint that do not concern the request (section Errors: Authorization endpoint). */
const transientErrors: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable'])

/**
 * The error of a redirect that asks the client to retry later; undefined for every other landing. A code beside the error
 * contradicts it, so the landing is judged.
 */
export function transientErrorOf(landing: Landing): string | undefined {
  if (landing.kind !== 'redirect') return undefined
  const { query, fragment, form } = landing
  if ([query, fragment, form].some((parameters) => parameters?.has('code'))) return undefined
  const error = query.get('error') ?? fragment.get('error') ?? form?.get('error') ?? ''
  return transientErrors.has(error) ? error : undefined
}
