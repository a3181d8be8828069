import type { CheckOptions } from './catalogue.ts'

// Options that checks of several files share: effects on the target, and the required configuration.

/** Sends requests of the signed-in test user. */
export const login = { effects: ['login'], needs: ['user'] } as const satisfies CheckOptions

/** The same, also for the second application. */
export const loginWithSecond = {
  effects: ['login'],
  needs: ['user', 'secondApplication'],
} as const satisfies CheckOptions

/** The same, before the user has consented to the second application: checks of its tokens give that consent. */
export const beforeSecondConsent = { ...loginWithSecond, turn: 3.5 } as const satisfies CheckOptions

/** The same, with a required authentication level. */
export const loginWithLevel = {
  effects: ['login'],
  needs: ['user', 'requiredAcr'],
} as const satisfies CheckOptions

/** Judges all requests of the run, after all other checks. */
export const lookingBack = { ...login, looksBack: true } as const satisfies CheckOptions

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
