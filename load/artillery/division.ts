import { type Problem, SetupError } from '../../src/target/problem.ts'
import type { Caps } from '../engine/guard.ts'
import { maxLines } from '../engine/lines.ts'

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
 * Divides what may be sent among workers that each run the whole scenario: counts times workers never exceed it.
 * @throws {SetupError} where nothing would be left for each
 */
export function divided(caps: Caps, workers: number, seconds: number): WorkerShare {
  const problems: Problem[] = []
  if (!Number.isInteger(workers) || workers < 1 || workers > maxLines)
    problems.push({ name: '--workers', what: `has to be a whole number from 1 to ${maxLines}`, example: '2' })
  if (!(seconds > 0 && seconds <= caps.maxSeconds))
    problems.push({
      name: '--seconds',
      what: `has to be above 0 and at most ${caps.maxSeconds} (LOAD_MAX_SECONDS)`,
      example: String(caps.maxSeconds),
    })
  if (problems.length > 0) throw new SetupError(problems)
  const arrivalCount = Math.floor(Math.min(caps.maxRequests, caps.maxRate * seconds) / workers)
  if (arrivalCount < 1)
    throw new SetupError([
      {
        name: '--workers',
        what: `leaves no request for each: ${caps.maxRequests} requests (LOAD_MAX_REQUESTS), ${caps.maxRate} a second for ${seconds} s`,
      },
    ])
  return { workers, arrivalCount, maxVusers: Math.floor(maxLines / workers), seconds }
}
