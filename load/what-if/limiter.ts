import { type Identified, limiterName, simulationOf } from '../limiter/index.ts'

/** A limiter in virtual time. It is asked in the order of time, in milliseconds. */
export interface Limiter {
  admits(at: number): Decision
}

export interface Decision {
  readonly admitted: boolean
  /** What a refusal asks to wait, where it says so. */
  readonly retryAfterMs?: number
}

/** A limiter that was identified, as often as it is needed, each time as it is after a long rest. */
export interface KnownLimiter {
  /** What it is, in a few words. */
  readonly name: string
  /** Requests that it admits at once. */
  readonly capacity: number
  /** Requests a second that it admits in the long run. */
  readonly ratePerSecond: number
  create(): Limiter
}

/**
 * The limiter that a probe identified.
 * @param retryAfter whether its refusals carry Retry-After, which is in whole seconds (RFC 9110, 10.2.3)
 * @returns undefined: it is a queue, which delays requests instead of refusing them
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
        admits(at) {
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
