/**
 * What a check may do to the target beyond reading. A check declares its effects, and runs only if the profile of the
 * target or ENABLE allows each of them.
 */
export const effects = {
  login: 'signs the test user in and gives consent, which the provider may remember',
  'burns-codes': 'spends authorization codes on requests that must be refused',
  'bad-credentials': 'presents incomplete credentials, or codes and tokens that the target never issued',
  'token-destruction': 'may make the provider revoke tokens or a grant of the test user',
  'credential-probes': 'sends wrong credentials, which some providers count towards a lock-out',
  'claim-change': 'changes a claim of the test user and restores it',
  slow: 'waits until a code or token has expired, at most LONGEST_LIFETIME seconds',
  planned: 'uses a feature that is announced but not available yet',
} as const

export type Effect = keyof typeof effects

/** For reports: an example of what Plumbline can check only with the effect. */
export const effectExamples: Readonly<Record<Effect, string>> = {
  login: 'the claims of tokens',
  'burns-codes': 'a wrong code verifier',
  'bad-credentials': 'an unknown access token',
  'token-destruction': 'single use of codes',
  'credential-probes': 'a wrong client secret',
  'claim-change': 'the event of a claim change',
  slow: 'expired codes',
  planned: 'webhooks',
}

/** Effects that a user can allow with the variable ENABLE. */
export const optionalEffects = [
  'credential-probes',
  'token-destruction',
  'claim-change',
  'slow',
  'planned',
] as const satisfies readonly Effect[]

/** The text before a command that allows effects, such as `ENABLE=slow,planned `; empty for no effects. */
export function enabling(effects: readonly string[]): string {
  return effects.length === 0 ? '' : `ENABLE=${effects.join()} `
}

type OptionalEffect = (typeof optionalEffects)[number]

export const targetNames = ['embedded', 'uat', 'production'] as const
export type TargetName = (typeof targetNames)[number]

/** The permitted effects and the limits of a kind of target. */
interface Profile extends Readonly<Record<Limit, number>> {
  /** Effects allowed without ENABLE. */
  readonly allowed: readonly Effect[]
  /** Effects that ENABLE may add. */
  readonly mayEnable: readonly OptionalEffect[]
}

export type Limit =
  /** `Infinity` means no limit. */
  | 'requestsPerSecond'
  | 'requestBudget'
  | 'loginBudget'
  /** In seconds. */
  | 'longestLifetime'
  /** Requests/s of load probes. */
  | 'loadMaxRate'
  | 'loadMaxRequests'
  | 'loadMaxSeconds'

export const profiles: Readonly<Record<TargetName, Profile>> = {
  embedded: {
    allowed: [
      'login',
      'burns-codes',
      'bad-credentials',
      'token-destruction',
      'credential-probes',
      'claim-change',
    ],
    mayEnable: optionalEffects,
    requestsPerSecond: Number.POSITIVE_INFINITY,
    requestBudget: 1000,
    loginBudget: 25,
    longestLifetime: 120,
    loadMaxRate: 200,
    loadMaxRequests: 5000,
    loadMaxSeconds: 120,
  },
  uat: {
    allowed: ['login', 'burns-codes', 'bad-credentials'],
    mayEnable: optionalEffects,
    requestsPerSecond: 5,
    requestBudget: 500,
    loginBudget: 15,
    longestLifetime: 3600,
    loadMaxRate: 5,
    loadMaxRequests: 200,
    loadMaxSeconds: 120,
  },
  production: {
    allowed: ['login'],
    mayEnable: ['slow'],
    requestsPerSecond: 2,
    requestBudget: 300,
    loginBudget: 5,
    longestLifetime: 3600,
    loadMaxRate: 2,
    loadMaxRequests: 50,
    loadMaxSeconds: 60,
  },
}

/** The effects that ENABLE adds to those of the profile. */
export function enabledEffects({
  name,
  allowedEffects,
}: {
  readonly name: TargetName
  readonly allowedEffects: readonly Effect[]
}): Effect[] {
  return allowedEffects.filter((effect) => !profiles[name].allowed.includes(effect))
}
