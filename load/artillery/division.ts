import { type Problem, SetupError } from '../../src/target/problem.ts'
import { maxLines } from '../engine/lines.ts'

/** What several workers may do together. */
export interface Budget {
  /** Requests and reconnects that are left of LOAD_MAX_REQUESTS. */
  readonly remaining: number
  /** Requests a second (LOAD_MAX_RATE). */
  readonly maxRate: number
  /** LOAD_MAX_SECONDS. */
  readonly maxSeconds: number
}

/** What one worker does. */
export interface WorkerShare {
  readonly workers: number
  /** Requests, evenly spaced. */
  readonly arrivalCount: number
  /** Connections, of which each carries one request at a time. */
  readonly maxVusers: number
  readonly seconds: number
}

/**
 * Divides a budget among workers that each run the whole scenario: counts times workers never exceed it.
 * @throws {SetupError} where nothing would be left for each
 */
export function divided(budget: Budget, workers: number, seconds: number): WorkerShare {
  const problems: Problem[] = []
  if (!Number.isInteger(workers) || workers < 1 || workers > maxLines)
    problems.push({ name: '--workers', what: `has to be a whole number from 1 to ${maxLines}`, example: '2' })
  if (!(seconds > 0 && seconds <= budget.maxSeconds))
    problems.push({
      name: '--seconds',
      what: `has to be above 0 and at most ${budget.maxSeconds} (LOAD_MAX_SECONDS)`,
      example: String(budget.maxSeconds),
    })
  if (problems.length > 0) throw new SetupError(problems)
  const arrivalCount = Math.floor(Math.min(budget.remaining, budget.maxRate * seconds) / workers)
  if (arrivalCount < 1)
    throw new SetupError([
      {
        name: '--workers',
        what: `leaves no request for each: ${budget.remaining} requests are left, ${budget.maxRate} a second for ${seconds} s`,
      },
    ])
  return { workers, arrivalCount, maxVusers: Math.floor(maxLines / workers), seconds }
}
