import { setTimeout as sleep } from 'node:timers/promises'
import type { TestUser } from '../target/target.ts'
import type { VariableName } from '../target/variables.ts'
import type { Deadline } from './deadline.ts'
import type { JourneyWindow } from './journey-traffic.ts'
import { JourneyFailure } from './landing.ts'
import { oneTimePassword } from './one-time-password.ts'

export type Credentials = ReturnType<typeof credentialsOf>

/**
 * The values that the test user types. Call a function only to type its value: each call of `password` counts a login,
 * and each call of `totp` uses up a one-time password.
 * @param reasons `login` is the reason of the failure if TEST_USER is not set, `totp` if TEST_TOTP_SECRET is not set
 * @throws {JourneyFailure} if a value is not configured
 */
export function credentialsOf(
  user: TestUser | undefined,
  { budget, traffic }: JourneyWindow,
  deadline: Deadline,
  reasons: { readonly login: string; readonly totp: string },
) {
  const missing = (reason: string, ...variables: readonly VariableName[]) =>
    new JourneyFailure('configuration', reason, { variables, advice: `set ${variables.join(' and ')}` })
  const configuredUser = (): TestUser => {
    if (user) return user
    throw missing(reasons.login, 'TEST_USER', 'TEST_PASSWORD')
  }
  return {
    hasTotp: user?.totpSecret !== undefined,
    username: () => configuredUser().name,
    /** Counts a login. @throws {HttpFailure} if the login budget is spent */
    password() {
      const { password } = configuredUser()
      budget.countLogin()
      return password
    },
    /** Waits for an unused one-time password. */
    async totp() {
      const { totpSecret, totpLog } = configuredUser()
      if (totpSecret === undefined) throw missing(reasons.totp, 'TEST_TOTP_SECRET')
      const { value, waitMs } = oneTimePassword(totpSecret, totpLog)
      await traffic.clock.excuse(() => deadline.race(sleep(waitMs)))
      return value
    },
  }
}
