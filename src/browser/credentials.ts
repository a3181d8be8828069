import { setTimeout as sleep } from 'node:timers/promises'
import type { TestUser } from '../target/target.ts'
import type { Deadline } from './deadline.ts'
import { JourneyFailure } from './landing.ts'
import { oneTimePassword } from './one-time-password.ts'
import type { BrowserWindow } from './window.ts'

/** What the test user types. Each value is taken only when it is typed. @throws {JourneyFailure} where it is not set */
export class Credentials {
  readonly #budget: BrowserWindow['budget']
  readonly #deadline: Deadline
  readonly #user: TestUser | undefined
  readonly #demands: { readonly login: string; readonly totp: string }

  /** @param demands sentences on who asks for them, for the failure without a user or TEST_TOTP_SECRET */
  constructor(
    { budget }: BrowserWindow,
    deadline: Deadline,
    user: TestUser | undefined,
    demands: { readonly login: string; readonly totp: string },
  ) {
    this.#budget = budget
    this.#deadline = deadline
    this.#user = user
    this.#demands = demands
  }

  get hasTotp(): boolean {
    return this.#user?.totpSecret !== undefined
  }

  username(): string {
    return this.#known.name
  }

  /** Counts a login. @throws {HttpFailure} where the budget has none left */
  password(): string {
    const { password } = this.#known
    this.#budget.login()
    return password
  }

  /** Waits for a one-time password that was not used yet. */
  async totp(): Promise<string> {
    const { totpSecret } = this.#known
    if (totpSecret === undefined)
      throw new JourneyFailure('configuration', `${this.#demands.totp}: set TEST_TOTP_SECRET`)
    const { value, waitMs } = oneTimePassword(totpSecret)
    this.#deadline.extend(waitMs)
    await this.#deadline.race(sleep(waitMs))
    return value
  }

  get #known(): TestUser {
    if (this.#user) return this.#user
    throw new JourneyFailure('configuration', `${this.#demands.login}: set TEST_USER and TEST_PASSWORD`)
  }
}
