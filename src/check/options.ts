import type { CheckOptions } from './catalogue.ts'
import { turns } from './turns.ts'

// Options that checks of several files share: effects on the target, and the required configuration.

/** Sends requests of the signed-in test user. */
export const login = { effects: ['login'], needs: ['user'] } as const satisfies CheckOptions

/** The same, also for the second application. */
export const loginWithSecond = {
  effects: ['login'],
  needs: ['user', 'secondApplication'],
} as const satisfies CheckOptions

/** The same, before the user has consented to the second application. */
export const beforeSecondConsent = {
  ...loginWithSecond,
  turn: turns.beforeSecondConsent,
} as const satisfies CheckOptions

/** The same, with a required authentication level. */
export const loginWithLevel = {
  effects: ['login'],
  needs: ['user', 'requiredAcr'],
} as const satisfies CheckOptions

/** Judges what the run sent and received, after all other checks. */
export const lookingBack = { runsLast: true } as const satisfies CheckOptions

/** The same, where the requests need the signed-in test user. */
export const lookingBackWithLogin = { ...login, ...lookingBack } as const satisfies CheckOptions

/** Presents a code, token or client that was never issued. */
export const presenting = {
  effects: ['login', 'bad-credentials'],
  needs: ['user'],
} as const satisfies CheckOptions

/** May invalidate authorization codes of the test user. */
export const burning = {
  effects: ['login', 'burns-codes'],
  needs: ['user'],
} as const satisfies CheckOptions
