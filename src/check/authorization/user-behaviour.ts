/**
 * The user of an authorization request: signed in, in the shared window, or without a session, in a separate window;
 * and what the user does with pages: completes them, leaves them alone, or cancels.
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
