import { Secret, TOTP } from 'otpauth'

/** The last time step used with each secret, so that no one-time password is used twice (RFC 6238, 5.2). */
const used = new Map<string, number>()

/** A time step this near to its end is left out: the password could arrive too late. */
const marginMs = 1000

/**
 * A one-time password (RFC 6238: SHA-1, six digits, 30 s) that was not used before by this process,
 * and how long to wait before it may be used, in milliseconds.
 *
 * @param base32 the shared secret, TEST_TOTP_SECRET
 * @throws {Error} for a secret that is not base32
 */
export function oneTimePassword(
  base32: string,
  now = Date.now(),
): { readonly value: string; readonly waitMs: number } {
  const totp = new TOTP({ secret: Secret.fromBase32(base32.replaceAll(/\s/g, '')) })
  const stepMs = totp.period * 1000
  const current = Math.floor((now + marginMs) / stepMs)
  const step = Math.max(current, (used.get(base32) ?? -1) + 1)
  used.set(base32, step)
  return {
    value: totp.generate({ timestamp: step * stepMs }),
    waitMs: Math.max(0, step * stepMs - now),
  }
}
