import type { CheckOptions } from './catalogue.ts'

/**
 * Positions in a run of areas and files that must not run in the order of reports. In reports, the positions are:
 * discovery 1, key set 2, authorization 3, tokens 4, ID tokens 5, UserInfo 6, introspection 7, event search 8, and so
 * on. For example, a file at 4.5 runs after the tokens and before the ID tokens.
 */
export const turns = {
  /**
   * For checks that need a user without consent to the second application. The checks of tokens give this consent.
   */
  beforeSecondConsent: 3.5,
  /** After the checks of tokens, because a target may lock the application after failed authentications. */
  failingAuthentication: 4.5,
  /** After the ID tokens. Checks that most users need run early, in case the budget runs out. */
  eventSearch: 5.5,
  /** After the event search: the many variations of the authorization request. */
  authorization: 8.5,
} as const

// Options that checks of several files share: effects on the target, and the required configuration.

/** Sends requests of the signed-in test user. */
export const login: CheckOptions = { effects: ['login'], needs: ['user'] }

/** Sends requests of the signed-in test user, also for the second application. */
export const loginWithSecond: CheckOptions = { effects: ['login'], needs: ['user', 'secondApplication'] }

/** Sends requests of the second application before the user has consented to it. */
export const beforeSecondConsent: CheckOptions = { ...loginWithSecond, turn: turns.beforeSecondConsent }

/** Sends requests of the signed-in test user with a required authentication level. */
export const loginWithLevel: CheckOptions = { effects: ['login'], needs: ['user', 'requiredAcr'] }

/** Signs the test user in, and presents incomplete credentials, or a code or token that was never issued. */
export const loginAndBadCredentials: CheckOptions = { effects: ['login', 'bad-credentials'], needs: ['user'] }

/** Signs the test user in, and sends wrong credentials, which some providers count towards a lock-out. */
export const loginAndCredentialProbes: CheckOptions = {
  effects: ['login', 'credential-probes'],
  needs: ['user'],
}

/** Signs the test user in, and spends an authorization code on a request that must be refused. */
export const loginAndSpendCode: CheckOptions = { effects: ['login', 'burns-codes'], needs: ['user'] }

/** Judges what the run sent and received, after all other checks. */
export const afterAllChecks: CheckOptions = { runsLast: true, judgesRun: true }

/** Judges requests of the signed-in test user after all other checks. */
export const loginAfterAllChecks: CheckOptions = { ...login, ...afterAllChecks }

/** Waits until an access token of the test user expires. The check runs last, to use time that passes anyway. */
export const loginUntilExpiry: CheckOptions = {
  ...login,
  runsLast: true,
  effects: ['login', 'slow'],
  waitsFor: 'access-token',
}

/** Manages webhook subscriptions (planned). */
export const planned: CheckOptions = { effects: ['planned'], needs: ['webhookReceiver'] }

/** Receives the webhook deliveries (planned) that a claim change causes. */
export const delivered = {
  effects: ['planned', 'login', 'claim-change'],
  needs: ['webhookReceiver', 'user', 'claimRecipe'],
} as const satisfies CheckOptions
