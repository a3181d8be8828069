import { type Identified, limiterName, simulationOf } from '../limiter/index.ts'

/** A limiter in virtual time. Calls must be in order of time, in milliseconds. */
export interface Limiter {
  decide(at: number): Decision
}

export interface Decision {
  readonly admitted: boolean
  /** Retry-After of a refusal, if present. */
  readonly retryAfterMs?: number
}

/** An identified limiter, of which each simulation starts with a fresh copy. */
export interface KnownLimiter {
  /** A short description. */
  readonly name: string
  /** Requests that it admits at once when fresh. */
  readonly capacity: number
  /** Requests per second that it admits in the long run. */
  readonly ratePerSecond: number
  create(): Limiter
}

/**
 * The limiter that a probe identified.
 * @param retryAfter whether its refusals carry Retry-After, which is in whole seconds (RFC 9110, 10.2.3)
 * @returns undefined for a queue, which delays requests instead of refusing them
 */
export function knownLimiter(found: Identified, retryAfter: boolean): KnownLimiter | undefined {
  const fresh = simulationOf(found)
  if (fresh === undefined || found.capacity === undefined) return undefined
  return {
    name: limiterName(found),
    capacity: found.capacity,
    ratePerSecond: found.rate,
    create() {
      const simulation = fresh.copy()
      return {
        decide(at) {
          const next = simulation.nextAdmission(at)
          const admitted = next <= at
          simulation.record(at, admitted)
          return {
            admitted,
            ...(!admitted && retryAfter && { retryAfterMs: Math.ceil((next - at) / 1000) * 1000 }),
          }
        },
      }
    },
  }
}
