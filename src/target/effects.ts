/**
 * What a check may do to the target beyond reading. Each check declares its effects,
 * and the profile of the target decides whether it may run.
 */
export const effects = {
  login: 'signs the test user in and gives consent, which the provider may remember',
  'burns-codes': 'spends authorization codes on requests that must be refused',
  'bad-credentials': 'presents incomplete credentials, or codes and tokens that the target never issued',
  'token-destruction': 'may make the provider revoke tokens or a grant of the test user',
  'credential-probes': 'sends wrong credentials, which some providers count towards a lock-out',
  'claim-change': 'changes a claim of the test user and restores it',
  slow: 'waits for minutes, or up to LONGEST_LIFETIME until a token has expired',
  planned: 'uses a feature that is announced but not available yet',
} as const

export type Effect = keyof typeof effects

/** Effects that a user can allow with the variable ENABLE. */
export const optionalEffects = [
  'credential-probes',
  'token-destruction',
  'claim-change',
  'slow',
  'planned',
] as const satisfies readonly Effect[]

export type OptionalEffect = (typeof optionalEffects)[number]
