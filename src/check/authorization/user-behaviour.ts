/**
 * The user of an authorization request. `session`: with a session in the shared window, or without one in a window of
 * its own. `act`: the user completes pages (`sign-in`), leaves them alone (`stop`) or cancels.
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
