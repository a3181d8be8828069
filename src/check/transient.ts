import type { Failed, Landing } from '../browser/index.ts'
import type { Budget } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import { backoffMs } from '../http/retry-after.ts'
import type { RunContext } from './run-context.ts'
import { Inconclusive } from './verdict.ts'

/** A journey that broke off before it came to an end. */
export class Unfinished extends Inconclusive {
  /** What kept a request from being sent or answered; undefined where it was something on a page. */
  readonly failure: Failed['failure']

  constructor({ reason, failure, ...details }: Failed) {
    super(reason, details)
    this.failure = failure
  }
}

/** Whether something failed because the target was throttled, down or slow, so that it may work the next time. */
function isTransient(error: unknown): boolean {
  if (error instanceof HttpFailure) return ['throttled', 'unavailable', 'timed-out'].includes(error.kind)
  return error instanceof Unfinished && error.cause !== 'configuration'
}

/** What everything else rests on is made once more where the target was throttled, down or slow. */
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

/** Makes something for several checks; a failure is for the check that met it, and the next one tries again. */
export async function sharedOnSuccess<T>(run: RunContext, name: string, make: () => Promise<T>): Promise<T> {
  try {
    return await run.shared(name, make)
  } catch (error) {
    run.forget(name)
    throw error
  }
}

/** Errors of the authorization endpoint that say nothing about the request (section Errors: Authorization endpoint). */
const transientErrors: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable'])

/** The error of a redirect that asks to come again later; undefined for every other landing. */
export function transientErrorOf(landing: Landing): string | undefined {
  if (landing.kind !== 'redirect') return undefined
  const { query, fragment, form } = landing
  const error = query.get('error') ?? fragment.get('error') ?? form?.get('error') ?? ''
  return transientErrors.has(error) ? error : undefined
}
