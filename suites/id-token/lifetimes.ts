/** Allowed between exp and expires_in, which the provider may compute at different moments. */
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
