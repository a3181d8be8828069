import { clockSkewSeconds } from '../../src/oauth/id-token.ts'
import type { DecodedJwt } from '../../src/oauth/jwt.ts'

/**
 * Whether a new token has expired. Several machines of a target may issue tokens, each with its own clock: an exp up to
 * 60 s ago counts as passed only if it is not after the `iat` of the token.
 * @param left seconds from the receipt of the token to its exp
 */
export function hasExpired({ exp, iat }: DecodedJwt['claims'], left: number): boolean {
  if (left > 0) return false
  return left <= -clockSkewSeconds || (typeof iat === 'number' && Number(exp) <= iat)
}

/**
 * Seconds until a new token may be accepted, if its `nbf` is beyond any difference between clocks (RFC 7519, 4.1.5);
 * undefined otherwise.
 * @param left seconds to its `exp`
 */
export function notValidFor({ exp, nbf }: DecodedJwt['claims'], left: number): number | undefined {
  const seconds = Math.round(Number(nbf) - Number(exp) + left)
  return typeof nbf === 'number' && seconds > clockSkewSeconds ? seconds : undefined
}

/** Allowed difference between exp and expires_in, which the provider may compute at different moments. */
const toleranceSeconds = 60

/** Whether the seconds that are left until exp agree with `expires_in`. */
export function agrees(left: number, lifetime: unknown): boolean {
  return typeof lifetime === 'number' && Math.abs(left - lifetime) <= toleranceSeconds
}

export function expiryAfter(lifetime: number): string {
  return `exp ${lifetime} s after the response, within ${toleranceSeconds} s`
}

export function actualExpiry(left: number): string {
  return left < 0 ? `exp ${-left} s in the past` : `exp ${left} s after the response`
}
