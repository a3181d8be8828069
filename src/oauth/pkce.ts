import { createHash, randomBytes } from 'node:crypto'

/** A code verifier of 43 characters (RFC 7636, 4.1). */
export function codeVerifier(): string {
  return randomBytes(32).toString('base64url')
}

/** A code verifier of 128 characters, the most that RFC 7636, 4.1 permits, with every unreserved punctuation mark. */
export function longCodeVerifier(): string {
  return `${randomBytes(93).toString('base64url')}-._~`
}

/** The S256 challenge of a verifier (RFC 7636, 4.2). */
export function codeChallenge(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

/** A random value of 43 characters for state and nonce. */
export function randomValue(): string {
  return randomBytes(32).toString('base64url')
}

/** A random value of 288 characters, otherwise like `longRandomValue`. */
export function veryLongRandomValue(): string {
  return `${randomBytes(120).toString('base64url')}${longRandomValue()}`
}

/**
 * A random value of 128 characters with every unreserved punctuation mark (RFC 3986, 2.3) and with `+`, `/` and `=`,
 * which URLs escape.
 */
export function longRandomValue(): string {
  return `${randomBytes(90).toString('base64url')}-._~+/==`
}
