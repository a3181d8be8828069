import { hash, randomBytes } from 'node:crypto'

/** The S256 challenge of a code verifier (RFC 7636 section 4.2). */
export function challengeOf(verifier: string): string {
  return hash('sha256', verifier, 'base64url')
}

/** A challenge whose verifier is unknown. */
export function randomChallenge(): string {
  return randomBytes(32).toString('base64url')
}
