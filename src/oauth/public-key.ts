import type { JWK } from 'jose'

/** The members of a public key that identify it (RFC 7638, 3.2), as text to compare. */
export function publicValue({ kty, crv, n, e, x, y, pub }: JWK): string {
  return JSON.stringify([kty, crv, ...[n, e, x, y, pub].map(withoutLeadingZeros)])
}

/** The hexadecimal digits of a base64url value, as an integer may have octets of zero before it; any other value as it is. */
function withoutLeadingZeros(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const octets = Buffer.from(value, 'base64url')
  return octets.toString('base64url') === value ? octets.toString('hex').replace(/^(00)+/, '') : value
}
