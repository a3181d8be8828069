import { createHash, randomBytes } from 'node:crypto'
import { wasOneTimePassword } from '../browser/index.ts'
import type { TestUser } from '../target/target.ts'
import type { TypedDigests } from './page-listener.ts'

/** The configured value that was typed; unknown if a recipe cannot name it. */
export type TypedValue = 'username' | 'password' | 'totp' | 'unknown' | 'unknown-code'

/** Recognises typed values by their digests, so that the values stay in the page. */
export class TypedValues {
  /** Random for each recording, so that its digests are useless elsewhere. */
  readonly salt = randomBytes(16).toString('hex')
  readonly #user: TestUser | undefined

  constructor(user: TestUser | undefined) {
    this.#user = user
  }

  /** Call it soon after the typing: a one-time password is valid for a minute. @returns undefined for an empty field */
  valueOf({ digests, sixDigits, empty }: Omit<TypedDigests, 'typing'>): TypedValue | undefined {
    if (empty) return undefined
    const is = (value: string) => digests.includes(this.#digest(value))
    const { name, password, totpSecret, totpLog } = this.#user ?? {}
    if (name !== undefined && is(name)) return 'username'
    if (password !== undefined && is(password)) return 'password'
    if (totpSecret !== undefined && wasOneTimePassword(totpSecret, is, totpLog)) return 'totp'
    return sixDigits ? 'unknown-code' : 'unknown'
  }

  #digest(value: string): string {
    return createHash('sha256')
      .update(this.salt + value.trim())
      .digest('hex')
  }
}
