import type { CheckOptions } from './catalogue.ts'
import { turns } from './turns.ts'

// Options that checks of several files share: effects on the target, and the required configuration.

/** Sends requests of the signed-in test user. */
export const login = { effects: ['login'], needs: ['user'] } as const satisfies CheckOptions

/** Sends requests of the signed-in test user, also for the second application. */
export const loginWithSecond = {
  effects: ['login'],
  needs: ['user', 'secondApplication'],
} as const satisfies CheckOptions

/** Sends requests of the second application before the user has consented to it. */
export const beforeSecondConsent = {
  ...loginWithSecond,
  turn: turns.beforeSecondConsent,
} as const satisfies CheckOptions

/** Sends requests of the signed-in test user with a required authentication level. */
export const loginWithLevel = {
  effects: ['login'],
  needs: ['user', 'requiredAcr'],
} as const satisfies CheckOptions

/** Signs the test user in, and presents incomplete credentials, or a code or token that was never issued. */
export const loginWithBadCredentials = {
  effects: ['login', 'bad-credentials'],
  needs: ['user'],
} as const satisfies CheckOptions

/** Signs the test user in, and sends wrong credentials. */
export const loginWithCredentialProbes = {
  effects: ['login', 'credential-probes'],
  needs: ['user'],
} as const satisfies CheckOptions

/** Signs the test user in, and spends an authorization code on a request that must be refused. */
export const loginAndSpendCode = {
  effects: ['login', 'burns-codes'],
  needs: ['user'],
} as const satisfies CheckOptions

/** Judges what the run sent and received, after all other checks. */
export const afterAllChecks = { runsLast: true, judgesRun: true } as const satisfies CheckOptions

/** Judges requests of the signed-in test user after all other checks. */
export const loginAfterAllChecks = { ...login, ...afterAllChecks } as const satisfies CheckOptions

/** Waits until a code or token of the test user has expired, after all other checks: then the wait is shorter. */
export const loginUntilExpiry = {
  ...login,
  runsLast: true,
  effects: ['login', 'slow'],
} as const satisfies CheckOptions
