import { setTimeout as sleep } from 'node:timers/promises'
import type { TestUser } from '../target/target.ts'
import type { VariableName } from '../target/variables.ts'
import type { Deadline } from './deadline.ts'
import type { JourneyWindow } from './journey-window.ts'
import { JourneyFailure } from './landing.ts'
import { oneTimePassword } from './one-time-password.ts'

export type Credentials = ReturnType<typeof credentialsOf>

/**
 * What the test user types. Call each only when its value is typed. @throws {JourneyFailure} where it is not set
 * @param demands what asks for them, for the failure without a user or without TEST_TOTP_SECRET
 */
export function credentialsOf(
  user: TestUser | undefined,
  { budget, traffic }: JourneyWindow,
  deadline: Deadline,
  demands: { readonly login: string; readonly totp: string },
) {
  const missing = (demand: string, ...variables: readonly VariableName[]) =>
    new JourneyFailure('configuration', demand, { variables, advice: `set ${variables.join(' and ')}` })
  const known = (): TestUser => {
    if (user) return user
    throw missing(demands.login, 'TEST_USER', 'TEST_PASSWORD')
  }
  return {
    hasTotp: user?.totpSecret !== undefined,
    username: () => known().name,
    /** Counts a login. @throws {HttpFailure} where the budget has none left */
    password() {
      const { password } = known()
      budget.login()
      return password
    },
    /** Waits for a one-time password that was not used yet. */
    async totp() {
      const { totpSecret } = known()
      if (totpSecret === undefined) throw missing(demands.totp, 'TEST_TOTP_SECRET')
      const { value, waitMs } = oneTimePassword(totpSecret)
      await traffic.excuse(() => deadline.race(sleep(waitMs)))
      return value
    },
  }
}
