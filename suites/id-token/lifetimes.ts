import { clockSkewSeconds } from '../../src/oauth/id-token.ts'
import type { DecodedJwt } from '../../src/oauth/jwt.ts'

/**
 * Whether a new token has expired. Since the machines of a target may have different clocks, an exp less than 60 s
 * ago counts as expired only if it is not after the `iat` of the token.
 * @param remainingSeconds seconds from the receipt of the token to its exp
 */
export function hasExpired({ exp, iat }: DecodedJwt['claims'], remainingSeconds: number): boolean {
  if (remainingSeconds > 0) return false
  return remainingSeconds <= -clockSkewSeconds || (typeof iat === 'number' && Number(exp) <= iat)
}

/**
 * Seconds until a new token becomes valid (`nbf`; RFC 7519, 4.1.5); undefined if there is no `nbf`, or if it is at
 * most 60 s in the future, which a difference between clocks can explain.
 * @param remainingSeconds seconds from the receipt of the token to its exp
 */
export function notValidFor(
  { exp, nbf }: DecodedJwt['claims'],
  remainingSeconds: number,
): number | undefined {
  const seconds = Math.round(Number(nbf) - Number(exp) + remainingSeconds)
  return typeof nbf === 'number' && seconds > clockSkewSeconds ? seconds : undefined
}

/** Allowed difference between exp and expires_in, because the provider may compute them at different times. */
const toleranceSeconds = 60

/** Whether the seconds until exp agree with `expires_in`. */
export function agrees(remainingSeconds: number, lifetime: unknown): boolean {
  return typeof lifetime === 'number' && Math.abs(remainingSeconds - lifetime) <= toleranceSeconds
}

/** The expected `exp`, for findings. */
export function expiryAfter(lifetime: number): string {
  return `exp ${lifetime} s after the response, within ${toleranceSeconds} s`
}

/** The actual `exp`, for findings. */
export function actualExpiry(remainingSeconds: number): string {
  return remainingSeconds < 0
    ? `exp ${-remainingSeconds} s in the past`
    : `exp ${remainingSeconds} s after the response`
}
