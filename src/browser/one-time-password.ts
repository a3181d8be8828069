import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Secret, TOTP } from 'otpauth'

/** The last used time step by secret: no one-time password may be used twice (RFC 6238, 5.2). */
const used = new Map<string, number>()

/** A time step that ends within this many milliseconds is skipped, because its password could arrive too late. */
const marginMs = 1000

/**
 * Reserves an unused one-time password (RFC 6238: SHA-1, six digits, 30 s).
 * @param base32 the shared secret, TEST_TOTP_SECRET
 * @param log file that states until when the last used password is valid; processes share it; no file by default
 * @returns the password, and the wait until the password may be used, in milliseconds
 * @throws {Error} for a secret that is not base32
 */
export function oneTimePassword(
  base32: string,
  log?: string,
): { readonly value: string; readonly waitMs: number } {
  const { totp, stepMs } = totpOf(base32)
  const now = Date.now()
  const current = Math.floor((now + marginMs) / stepMs)
  const logged = log === undefined ? 0 : Math.ceil(usedUntil(log, now + stepMs * 2) / stepMs)
  const step = Math.max(current, (used.get(base32) ?? -1) + 1, logged)
  markUsed(base32, step, stepMs, log)
  return { value: totp.generate({ timestamp: step * stepMs }), waitMs: Math.max(0, step * stepMs - now) }
}

/**
 * Whether a person typed a one-time password of the current or an adjacent time step. The password then counts as used.
 * @param isTyped compares a password with the typed value
 * @throws {Error} for a secret that is not base32
 */
export function wasOneTimePassword(
  base32: string,
  isTyped: (password: string) => boolean,
  log?: string,
): boolean {
  const { totp, stepMs } = totpOf(base32)
  const current = Math.floor(Date.now() / stepMs)
  const step = [current, current - 1, current + 1].find((candidate) =>
    isTyped(totp.generate({ timestamp: candidate * stepMs })),
  )
  if (step === undefined) return false
  markUsed(base32, Math.max(step, used.get(base32) ?? -1), stepMs, log)
  return true
}

function markUsed(base32: string, step: number, stepMs: number, log: string | undefined): void {
  used.set(base32, step)
  if (log === undefined) return
  try {
    mkdirSync(dirname(log), { recursive: true })
    writeFileSync(log, `${JSON.stringify({ usedUntil: new Date((step + 1) * stepMs).toISOString() })}\n`)
  } catch {
    // The folder is not writable, which a run reports elsewhere.
  }
}

/**
 * When the last used password expires, in milliseconds since the epoch; 0 if the file does not state a time, or states
 * one after `latest`, which must be wrong.
 */
function usedUntil(log: string, latest: number): number {
  try {
    const until = Date.parse(JSON.parse(readFileSync(log, 'utf8')).usedUntil)
    return until <= latest ? until : 0
  } catch {
    return 0
  }
}

function totpOf(base32: string): { readonly totp: TOTP; readonly stepMs: number } {
  const totp = new TOTP({ secret: Secret.fromBase32(base32.replaceAll(/\s/g, '')) })
  return { totp, stepMs: totp.period * 1000 }
}
