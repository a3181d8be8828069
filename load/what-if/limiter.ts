import type { Identified } from '../limiter/characterisation.ts'
import { MODELS } from '../limiter/models/all.ts'

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
 * @returns undefined where what is known does not say when a request would be refused: a queue, which delays
 */
export function knownLimiter(found: Identified, retryAfter: boolean): KnownLimiter | undefined {
  const { kind, variant, capacity, rate, windowMs, windowStart } = found
  const model =
    MODELS.find((one) => one.kind === kind && one.variant === variant) ??
    MODELS.find((one) => one.kind === kind)
  if (!model || capacity === undefined) return undefined
  const values = {
    capacity,
    period: windowMs ?? 1000 / rate,
    ...(windowStart !== undefined && { start: windowStart }),
  }
  return {
    name: variant === '' ? kind : `${kind} (${variant})`,
    capacity,
    ratePerSecond: rate,
    create() {
      const simulation = model.simulate(values)
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
