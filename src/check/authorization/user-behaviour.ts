/**
 * What the user of an authorization request does. `session`: `shared` is the window in which the user is signed in, and
 * `own` is a separate window without a session. `act`: the user completes pages (`sign-in`), does nothing (`stop`) or
 * cancels.
 */
export const userBehaviours = {
  'signed-in': { session: 'shared', act: 'sign-in' },
  passive: { session: 'shared', act: 'stop' },
  denying: { session: 'shared', act: 'cancel' },
  'new-login': { session: 'own', act: 'sign-in' },
  anonymous: { session: 'own', act: 'stop' },
  cancelling: { session: 'own', act: 'cancel' },
} as const

export type UserBehaviour = keyof typeof userBehaviours
