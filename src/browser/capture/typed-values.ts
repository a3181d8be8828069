import { createHash, randomBytes } from 'node:crypto'
import type { TestUser } from '../../target/target.ts'
import { wasOneTimePassword } from '../one-time-password.ts'
import type { Digests } from './report.ts'

/** What a typed value is; unknown where it is nothing that a recipe can name. */
export type TypedValue = 'username' | 'password' | 'totp' | 'unknown' | 'unknown-code'

/** Tells what was typed from digests, so that values stay in the page. */
export class TypedValues {
  /** Another one for each recording, so that digests say nothing elsewhere. */
  readonly salt = randomBytes(16).toString('hex')
  readonly #user: TestUser | undefined

  constructor(user: TestUser | undefined) {
    this.#user = user
  }

  /** To be asked soon after the typing: a one-time password is good for a minute. Undefined for an empty field. */
  valueOf({ digests, sixDigits, empty }: Omit<Digests, 'typing'>): TypedValue | undefined {
    if (empty) return undefined
    const is = (value: string) => digests.includes(this.#digest(value))
    const { name, password, totpSecret } = this.#user ?? {}
    if (name !== undefined && is(name)) return 'username'
    if (password !== undefined && is(password)) return 'password'
    if (totpSecret !== undefined && wasOneTimePassword(totpSecret, is)) return 'totp'
    return sixDigits ? 'unknown-code' : 'unknown'
  }

  #digest(value: string): string {
    return createHash('sha256')
      .update(this.salt + value.trim())
      .digest('hex')
  }
}
